import { errors } from "undici";

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

/** Why a call to another machine failed. The message is safe to show to a client: it names no address. */
export class DialFailure extends Error {
  override readonly name = "DialFailure";
  readonly kind: DialFailureKind;

  constructor(kind: DialFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A failure before the request could be sent. After TCP stands, whatever goes wrong is the TLS handshake. */
export function connectFailure(error: unknown, tcpStands: boolean): DialFailure {
  if (error instanceof DialFailure) return error;
  const cause = { cause: error };
  if (tcpStands) return new DialFailure("tls", "the TLS handshake failed", cause);
  const code = errorCodeOf(error);
  if (code === "ECONNREFUSED") return new DialFailure("refused", "the connection was refused", cause);
  if (code === "ETIMEDOUT") return new DialFailure("connect-timeout", "the connection timed out", cause);
  return new DialFailure("refused", "could not be reached", cause);
}

/** A failure after the request was sent, as undici reports it. */
export function exchangeFailure(error: unknown): DialFailure {
  if (error instanceof DialFailure) return error;
  const cause = { cause: error };
  const code = errorCodeOf(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return new DialFailure("too-large", "answered with too large a header", cause);
  }
  // The parser also complains of an answer that ends too early, and tells that apart only in words.
  if (error instanceof errors.HTTPParserError && !error.message.includes("EOF")) {
    return new DialFailure("reset", "the answer was not valid HTTP", cause);
  }
  if (code === "UND_ERR_INVALID_ARG") {
    return new DialFailure("refused", "the request could not be sent", cause);
  }
  return new DialFailure("reset", "closed the connection before the answer was complete", cause);
}

function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
