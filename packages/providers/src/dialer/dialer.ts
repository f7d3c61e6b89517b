import type { Socket } from "node:net";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import {
  coalesceLookups,
  guardedLookup,
  hostOf,
  type Lookup,
  parseEndpointUrl,
  systemLookup,
} from "./address-guard.ts";
import { ConnectionPool, type ConnectionTarget, type OutboundTls, openSocket } from "./connection.ts";
import { type DialCall, DialFailure, type DialRequest, type DialResponse } from "./dial-request.ts";
import { HttpExchange, type RequestMessage } from "./http-exchange.ts";
import { headerNameOf } from "./response-parser.ts";

/**
 * The only way to other machines: every outgoing call of the service goes through the dialer, and so through its guard.
 */
export interface Dialer {
  /** Sends a request with a body, mostly a POST, and resolves when the response head has arrived. Throws DialFailure. */
  post(request: DialRequest, signal: CancelSignal): Promise<DialResponse>;
  /** The same as a POST without a promise. `onFailure` is called for every failure, for some before this returns. */
  send(request: PostedRequest, call: DialCall): void;
  /** Sends a GET, which has no body. */
  get(request: Omit<DialRequest, "body" | "bodyBytes" | "method">, signal: CancelSignal): Promise<DialResponse>;
  /**
   * Opens a connection to the host of an endpoint for a protocol that begins with HTTP. Its errors are DialFailures where
   * the guard refuses. Throws DialFailure where the address may not be dialled.
   */
  connect(url: string, mayDialPrivate: boolean): Socket;
  /** Aborts every call and closes every connection. */
  close(): Promise<void>;
}

/** The dialer's options; the defaults are the system's. */
export interface DialerOptions {
  readonly lookup?: Lookup;
  /** What TLS with a host needs beside the system's certificate authorities. Asked at every new connection. */
  readonly tlsTerms?: (host: string) => OutboundTls | undefined;
}

/** How many addresses are kept parsed. */
const ADDRESSES_MAX = 1_000;

/** An endpoint's address as it is dialled. */
interface DialledAddress {
  /** The start of a request's head by its method, up to its own headers. */
  readonly starts: Readonly<Record<Method, string>>;
  readonly target: ConnectionTarget;
}

/** Connections are kept per origin, and calls that may dial private addresses never share one with other calls. */
export function createDialer(options: DialerOptions = {}): Dialer {
  const lookup = coalesceLookups(options.lookup ?? systemLookup);
  const lookups = { any: guardedLookup(true, lookup), public: guardedLookup(false, lookup) };
  const pool = new ConnectionPool();
  const addresses = { any: newAddressMap(), public: newAddressMap() };
  /** The connections that other protocols use. */
  const opened = new Set<Socket>();
  let closed = false;

  function targetOf(url: URL, level: keyof typeof lookups): ConnectionTarget {
    const secure = url.protocol === "https:";
    const host = hostOf(url);
    return {
      key: `${level} ${url.origin}`,
      secure,
      host,
      port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
      lookup: lookups[level],
      tlsTerms: () => options.tlsTerms?.(host),
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
    // The limit of a response applies to its size on the wire, so its body must not grow after that.
    const rest = ` ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n`;
    const starts = { GET: `GET${rest}`, POST: `POST${rest}`, PUT: `PUT${rest}` };
    const address = { starts, target: targetOf(url, level) };
    addresses[level].set(text, address);
    return address;
  }

  function send(method: Method, request: SentRequest, call: DialCall): void {
    try {
      if (closed || call.signal.aborted) throw new DialFailure("aborted", "the call was ended");
      const { starts, target } = addressOf(request.url, call.mayDialPrivate ? "any" : "public");
      const message = toMessage(starts[method], request, call.traceHeaders);
      pool.acquire(target).send(new HttpExchange(message, call));
    } catch (error) {
      call.onFailure(error);
    }
  }

  function dial(method: Method, request: DialledRequest, signal: CancelSignal): Promise<DialResponse> {
    const { traceHeaders, mayDialPrivate, limits } = request;
    return new Promise((onReply, onFailure) =>
      send(method, request, { traceHeaders, mayDialPrivate, limits, signal, onReply, onFailure }),
    );
  }

  return {
    post: (request, signal) => dial(request.method ?? "POST", request, signal),
    send: (request, call) => send("POST", request, call),
    get: (request, signal) => dial("GET", request, signal),

    connect(url, mayDialPrivate) {
      if (closed) throw new DialFailure("aborted", "the call was ended");
      const socket = openSocket(addressOf(url, mayDialPrivate ? "any" : "public").target);
      opened.add(socket);
      socket.once("close", () => opened.delete(socket));
      return socket;
    },

    async close() {
      closed = true;
      for (const socket of opened) socket.destroy();
      pool.close();
    },
  };
}

type Method = "GET" | "POST" | "PUT";

type PostedRequest = Pick<DialRequest, "url" | "headers" | "body" | "bodyBytes">;

/** A request with or without a body. */
type SentRequest = Pick<DialRequest, "url" | "headers"> & Partial<PostedRequest>;
type DialledRequest = SentRequest & Omit<DialRequest, "body">;

/** Headers that say where a message ends or how long its connection lives: these are the dialer's own. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Writes a request down as it is sent. Throws DialFailure where a header could be read as something else. */
function toMessage(
  start: string,
  { headers, body, bodyBytes }: SentRequest,
  traceHeaders: DialRequest["traceHeaders"],
): RequestMessage {
  let head = withHeaders(start, headers, true);
  if (traceHeaders !== undefined) head = withHeaders(head, traceHeaders, false);
  if (body === undefined) return { head: `${head}\r\n`, body: "", isAscii: true };
  const length = typeof body === "string" ? (bodyBytes ?? Buffer.byteLength(body)) : body.length;
  head += `content-length: ${length}\r\n\r\n`;
  return { head, body, isAscii: length === body.length };
}

/** `mayBeAlike`: heads that begin with this begin alike, as a rule up to the id of the request. */
function withHeaders(start: string, headers: Readonly<Record<string, string>>, mayBeAlike: boolean): string {
  let head = start;
  let isAlike = mayBeAlike;
  for (const written in headers) {
    const header = headerLine(written, headers[written] ?? "");
    if (!isAlike) {
      head += header.line;
      continue;
    }
    isAlike = header.before === head;
    if (!isAlike) {
      header.before = head;
      header.after = head + header.line;
    }
    head = header.after;
  }
  return head;
}

interface HeaderLine {
  value: string;
  line: string;
  /** The head before it and with it, as far as heads begin alike. */
  before: string;
  after: string;
}

/** The last line of each header. Most requests to a provider have the same ones. */
const lastLines = new Map<string, HeaderLine>();
const LAST_LINES_MAX = 1_000;

/** A header as it is sent; its line is "" where the dialer sends it itself. */
function headerLine(written: string, value: string): HeaderLine {
  const last = lastLines.get(written);
  if (last?.value === value) return last;
  const name = sentHeaderName(written, value);
  if (name === undefined)
    throw new DialFailure("refused", "the request could not be sent", {
      cause: `The header ${written} can't be sent.`,
    });
  const line = name === "accept-encoding" ? "" : `${name}: ${value}\r\n`;
  if (last !== undefined) {
    last.value = value;
    last.line = line;
    last.before = "";
    return last;
  }
  const header = { value, line, before: "", after: "" };
  if (lastLines.size < LAST_LINES_MAX) lastLines.set(written, header);
  return header;
}

/** Whether a header can be sent with a request: its name is none of the dialer's own, and neither has characters that end it. */
export function canSendHeader(name: string, value: string): boolean {
  return sentHeaderName(name, value) !== undefined;
}

/** In small letters; undefined where it can't be sent. */
function sentHeaderName(written: string, value: string): string | undefined {
  const name = headerNameOf(written);
  return name === undefined || OWN_HEADERS.has(name) || FORBIDDEN_IN_VALUE.test(value) ? undefined : name;
}

function newAddressMap(): LruMap<string, DialledAddress> {
  return new LruMap(ADDRESSES_MAX);
}
