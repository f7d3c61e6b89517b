import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Busboy } from "@fastify/busboy";
import { Fault } from "@trunkline/core/fault.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body as text within its size and time limits. What is not JSON in UTF-8 is refused here. A body that has
 * arrived as a whole is returned at once.
 */
export function readBody(request: IncomingMessage, limitBytes: number, waitMs: number): string | Promise<string> {
  requireJsonBody(request.headers["content-type"] ?? "");
  const bytes = readBytes(request, limitBytes, waitMs);
  return Buffer.isBuffer(bytes) ? decodeBody(bytes) : bytes.then(decodeBody);
}

function decodeBody(bytes: Buffer): string {
  // Most bodies are plain ASCII, which needs no decoding.
  if (isAscii(bytes)) return bytes.toString("latin1");
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Fault("invalid_request", "The body is not valid UTF-8.", {}, { cause: error });
  }
}

/** Reads a body of any form within its size and time limits. */
export function readBytes(request: IncomingMessage, limitBytes: number, waitMs: number): Buffer | Promise<Buffer> {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new Fault("unsupported_media_type", "Compressed bodies are not taken. Send it plain.");
  }
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw bodyTooLargeFault(limitBytes);
  return takeArrived(request, announced, limitBytes) ?? collectBytes(request, limitBytes, waitMs);
}

const NO_BYTES = Buffer.alloc(0);

/** A body that has arrived and that nobody has begun to read. Most are sent together with their headers. */
function takeArrived(request: IncomingMessage, announced: number, limitBytes: number): Buffer | undefined {
  if (request.destroyed || request.readableDidRead) return undefined;
  // The last byte may be here before node:http has noticed that it is the last.
  const isWhole = request.complete || (announced > 0 && request.readableLength === announced);
  if (!isWhole) return undefined;
  const bytes: Buffer | null = request.read();
  // The end is still to be read, too: before that, the request does not count as complete.
  request.resume();
  if (bytes !== null && bytes.length > limitBytes) throw bodyTooLargeFault(limitBytes);
  return bytes ?? NO_BYTES;
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
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new Fault("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`.");
  }
  if (/charset="?(?!utf-?8\b)[\w-]+/i.test(contentType)) {
    throw new Fault("unsupported_media_type", "Send the body in UTF-8.");
  }
}

function collectBytes(request: IncomingMessage, limitBytes: number, waitMs: number): Promise<Buffer> {
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
      if (size > limitBytes) fail(bodyTooLargeFault(limitBytes));
      else chunks.push(chunk);
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
    const fail = (fault: Fault) => {
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

export function bodyTooLargeFault(limitBytes: number): Fault {
  return new Fault("payload_too_large", `The body is larger than ${limitBytes.toLocaleString("en")} bytes. Send less.`);
}

const FORM_LIMITS = {
  fieldNameSize: 128,
  fieldSize: 64 * 1024,
  fields: 64,
  files: 4,
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
export async function readMultipart(request: IncomingMessage, limitBytes: number, waitMs: number): Promise<Form> {
  const contentType = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data *;.*\bboundary=/i.test(contentType)) {
    throw new Fault(
      "unsupported_media_type",
      "Send the body as a form with `Content-Type: multipart/form-data` and its boundary.",
    );
  }
  const bytes = await readBytes(request, limitBytes, waitMs);
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
    busboy.end(bytes);
  });
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
