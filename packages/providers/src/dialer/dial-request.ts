import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Arrival } from "@trunkline/core/in-step.ts";
import { InvalidResponse } from "./response-parser.ts";

/** Limits of time and size. */
export interface DialLimits {
  /** From the call to an established connection: DNS lookup, TCP and TLS. */
  readonly connectMs: number;
  /** From sending the request to the complete response head. */
  readonly firstByteMs: number;
  /** Between two pieces of the body, while we are ready to read. */
  readonly silenceMs: number;
  /** The whole call. */
  readonly wholeMs: number;
  readonly responseBytes: number;
  /** One object of a stream. Enforced by the reader of the body, since the dialer does not parse it. */
  readonly chunkBytes: number;
}

/** A request with a body. */
export interface DialRequest {
  /** undefined: POST. */
  readonly method?: "POST" | "PUT" | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as well, with names of their own; undefined: there are none. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
  readonly body: string | Buffer;
  /** How many bytes a text has, where it is known. */
  readonly bodyBytes?: number | undefined;
  readonly mayDialPrivate: boolean;
  readonly limits: DialLimits;
}

/** A response whose head has arrived. */
export interface DialResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body for one reader. Ending the iteration early closes the connection at once. */
  readonly body: AsyncIterable<Buffer>;
  /**
   * What of the body has come and was not read; undefined at its end. Where nothing has come, the wait for it: read again
   * once that is over. An empty piece stands for what was given to `onBytes`. Throws why the body broke off.
   */
  read(): Buffer | undefined | Arrival;
  /** Stops reading and closes the connection at once. */
  cancel(): void;
  /**
   * Ignores the rest of the body. Unlike ending the iteration, this keeps the connection for the next call if the
   * response ends soon by itself.
   */
  discardBody(): void;
}

/** The terms of a call. One of its two functions is called, once: with the head of the response, or with why there is none. */
export interface DialCall extends Pick<DialRequest, "traceHeaders" | "mayDialPrivate" | "limits"> {
  readonly signal: CancelSignal;
  onReply(reply: DialResponse): void;
  /**
   * Takes what comes of the body while its reader waits, so that it need not be copied: the bytes are valid only during the
   * call. Returns whether the reader has to see it: then it is woken.
   */
  onBytes?(bytes: Buffer): boolean;
  onFailure(failure: unknown): void;
}

export type DialFailureKind =
  | "forbidden-address"
  | "refused"
  | "dns"
  | "tls"
  | "connect-timeout"
  | "first-byte-timeout"
  | "silence-timeout"
  | "whole-timeout"
  | "too-large"
  | "reset"
  | "aborted";

/** Why a call to another machine failed. The message is safe to show to a client: it contains no address. */
export class DialFailure extends Error {
  override readonly name = "DialFailure";
  readonly kind: DialFailureKind;

  constructor(kind: DialFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A failure before the request was sent. Once TCP is connected, any failure is the TLS handshake's. */
export function connectFailure(error: unknown, tcpStands: boolean): DialFailure {
  if (error instanceof DialFailure) return error;
  const cause = { cause: error };
  if (tcpStands) return new DialFailure("tls", "the TLS handshake failed", cause);
  const code = errorCodeOf(error);
  if (code === "ECONNREFUSED") return new DialFailure("refused", "the connection was refused", cause);
  if (code === "ETIMEDOUT") return new DialFailure("connect-timeout", "the connection timed out", cause);
  return new DialFailure("refused", "could not be reached", cause);
}

/** A failure after the request was sent. */
export function exchangeFailure(error: unknown): DialFailure {
  if (error instanceof DialFailure) return error;
  const cause = { cause: error };
  if (!(error instanceof InvalidResponse))
    return new DialFailure("reset", "closed the connection before the answer was complete", cause);
  return error.isTooLarge
    ? new DialFailure("too-large", "answered with too large a header", cause)
    : new DialFailure("reset", "the answer was not valid HTTP", cause);
}

function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
