/** The largest head that is read, in bytes; as Node's own default. */
const HEAD_BYTES_MAX = 16 * 1024;
/** The longest line before a chunk, and the longest trailers after the last one. */
const CHUNK_LINE_BYTES_MAX = 16 * 1024;
/** More digits than any length has that a number holds exactly. */
const HEX_DIGITS_MAX = 12;
const HEADER_NAMES_MAX = 1_000;
/** How many headers of the last response are remembered. */
const LAST_HEADERS_MAX = 32;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const SEMICOLON = 0x3b;
const NO_BYTES = Buffer.alloc(0);
const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** Receives a response while it is parsed. */
export interface ResponseListener {
  /** The head of the response. Informational responses are skipped. */
  onHead(status: number, headers: ResponseHeaders): void;
  /** The bytes in this range are the body's. They are valid only during the call: the socket's next read overwrites them. */
  onData(bytes: Buffer, from: number, to: number): void;
  /** The response is complete. */
  onEnd(): void;
}

/** The headers of a response, by names in small letters. Those that come several times are joined by commas. */
export type ResponseHeaders = Record<string, string | undefined>;

/** A response that does not follow the protocol. */
export class InvalidResponse extends Error {
  override readonly name = "InvalidResponse";
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

/** A header of the last response. */
interface LastHeader {
  /** Its name as it was written. */
  readonly written: string;
  readonly name: string;
  /** undefined: it was not ASCII. */
  value: string | undefined;
}

type State =
  | "head"
  | "fixed-length"
  | "until-close"
  | "chunk-size"
  | "chunk-extension"
  | "chunk-size-end"
  | "chunk-data"
  | "chunk-data-cr"
  | "chunk-data-lf"
  | "trailer-start"
  | "trailer"
  | "trailer-lf"
  | "last-lf"
  | "over";

/**
 * Parses the HTTP/1 responses of one connection, one after the other, from bytes cut anywhere. As strict as it can be:
 * where two readers could disagree on where a response ends, it is refused.
 */
export class ResponseParser {
  #listener: ResponseListener | undefined;
  #state: State = "over";
  /** The part of the head that has come. */
  #head: Buffer = NO_BYTES;
  #isUntouched = false;
  /** How many bytes of the body, or of the current chunk, are still to come. */
  #remaining = 0;
  #digits = 0;
  #lineBytes = 0;
  #keepsAlive = false;
  #keepAliveSeconds: number | undefined;
  /** The headers of the last response, by their places: most come again in the same place, many with the same value. */
  readonly #lastHeaders: LastHeader[] = [];

  /** Whether nothing has come since the next response is expected, not even information before it. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** Whether the connection may carry another request after this response. */
  get keepsAlive(): boolean {
    return this.#keepsAlive;
  }

  /** How long the other side keeps an idle connection, where it says so. */
  get keepAliveSeconds(): number | undefined {
    return this.#keepAliveSeconds;
  }

  /** Prepares for the response to the next request. */
  start(listener: ResponseListener): void {
    this.#listener = listener;
    this.#state = "head";
    this.#head = NO_BYTES;
    this.#isUntouched = true;
  }

  /** Takes the next bytes. Throws InvalidResponse. */
  push(bytes: Buffer): void {
    this.#isUntouched = false;
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case "head":
          at = this.#readHead(bytes, at);
          break;
        case "fixed-length":
        case "chunk-data":
          at = this.#readCounted(bytes, at);
          break;
        case "until-close":
          this.#listener?.onData(bytes, at, bytes.length);
          return;
        case "over":
          throw new InvalidResponse("more came than was asked for");
        default:
          this.#readFraming(bytes[at] ?? 0);
          at += 1;
      }
    }
  }

  /** The other side has closed the connection. Returns whether that completes the response. */
  close(): boolean {
    if (this.#state !== "until-close") return this.#state === "over";
    this.#end();
    return true;
  }

  /** Returns where the bytes after the head begin. */
  #readHead(bytes: Buffer, from: number): number {
    const before = this.#head.length;
    const all = before === 0 ? bytes : Buffer.concat([this.#head, bytes.subarray(from)]);
    const start = before === 0 ? from : 0;
    // The end may be cut: three of its bytes may have come before.
    const end = all.indexOf(END_OF_HEAD, Math.max(start, before - 3));
    if ((end === -1 ? all.length : end) - start > HEAD_BYTES_MAX)
      throw new InvalidResponse("its head is too large", true);
    if (end === -1) {
      this.#head = before === 0 ? Buffer.from(all.subarray(start)) : all;
      if (!"HTTP/1.".startsWith(this.#head.toString("latin1", 0, 7)))
        throw new InvalidResponse("it does not begin as HTTP");
      return bytes.length;
    }
    this.#head = NO_BYTES;
    this.#takeHead(all.toString("latin1", start, end));
    return from + (end + END_OF_HEAD.length - start - before);
  }

  #takeHead(head: string): void {
    const lineEnd = head.indexOf("\r\n");
    if (!STATUS_LINE.test(head) || FORBIDDEN_IN_HEAD.test(head)) throw new InvalidResponse("its head is malformed");
    const status = 100 * digitAt(head, 9) + 10 * digitAt(head, 10) + digitAt(head, 11);
    const headers = lineEnd === -1 ? newHeaders() : parseHeaders(head, lineEnd + 2, this.#lastHeaders);
    // After that another protocol would follow, which was not asked for.
    if (status === 101) throw new InvalidResponse("it switches the protocol");
    if (status < 200) return;
    const { connection } = headers;
    this.#keepsAlive =
      head.charCodeAt(7) === 0x31
        ? connection === undefined || !LISTS_CLOSE.test(connection)
        : connection !== undefined && LISTS_KEEP_ALIVE.test(connection);
    const hint = headers["keep-alive"];
    this.#keepAliveSeconds = hint === undefined ? undefined : keepAliveSecondsOf(hint);
    this.#startBody(status, headers);
    this.#listener?.onHead(status, headers);
    if (this.#state === "fixed-length" && this.#remaining === 0) this.#end();
  }

  /** Decides how the end of the body is found. */
  #startBody(status: number, headers: ResponseHeaders): void {
    const length = headers["content-length"];
    const encoding = headers["transfer-encoding"];
    this.#state = "fixed-length";
    this.#remaining = 0;
    if (status === 204 || status === 304) return;
    if (encoding !== undefined) {
      if (length !== undefined) throw new InvalidResponse("it has two lengths");
      const isChunked = ENDS_CHUNKED.test(encoding);
      this.#state = isChunked ? "chunk-size" : "until-close";
      this.#digits = 0;
      if (!isChunked) this.#keepsAlive = false;
    } else if (length === undefined) {
      this.#state = "until-close";
      this.#keepsAlive = false;
    } else {
      if (!LENGTH.test(length)) throw new InvalidResponse("its length is not a number");
      this.#remaining = Number(length);
    }
  }

  #readCounted(bytes: Buffer, from: number): number {
    const end = Math.min(bytes.length, from + this.#remaining);
    this.#remaining -= end - from;
    this.#listener?.onData(bytes, from, end);
    if (this.#remaining > 0) return end;
    if (this.#state === "chunk-data") this.#state = "chunk-data-cr";
    // The listener may have ended the exchange over these bytes.
    else if (this.#state === "fixed-length") this.#end();
    return end;
  }

  /** Reads one byte of what stands around chunks. */
  #readFraming(byte: number): void {
    switch (this.#state) {
      case "chunk-size": {
        const digit = hexDigitOf(byte);
        if (digit !== -1) {
          this.#remaining = this.#digits === 0 ? digit : this.#remaining * 16 + digit;
          this.#digits += 1;
          if (this.#digits > HEX_DIGITS_MAX) throw new InvalidResponse("a chunk is too large");
          return;
        }
        if (this.#digits === 0) throw new InvalidResponse("a chunk has no size");
        this.#lineBytes = 0;
        if (byte === CR) this.#state = "chunk-size-end";
        else if (byte === SEMICOLON || byte === SPACE || byte === TAB) this.#state = "chunk-extension";
        else throw new InvalidResponse("a chunk's size is not a number");
        return;
      }
      case "chunk-extension":
        if (byte === CR) this.#state = "chunk-size-end";
        else this.#countLineByte(byte);
        return;
      case "chunk-size-end":
        expectByte(byte, LF);
        this.#digits = 0;
        this.#lineBytes = 0;
        this.#state = this.#remaining === 0 ? "trailer-start" : "chunk-data";
        return;
      case "chunk-data-cr":
        expectByte(byte, CR);
        this.#state = "chunk-data-lf";
        return;
      case "chunk-data-lf":
        expectByte(byte, LF);
        this.#state = "chunk-size";
        return;
      // Trailers are skipped. An empty line ends them.
      case "trailer-start":
        this.#state = byte === CR ? "last-lf" : "trailer";
        if (byte !== CR) this.#countLineByte(byte);
        return;
      case "trailer":
        if (byte === CR) this.#state = "trailer-lf";
        else this.#countLineByte(byte);
        return;
      case "trailer-lf":
        expectByte(byte, LF);
        this.#state = "trailer-start";
        return;
      default:
        expectByte(byte, LF);
        this.#end();
    }
  }

  #countLineByte(byte: number): void {
    this.#lineBytes += 1;
    if (byte === LF || this.#lineBytes > CHUNK_LINE_BYTES_MAX) throw new InvalidResponse("a line has no end");
  }

  #end(): void {
    const listener = this.#listener;
    this.#state = "over";
    this.#listener = undefined;
    listener?.onEnd();
  }
}

/** A status line ends at the first line break. */
const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: |\r\n|$)/;
const ENDS_CHUNKED = /(?:^|[ \t,])chunked$/i;
const LENGTH = /^\d{1,15}$/;
const LISTS_CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;
const LISTS_KEEP_ALIVE = /(?:^|,)\s*keep-alive\s*(?:,|$)/i;
const NOT_ASCII = /[\x80-\xff]/;
const KEEP_ALIVE_TIMEOUT = /(?:^|[,\s])timeout=(\d{1,9})/i;
/** Control characters, and line breaks that are not whole. */
const FORBIDDEN_IN_HEAD = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Names of headers as they were written, in small letters. The same ones come again and again. */
const knownNames = new Map<string, string>();

function newHeaders(): ResponseHeaders {
  // What a provider names must not be found among the properties of objects.
  return Object.create(null) as ResponseHeaders;
}

function parseHeaders(head: string, from: number, lastHeaders: LastHeader[]): ResponseHeaders {
  const headers = newHeaders();
  for (let at = from, place = 0; at < head.length; place += 1) {
    const found = head.indexOf("\r\n", at);
    const end = found === -1 ? head.length : found;
    const colon = head.indexOf(":", at);
    if (colon === -1 || colon > end) throw new InvalidResponse("a header has no value");
    let header = lastHeaders[place];
    if (header === undefined || !hasAt(head, at, colon, header.written)) {
      header = namedHeader(head.slice(at, colon));
      if (place < LAST_HEADERS_MAX) lastHeaders[place] = header;
    }
    const { name } = header;
    const value = decodeValue(head, colon + 1, end, header);
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
    at = end + 2;
  }
  return headers;
}

function namedHeader(written: string): LastHeader {
  const name = headerNameOf(written);
  if (name === undefined) throw new InvalidResponse("a header's name is malformed");
  return { written, name, value: undefined };
}

/** Whether this is what the text has between two places. */
function hasAt(text: string, from: number, to: number, expected: string): boolean {
  return expected.length === to - from && text.startsWith(expected, from);
}

/** The header's name in small letters; undefined if it is none. */
export function headerNameOf(written: string): string | undefined {
  const known = knownNames.get(written);
  if (known !== undefined) return known;
  if (!HEADER_NAME.test(written)) return undefined;
  const name = written.toLowerCase();
  if (knownNames.size < HEADER_NAMES_MAX) knownNames.set(written, name);
  return name;
}

function decodeValue(head: string, from: number, to: number, header: LastHeader): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(head.charCodeAt(start))) start += 1;
  while (end > start && isBlank(head.charCodeAt(end - 1))) end -= 1;
  if (header.value !== undefined && hasAt(head, start, end, header.value)) return header.value;
  const value = head.slice(start, end);
  const isAscii = !NOT_ASCII.test(value);
  header.value = isAscii ? value : undefined;
  return isAscii ? value : Buffer.from(value, "latin1").toString("utf8");
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function keepAliveSecondsOf(hint: string): number | undefined {
  const seconds = KEEP_ALIVE_TIMEOUT.exec(hint)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function expectByte(byte: number, expected: number): void {
  if (byte !== expected) throw new InvalidResponse("a chunk does not end where it should");
}

function digitAt(text: string, place: number): number {
  return text.charCodeAt(place) - 0x30;
}

function hexDigitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  return -1;
}
