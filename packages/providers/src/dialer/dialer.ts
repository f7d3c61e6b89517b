import {
  coalesceLookups,
  guardedLookup,
  hostOf,
  type Lookup,
  parseEndpointUrl,
  systemLookup,
} from "./address-guard.ts";
import { ConnectionPool, type ConnectionTarget } from "./connection.ts";
import { DialFailure, type DialRequest, type DialResponse } from "./dial-request.ts";
import { HttpExchange } from "./http-exchange.ts";

/** The only way out: whatever the service asks of another machine goes through here, and so past the guard. */
export interface Dialer {
  /** Sends a POST and answers when the head of the reply has come. Throws DialFailure. */
  post(order: DialRequest, signal: AbortSignal): Promise<DialResponse>;
  /** The same with a GET, which has no body. */
  get(order: Omit<DialRequest, "body">, signal: AbortSignal): Promise<DialResponse>;
  /** Ends every call and closes every connection. */
  close(): Promise<void>;
}

/** What the dialer takes from its surroundings; the default is the operating system's. */
export interface DialerOptions {
  readonly lookup?: Lookup;
  /** Certificate authorities to trust in place of the built-in ones, in PEM form. */
  readonly ca?: string;
}

/** Connections are kept per origin and never shared between calls that may dial private addresses and the rest. */
export function createDialer(surroundings: DialerOptions = {}): Dialer {
  const lookup = coalesceLookups(surroundings.lookup ?? systemLookup);
  const lookups = { any: guardedLookup(true, lookup), public: guardedLookup(false, lookup) };
  const pool = new ConnectionPool();
  let closed = false;

  function targetOf(url: URL, level: keyof typeof lookups): ConnectionTarget {
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
    order: Omit<DialRequest, "body"> & Partial<Pick<DialRequest, "body">>,
    signal: AbortSignal,
  ): Promise<DialResponse> {
    if (closed || signal.aborted) throw new DialFailure("aborted", "the call was ended");
    const url = parseEndpointUrl(order.url, order.mayDialPrivate);
    if (typeof url === "string") {
      throw new DialFailure("forbidden-address", "its endpoint is not one that may be dialled", {
        cause: url,
      });
    }
    const connection = pool.acquire(targetOf(url, order.mayDialPrivate ? "any" : "public"));
    return new Promise((onReply, onFailure) => {
      const call = new HttpExchange({ limits: order.limits, connection, signal, onReply, onFailure });
      connection.dispatch(
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
      pool.close();
    },
  };
}
