import { DialFailure, type DialLimits, type DialResponse } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { parseRetryAfter } from "@trunkline/providers/http/rate-limit.ts";
import type { SendBatch, SendResult } from "./batch-queue.ts";
import type { Envelope } from "./otlp-json.ts";

/** Where a signal is sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly mayDialPrivate: boolean;
}

/** Where a signal of the service itself is sent, and how. */
export interface OtlpSignal extends OtlpTarget {
  /** Whether it is sent as JSON instead of protobuf. */
  readonly asJson: boolean;
}

/** The answers of a receiver that OTLP says to try again after. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const RESPONSE_BYTES_MAX = 64 * 1024;

/** The form in which items of a signal are sent. */
export interface OtlpForm {
  readonly contentType: string;
  /** Writes an item. */
  readonly write: (item: object) => Buffer;
  /** Puts items into the message that is sent. */
  readonly envelop: (items: readonly Buffer[]) => Buffer;
}

export function jsonForm(envelope: Envelope): OtlpForm {
  const before = Buffer.from(envelope.before);
  const after = Buffer.from(envelope.after);
  return {
    contentType: "application/json",
    write: (item) => Buffer.from(JSON.stringify(item)),
    envelop: (items) =>
      Buffer.concat([...items.flatMap((item, at) => (at === 0 ? [before, item] : [COMMA, item])), after]),
  };
}

const COMMA = Buffer.from(",");

/** Sends items of one signal by OTLP/HTTP. */
export function createOtlpSender(dialer: Dialer, target: OtlpTarget, form: OtlpForm): SendBatch<Buffer> {
  return (items, signal) => postBatch(dialer, target, form.envelop(items), form.contentType, signal);
}

/** Sends a batch, and reads from the answer whether it may be sent again. */
export async function postBatch(
  dialer: Dialer,
  { url, headers, timeoutMs, mayDialPrivate }: OtlpTarget,
  body: string | Buffer,
  contentType: string,
  signal: AbortSignal,
): Promise<SendResult> {
  const limits = batchLimits(timeoutMs);
  const request = { url, mayDialPrivate, headers: { "content-type": contentType, ...headers }, body, limits };
  try {
    return await readResult(await dialer.post(request, signal));
  } catch (error) {
    return failureResult(error);
  }
}

export function batchLimits(timeoutMs: number): DialLimits {
  return {
    connectMs: timeoutMs,
    firstByteMs: timeoutMs,
    silenceMs: timeoutMs,
    wholeMs: timeoutMs,
    responseBytes: RESPONSE_BYTES_MAX,
    chunkBytes: RESPONSE_BYTES_MAX,
  };
}

/** What a failure to reach the receiver means for a batch. Throws where the call was aborted. */
export function failureResult(error: unknown): SendResult {
  if (!(error instanceof DialFailure) || error.kind === "aborted") throw error;
  const isFinal = error.kind === "forbidden-address";
  return { kind: isFinal ? "rejected" : "later", reason: error.message };
}

/** What a receiver's answer means for a batch. */
export async function readResult(response: DialResponse): Promise<SendResult> {
  const { status } = response;
  if (status >= 200 && status < 300) {
    response.discardBody();
    return { kind: "sent" };
  }
  const said = await readBeginning(response);
  const reason = `the receiver answered ${status}${said === "" ? "" : `: ${said}`}`;
  if (!RETRYABLE.has(status)) return { kind: "rejected", reason };
  const seconds = parseRetryAfter(response.headers["retry-after"], Date.now());
  return { kind: "later", reason, afterMs: seconds === undefined ? undefined : seconds * 1_000 };
}

const SAID_LENGTH_MAX = 300;

/** The beginning of an error's text, for the log. */
async function readBeginning(response: DialResponse): Promise<string> {
  let text = "";
  try {
    for await (const piece of response.body) {
      text += piece.toString("utf8");
      if (text.length >= SAID_LENGTH_MAX) break;
    }
  } catch {
    // The status says enough.
  }
  return text
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, SAID_LENGTH_MAX);
}
