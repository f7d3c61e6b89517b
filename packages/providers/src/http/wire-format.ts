import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part } from "@trunkline/core/answer.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** A POST in a provider's own format. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Whether the provider was asked to answer piece by piece. */
  readonly streaming: boolean;
}

/** The head of an answer with a good status. */
export interface WireResponseHead {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly streaming: boolean;
}

/** Turns the bytes of an answer, cut anywhere, into parts. */
export interface AnswerReader {
  /** Whether the provider has said that this was all. */
  readonly done: boolean;
  /** The parts that can be passed on after these bytes. */
  push(bytes: Buffer): Iterable<Part>;
  /** The parts that are left when the body is over. Throws where the answer is not complete. */
  end(): Iterable<Part>;
}

/** What a provider says of its own limits, besides refusing. */
export interface RateLimitState {
  /** Nothing more is taken until so many seconds have passed; undefined: something is. */
  readonly pauseSeconds?: number | undefined;
  /** So many more calls are taken within so many seconds; undefined: it does not say. */
  readonly room?: { readonly calls: number; readonly seconds: number } | undefined;
}

/** One wire format as pure conversions. Whatever talks HTTP to a provider is one of these. */
export interface WireFormat {
  /** May tell the call, by `call.onDropped`, which fields of the request this format has no place for. */
  request(call: ProviderCall, credential: Secret | undefined): WireRequest | Promise<WireRequest>;
  read(call: ProviderCall, head: WireResponseHead): AnswerReader;
  /** The provider's own words in the body of an error, however it is made; undefined where there are none. */
  errorMessageOf(body: unknown): unknown;
  /** What the headers of any answer say of the provider's limits; undefined: nothing that matters now. */
  limitsOf?(headers: WireResponseHead["headers"], now: number): RateLimitState | undefined;
  /** A code in the error's body that says more than the status, as an HTTP status; undefined: the status counts. */
  statusOf?(body: unknown, status: number): number | undefined;
  /** After how many seconds the error's body says to come back, where no header does. */
  retryAfterOf?(body: unknown): number | undefined;
}
