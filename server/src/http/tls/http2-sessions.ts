import { Agent, type ClientRequest, type IncomingMessage, type Server, request as sendRequest } from "node:http";
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { LoopbackSocket } from "./loopback-socket.ts";

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } =
  constants;

/** How many requests one connection may have at once. */
const STREAMS_MAX = 128;
/** As large as node:http takes a head of HTTP/1.1. */
const HEAD_BYTES_MAX = 16 * 1024;
const HEADERS_MAX = 128;
/** How much of its bodies a connection may send before they are read. A stream's own share is the usual 64 KiB. */
const SESSION_WINDOW_BYTES = 1024 * 1024;
/** A connection without requests is closed after this time, as one of HTTP/1.1 is. */
const IDLE_MS = 75_000;
/** How many requests a client may cancel at once, and how many more each second, before its connection is closed. */
const CANCELS_MAX = 200;
const CANCELS_PER_SECOND = 20;

/** These belong to a connection of HTTP/1.1, or to the gateway between the two. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Serves HTTP/2 by a server of HTTP/1.1: each stream is a request to it, on a connection inside this process. So a
 * request takes the same path whichever version it came by, and the path knows one version only.
 */
export class Http2Sessions {
  readonly #server: Http2Server;
  readonly #inner: Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  #onEmpty: () => void = () => undefined;

  constructor(inner: Server) {
    this.#inner = inner;
    this.#server = createServer({
      settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEAD_BYTES_MAX, enablePush: false },
      maxHeaderListPairs: HEADERS_MAX,
    });
    this.#server.on("session", (session) => this.#serve(session));
    this.#server.on("sessionError", () => undefined);
  }

  /** Serves a connection that has agreed on HTTP/2. */
  accept(socket: TLSSocket): void {
    this.#server.emit("connection", socket);
  }

  /** Takes no more requests on the open connections. Each is closed after its last answer. */
  close(): void {
    for (const session of this.#sessions) session.close();
  }

  destroy(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Resolves when no connection is open. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#sessions.size === 0) resolve();
    });
  }

  #serve(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    const connections = new LoopbackAgent(this.#inner, session.socket as TLSSocket);
    const cancels = new CancelLimit();
    let streams = 0;
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    session.setTimeout(IDLE_MS, () => {
      if (streams === 0) session.close();
    });
    session.on("error", () => undefined);
    session.once("close", () => {
      connections.destroy();
      this.#sessions.delete(session);
      if (this.#sessions.size === 0) this.#onEmpty();
    });
    session.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
      streams++;
      stream.once("close", () => {
        streams--;
        if (stream.rstCode !== NGHTTP2_CANCEL || cancels.allows()) return;
        session.goaway(NGHTTP2_ENHANCE_YOUR_CALM);
        session.destroy();
      });
      serveStream(stream, headers[":method"] === "HEAD", raw, connections);
    });
  }
}

/** The connections to the inner server for one session. Those without a request are kept for the next. */
class LoopbackAgent extends Agent {
  readonly #inner: Server;
  readonly #client: TLSSocket;

  constructor(inner: Server, client: TLSSocket) {
    super({ keepAlive: true, maxFreeSockets: 16 });
    this.#inner = inner;
    this.#client = client;
  }

  override createConnection(): Duplex {
    const [near, far] = LoopbackSocket.pair(this.#client);
    this.#inner.emit("connection", far);
    return near;
  }
}

/** Counts the requests that a client cancels: beginning and cancelling them costs the client nothing. */
class CancelLimit {
  #left = CANCELS_MAX;
  #countedMs = performance.now();

  /** Counts one. Returns false where there were too many. */
  allows(): boolean {
    const now = performance.now();
    this.#left = Math.min(CANCELS_MAX, this.#left + ((now - this.#countedMs) / 1_000) * CANCELS_PER_SECOND) - 1;
    this.#countedMs = now;
    return this.#left >= 0;
  }
}

/** Sends the request of a stream to the inner server, and its answer back. The end of either side ends the other. */
function serveStream(
  stream: ServerHttp2Stream,
  isHead: boolean,
  rawHeaders: readonly string[],
  connections: Agent,
): void {
  stream.on("error", () => undefined);
  const request = openRequest(rawHeaders, stream.endAfterHeaders, connections);
  if (request === undefined) {
    stream.respond({ ":status": 400 }, { endStream: true });
    return;
  }
  let isAnswered = false;
  request.once("response", (response) => {
    isAnswered = true;
    try {
      answer(stream, isHead, response);
    } catch {
      // A header that HTTP/2 does not allow.
      stream.close(NGHTTP2_INTERNAL_ERROR);
    }
  });
  request.on("error", () => {
    // Once the answer has begun, its own end says how it ended.
    if (isAnswered || stream.destroyed) return;
    // A kept connection that was just closed has read nothing: the client may send the request again.
    stream.close(request.reusedSocket ? NGHTTP2_REFUSED_STREAM : NGHTTP2_INTERNAL_ERROR);
  });
  stream.once("close", () => request.destroy());
  if (stream.endAfterHeaders) request.end();
  else stream.pipe(request);
}

/** The request of a stream as one of HTTP/1.1; undefined: it can't be one. */
function openRequest(rawHeaders: readonly string[], hasNoBody: boolean, connections: Agent): ClientRequest | undefined {
  const pseudo = new Map<string, string>();
  const headers: string[] = [];
  const cookies: string[] = [];
  let host: string | undefined;
  let hasLength = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    if (name.startsWith(":")) pseudo.set(name, value);
    else if (name === "host") host = value;
    // HTTP/2 may send one cookie per header.
    else if (name === "cookie") cookies.push(value);
    else if (!CONNECTION_HEADERS.has(name)) {
      headers.push(name, value);
      if (name === "content-length") hasLength = true;
    }
  }
  const method = pseudo.get(":method");
  const path = pseudo.get(":path");
  if (method === undefined || method === "CONNECT" || path === undefined) return undefined;
  const authority = pseudo.get(":authority") ?? host;
  if (authority !== undefined) headers.push("host", authority);
  if (cookies.length > 0) headers.push("cookie", cookies.join("; "));
  if (!hasLength && !hasNoBody) headers.push("transfer-encoding", "chunked");
  if (!hasLength && hasNoBody && method !== "GET" && method !== "HEAD") headers.push("content-length", "0");
  try {
    return sendRequest({ agent: connections, method, path, headers, setHost: false });
  } catch {
    // Characters that a head of HTTP/1.1 can't have.
    return undefined;
  }
}

function answer(stream: ServerHttp2Stream, isHead: boolean, response: IncomingMessage): void {
  if (stream.destroyed || stream.closed) return void response.destroy();
  const { statusCode = 500 } = response;
  const hasNoBody = isHead || statusCode === 204 || statusCode === 304;
  stream.respond(toHttp2Headers(statusCode, response.rawHeaders), { endStream: hasNoBody });
  if (hasNoBody) return void response.resume();
  response.pipe(stream);
  response.once("close", () => {
    // An answer that breaks off must not look complete, as it would by `close`, which ends the stream first.
    if (!response.complete) stream.destroy(new Error("The answer broke off."));
  });
  // The answer may be complete before the request is, such as a refusal. The rest of the request is not wanted.
  stream.once("finish", () => {
    if (!stream.endAfterHeaders && !stream.readableEnded) stream.close(NGHTTP2_NO_ERROR);
  });
}

function toHttp2Headers(status: number, rawHeaders: readonly string[]): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    const value = rawHeaders[at + 1] ?? "";
    if (CONNECTION_HEADERS.has(name)) continue;
    const others = headers[name];
    if (others === undefined) headers[name] = value;
    else headers[name] = Array.isArray(others) ? [...others, value] : [others, value];
  }
  return { ":status": status, ...headers };
}
