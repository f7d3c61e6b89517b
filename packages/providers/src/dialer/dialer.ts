import { hostOf, readEndpoint } from "./address-guard.ts";
import type { Target } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { DialCall } from "./dial-call.ts";
import { DialFailure } from "./dial-failure.ts";
import type { DialOrder, DialReply } from "./dial-order.ts";
import { guardedLookup, type Lookup, shareLookups, systemLookup } from "./guarded-lookup.ts";

/** The only way out: whatever the service asks of another machine goes through here, and so past the guard. */
export interface Dialer {
  /** Sends a POST and answers when the head of the reply has come. Throws DialFailure. */
  post(order: DialOrder, signal: AbortSignal): Promise<DialReply>;
  /** The same with a GET, which has no body. */
  get(order: Omit<DialOrder, "body">, signal: AbortSignal): Promise<DialReply>;
  /** Ends every call and closes every connection. */
  close(): Promise<void>;
}

/** What the dialer takes from its surroundings; the default is the operating system's. */
export interface DialerSurroundings {
  readonly lookup?: Lookup;
  /** Certificate authorities to trust in place of the built-in ones, in PEM form. */
  readonly ca?: string;
}

/** Connections are kept per origin and never shared between calls that may dial private addresses and the rest. */
export function openDialer(surroundings: DialerSurroundings = {}): Dialer {
  const lookup = shareLookups(surroundings.lookup ?? systemLookup);
  const lookups = { any: guardedLookup(true, lookup), public: guardedLookup(false, lookup) };
  const pool = new ConnectionPool();
  let closed = false;

  function targetOf(url: URL, level: keyof typeof lookups): Target {
    const secure = url.protocol === "https:";
    return {
      key: `${level} ${url.origin}`,
      origin: url.origin,
      secure,
      host: hostOf(url),
      port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
      lookup: lookups[level],
      ca: surroundings.ca,
    };
  }

  async function dial(
    method: "GET" | "POST",
    order: Omit<DialOrder, "body"> & Partial<Pick<DialOrder, "body">>,
    signal: AbortSignal,
  ): Promise<DialReply> {
    if (closed || signal.aborted) throw new DialFailure("aborted", "the call was ended");
    const url = readEndpoint(order.url, order.mayDialPrivate);
    if (typeof url === "string") {
      throw new DialFailure("forbidden-address", "its endpoint is not one that may be dialled", {
        cause: url,
      });
    }
    const connection = pool.take(targetOf(url, order.mayDialPrivate ? "any" : "public"));
    return new Promise((onReply, onFailure) => {
      const call = new DialCall({ limits: order.limits, connection, signal, onReply, onFailure });
      connection.carry(
        {
          method,
          path: url.pathname + url.search,
          // What comes is limited by its size on the wire, so it must not grow after that.
          headers: { ...order.headers, "accept-encoding": "identity" },
          body: order.body ?? null,
        },
        call,
      );
    });
  }

  return {
    post: (order, signal) => dial("POST", order, signal),
    get: (order, signal) => dial("GET", order, signal),

    async close() {
      closed = true;
      pool.shutDown();
    },
  };
}
