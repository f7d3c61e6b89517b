import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Writable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { Fault } from "@trunkline/core/fault.ts";
import { TimeSlice } from "@trunkline/guard/time-slice.ts";
import { decoderFor, decompressBody } from "./decompress-body.ts";
import { HeldBodyRequest } from "./held-body.ts";

/** Told how many bytes of a body there are, or will be, before they are read. Throws where they may not be read. */
export interface BodyMeter {
  growTo(bytes: number): void;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body as text within its size and time limits. What is not JSON in UTF-8 is refused here. A body that has
 * arrived as a whole is returned at once.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
  meter?: BodyMeter,
): string | Promise<string> {
  requireJsonBody(request.headers["content-type"] ?? "");
  const bytes = readBytes(request, limitBytes, waitMs, meter);
  return Buffer.isBuffer(bytes) ? decodeBody(bytes) : bytes.then(decodeBody);
}

/** Longer bodies are decoded in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

function decodeBody(bytes: Buffer): string | Promise<string> {
  // Most bodies are plain ASCII, which needs no decoding.
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (bytes.length > PIECE_BYTES) return decodeLargeBody(bytes);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw invalidUtf8Fault(error);
  }
}

/** Yields to other requests meanwhile. */
async function decodeLargeBody(bytes: Buffer): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const timeSlice = new TimeSlice();
  const pieces: string[] = [];
  try {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      pieces.push(decoder.decode(bytes.subarray(start, start + PIECE_BYTES), { stream: true }));
      if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    }
    pieces.push(decoder.decode());
  } catch (error) {
    throw invalidUtf8Fault(error);
  }
  return pieces.join("");
}

function invalidUtf8Fault(cause: unknown): Fault {
  return new Fault("invalid_request", "The body is not valid UTF-8.", {}, { cause });
}

/** Reads a body of any form within its size and time limits. */
export function readBytes(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
  meter?: BodyMeter,
): Buffer | Promise<Buffer> {
  const decoder = decoderFor(request.headers["content-encoding"]);
  const sent = readSentBytes(request, limitBytes, waitMs, meter);
  return decoder === undefined ? sent : decompressWithin(sent, decoder, limitBytes, meter);
}

/** The limit and the meter count the bytes of a body as it was before its compression, too. */
async function decompressWithin(
  sent: Buffer | Promise<Buffer>,
  decoder: NonNullable<ReturnType<typeof decoderFor>>,
  limitBytes: number,
  meter: BodyMeter | undefined,
): Promise<Buffer> {
  return decompressBody(await sent, decoder, (size) => {
    if (size > limitBytes) throw bodyTooLargeFault(limitBytes);
    meter?.growTo(size);
  });
}

function readSentBytes(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
  meter: BodyMeter | undefined,
): Buffer | Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw bodyTooLargeFault(limitBytes);
  meter?.growTo(announced);
  return takeArrived(request, announced, limitBytes) ?? collectBytes(request, limitBytes, waitMs, meter);
}

const NO_BYTES = Buffer.alloc(0);

/** A body that has arrived and that nobody has begun to read. Most are sent together with their headers. */
function takeArrived(request: IncomingMessage, announced: number, limitBytes: number): Buffer | undefined {
  if (request.destroyed || request.readableDidRead) return undefined;
  const held = request instanceof HeldBodyRequest ? request.takeBody() : undefined;
  if (held !== undefined) return withinLimit(held, limitBytes);
  // The last byte may be here before node:http has noticed that it is the last.
  const isWhole = request.complete || (announced > 0 && request.readableLength === announced);
  if (!isWhole) return undefined;
  const bytes: Buffer | null = request.read();
  // The end is still to be read, too: before that, the request does not count as complete.
  request.resume();
  return withinLimit(bytes ?? NO_BYTES, limitBytes);
}

function withinLimit(bytes: Buffer, limitBytes: number): Buffer {
  if (bytes.length > limitBytes) throw bodyTooLargeFault(limitBytes);
  return bytes;
}

const JSON_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
]);

/** Whether a content type is one of the usual ways to write JSON in UTF-8. There are others. */
export function isPlainJsonType(contentType: string): boolean {
  return JSON_TYPES.has(contentType);
}

function requireJsonBody(contentType: string): void {
  if (isPlainJsonType(contentType)) return;
  if (!/^application\/(?:scim\+)?json *(;|$)/i.test(contentType)) {
    throw new Fault("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`.");
  }
  if (/charset="?(?!utf-?8\b)[\w-]+/i.test(contentType)) {
    throw new Fault("unsupported_media_type", "Send the body in UTF-8.");
  }
}

function collectBytes(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
  meter: BodyMeter | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Where the client disconnected before this point, no `close` event follows.
    if (request.destroyed && !request.readableEnded) {
      reject(new Fault("invalid_request", "The body broke off."));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) return fail(bodyTooLargeFault(limitBytes));
      try {
        meter?.growTo(size);
      } catch (error) {
        return fail(error);
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      clearTimeout(timer);
      const [only = NO_BYTES] = chunks;
      resolve(chunks.length < 2 ? only : Buffer.concat(chunks, size));
    };
    const onGone = () => {
      // A complete request closes, too.
      if (!request.readableEnded) fail(new Fault("invalid_request", "The body broke off."));
    };
    const fail = (fault: unknown) => {
      clearTimeout(timer);
      request.off("data", onData);
      reject(fault);
    };
    const timer = setTimeout(
      () => fail(new Fault("request_timeout", "The body did not arrive in time. Send it again.")),
      waitMs,
    );
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** How long, and for how many bytes, a client may go on to send a body that is not read. */
const DISCARD_MS_MAX = 5_000;
const DISCARD_BYTES_MAX = 1024 * 1024;
const DISCARD_LOOK_MS = 50;

/**
 * Drops the rest of a body whose request is answered: a client that is still sending would miss the answer if the
 * connection just closed. A body without an end closes it all the same.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  const bytesMax = socket.bytesRead + Math.max(DISCARD_BYTES_MAX, Number(request.headers["content-length"] ?? 0));
  const endMs = performance.now() + DISCARD_MS_MAX;
  request.resume();
  const look = setInterval(() => {
    if (!request.complete && !socket.destroyed && socket.bytesRead <= bytesMax && performance.now() < endMs) return;
    clearInterval(look);
    if (!request.complete) socket.destroy();
  }, DISCARD_LOOK_MS);
}

export function bodyTooLargeFault(limitBytes: number): Fault {
  return new Fault("payload_too_large", `The body is larger than ${limitBytes.toLocaleString("en")} bytes. Send less.`);
}

const FORM_LIMITS = {
  fieldNameSize: 128,
  fieldSize: 64 * 1024,
  fields: 64,
  files: 17,
  parts: 64,
  headerPairs: 16,
  headerSize: 8 * 1024,
} as const;

/** A file of a form. */
export class FormFile {
  readonly name: string;
  /** As the client sends it; "" where it sends none. */
  readonly mediaType: string;
  readonly bytes: Buffer;

  constructor(name: string, mediaType: string, bytes: Buffer) {
    this.name = name;
    this.mediaType = mediaType;
    this.bytes = bytes;
  }
}

/** A complete form. */
interface Form {
  /** Texts and files by name; a name that ends in `[]` makes a list. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** A digest of all fields and files, which does not depend on the boundary. */
  readonly digest: string;
}

/**
 * Reads a multipart form within its size and time limits. The whole body is in memory before it is parsed, so that a form
 * that never ends, or ends in the middle, costs no more than its bytes.
 */
export async function readMultipart(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
  meter?: BodyMeter,
): Promise<Form> {
  const contentType = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data *;.*\bboundary=/i.test(contentType)) {
    throw new Fault(
      "unsupported_media_type",
      "Send the body as a form with `Content-Type: multipart/form-data` and its boundary.",
    );
  }
  const bytes = await readBytes(request, limitBytes, waitMs, meter);
  const formEntries = await parseForm(bytes, contentType);
  return { fields: toFields(formEntries), digest: formDigest(formEntries) };
}

type FormEntry = readonly [name: string, value: string | FormFile];

function parseForm(bytes: Buffer, contentType: string): Promise<FormEntry[]> {
  return new Promise((resolve, reject) => {
    const formEntries: FormEntry[] = [];
    const files: (() => FormEntry)[] = [];
    const fail = (sentence: string, param?: string) =>
      reject(new Fault("invalid_request", sentence, param === undefined ? {} : { param }));
    const failWhole = () => fail("The body is not a whole multipart form.");
    const busboy = createFormParser(contentType);
    busboy.on("field", (name, value, nameIsCut, valueIsCut) => {
      if (nameIsCut) fail("A field of the form has a name that is too long.");
      else if (valueIsCut) fail(`\`${name}\` is too long.`, name);
      else formEntries.push([name, value]);
    });
    busboy.on("file", (name, stream, fileName, _encoding, mediaType) => {
      const pieces: Buffer[] = [];
      files.push(() => [name, new FormFile(fileName ?? "", mediaType ?? "", Buffer.concat(pieces))]);
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      // A file that breaks off raises an error on its own stream only.
      stream.on("error", failWhole);
    });
    for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const)
      busboy.on(limit, () => fail("The form has too many fields."));
    busboy.on("error", failWhole);
    busboy.on("finish", () => resolve([...formEntries, ...files.map((read) => read())]));
    feedInPieces(busboy, bytes).then(failWhole, failWhole);
  });
}

/** Yields to other requests meanwhile. Resolves when the parser has come as far as it ever will. */
async function feedInPieces(busboy: Writable, bytes: Buffer): Promise<void> {
  const timeSlice = new TimeSlice();
  for (let start = 0; start < bytes.length && !busboy.destroyed; start += PIECE_BYTES) {
    busboy.write(bytes.subarray(start, start + PIECE_BYTES));
    if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
  }
  busboy.end();
  // It says nothing of a part whose headers do not end. All bytes are there, so it is done before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
}

function createFormParser(contentType: string) {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits: FORM_LIMITS });
  } catch (error) {
    throw new Fault("unsupported_media_type", "The form's boundary can't be read.", {}, { cause: error });
  }
}

function toFields(formEntries: readonly FormEntry[]): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of formEntries) {
    const list = /^(.+)\[\]$/.exec(name)?.[1];
    if (list === undefined) {
      // Two readers of such a form may disagree on its value.
      if (fields.has(name)) throw new Fault("invalid_request", `\`${name}\` is given twice.`, { param: name });
      fields.set(name, value);
    } else {
      const before = fields.get(list);
      fields.set(list, Array.isArray(before) ? [...before, value] : [value]);
    }
  }
  return Object.fromEntries(fields);
}

/** A client that repeats a request sends the same parts with another boundary. */
function formDigest(formEntries: readonly FormEntry[]): string {
  const content = formEntries.map(([name, value]) =>
    typeof value === "string"
      ? [name, value]
      : [name, value.name, value.mediaType, createHash("sha256").update(value.bytes).digest("hex")],
  );
  return JSON.stringify(content);
}
