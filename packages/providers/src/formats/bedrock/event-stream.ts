import { EventStreamCodec } from "@smithy/eventstream-codec";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";

/** An event with its name, or an error in place of one. */
export interface StreamEvent {
  readonly type: "event" | "exception";
  /** For example `contentBlockDelta` or `throttlingException`. */
  readonly name: string;
  readonly body: unknown;
}

const LENGTH_BYTES = 4;
/** Lengths and checksums only. */
const MESSAGE_BYTES_MIN = 16;

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8")),
  (text) => Buffer.from(text, "utf8"),
);

/** Finds the events in an AWS event stream that arrives in pieces cut anywhere. */
export class EventStreamDecoder {
  readonly #messageBytesMax: number;
  /** Unprocessed bytes; joined only when an event is complete, however small the pieces are. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #bytesNeeded = LENGTH_BYTES;

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax;
  }

  /** Takes the next bytes. `next` then returns the events that they complete. */
  push(bytes: Buffer): void {
    this.#keep(Buffer.from(bytes));
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /** The next event; undefined: more bytes are needed. */
  next(): StreamEvent | undefined {
    while (this.#bytes >= this.#bytesNeeded) {
      const joined = Buffer.concat(this.#pieces);
      const length = joined.readUInt32BE(0);
      if (length < MESSAGE_BYTES_MIN) throw invalidEventStream();
      if (length > this.#messageBytesMax)
        throw new ProviderFailure("too-large", `sent an event of more than ${this.#messageBytesMax} bytes`);
      const isWhole = joined.length >= length;
      this.#bytesNeeded = isWhole ? LENGTH_BYTES : length;
      this.#pieces = [];
      this.#bytes = 0;
      this.#keep(joined.subarray(isWhole ? length : 0));
      if (isWhole) return readEvent(joined.subarray(0, length));
    }
    return undefined;
  }

  /** Call at the end of the body. Throws where it is incomplete. */
  end(): void {
    if (this.#bytes > 0) throw invalidEventStream();
  }
}

function readEvent(message: Buffer): StreamEvent {
  try {
    const { headers, body } = codec.decode(message);
    const header = (name: string) => String(headers[name]?.value ?? "");
    const text = Buffer.from(body).toString("utf8");
    if (header(":message-type") === "error")
      return { type: "exception", name: header(":error-code"), body: { message: header(":error-message") } };
    const isException = header(":message-type") === "exception";
    return {
      type: isException ? "exception" : "event",
      name: header(isException ? ":exception-type" : ":event-type"),
      body: text === "" ? {} : JSON.parse(text),
    };
  } catch (error) {
    throw invalidEventStream(error);
  }
}

function invalidEventStream(cause?: unknown): ProviderFailure {
  return new ProviderFailure("broken", "the answer is no whole event stream", {}, { cause });
}
