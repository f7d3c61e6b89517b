import { LruMap } from "@trunkline/core/lru-map.ts";
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

/**
 * The only way to other machines: every outgoing call of the service goes through the dialer, and so through its guard.
 */
export interface Dialer {
  /** Sends a POST and resolves when the response head has arrived. Throws DialFailure. */
  post(request: DialRequest, signal: AbortSignal): Promise<DialResponse>;
  /** Sends a GET, which has no body. */
  get(request: Omit<DialRequest, "body">, signal: AbortSignal): Promise<DialResponse>;
  /** Aborts every call and closes every connection. */
  close(): Promise<void>;
}

/** The dialer's options; the defaults are the system's. */
export interface DialerOptions {
  readonly lookup?: Lookup;
  /** Certificate authorities to trust in place of the built-in ones, in PEM form. */
  readonly ca?: string;
}

/** How many addresses are kept parsed. */
const ADDRESSES_MAX = 1_000;

/** An endpoint's address as it is dialled. */
interface DialledAddress {
  readonly path: string;
  readonly target: ConnectionTarget;
}

/** Connections are kept per origin, and calls that may dial private addresses never share one with other calls. */
export function createDialer(options: DialerOptions = {}): Dialer {
  const lookup = coalesceLookups(options.lookup ?? systemLookup);
  const lookups = { any: guardedLookup(true, lookup), public: guardedLookup(false, lookup) };
  const pool = new ConnectionPool();
  const addresses = { any: newAddressMap(), public: newAddressMap() };
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
      ca: options.ca,
    };
  }

  function addressOf(text: string, level: keyof typeof lookups): DialledAddress {
    const known = addresses[level].get(text);
    if (known !== undefined) return known;
    const url = parseEndpointUrl(text, level === "any");
    if (typeof url === "string") {
      throw new DialFailure("forbidden-address", "its endpoint is not one that may be dialled", {
        cause: url,
      });
    }
    const address = { path: url.pathname + url.search, target: targetOf(url, level) };
    addresses[level].set(text, address);
    return address;
  }

  function dial(
    method: "GET" | "POST",
    request: Omit<DialRequest, "body"> & Partial<Pick<DialRequest, "body">>,
    signal: AbortSignal,
  ): Promise<DialResponse> {
    // What is thrown in here rejects the promise.
    return new Promise((onReply, onFailure) => {
      if (closed || signal.aborted) throw new DialFailure("aborted", "the call was ended");
      const { path, target } = addressOf(request.url, request.mayDialPrivate ? "any" : "public");
      const connection = pool.acquire(target);
      const call = new HttpExchange({ limits: request.limits, connection, signal, onReply, onFailure });
      connection.dispatch(
        {
          method,
          path,
          // The limit applies to the size on the wire, so the body must not grow after that.
          headers: { ...request.headers, "accept-encoding": "identity" },
          body: request.body ?? null,
        },
        call,
      );
    });
  }

  return {
    post: (request, signal) => dial("POST", request, signal),
    get: (request, signal) => dial("GET", request, signal),

    async close() {
      closed = true;
      pool.close();
    },
  };
}

function newAddressMap(): LruMap<string, DialledAddress> {
  return new LruMap(ADDRESSES_MAX);
}
