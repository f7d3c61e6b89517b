import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Model, Wire } from "@trunkline/core/model.ts";
import type { EmbeddingPart, Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
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

/** The header by which most providers are shown a credential. */
export function credentialHeader(
  { authType }: Pick<Model, "authType">,
  credential: Secret | undefined,
): Record<string, string> {
  if (credential === undefined || authType === "none") return {};
  return authType === "bearer"
    ? { authorization: `Bearer ${credential.reveal()}` }
    : { "x-api-key": credential.reveal() };
}

/** The fields of a request that only this format knows. Those of another format can't be told, and that is said. */
export function extrasFor(
  { inference: { extras }, onUnsupported: onDropped }: Pick<ProviderCall, "inference" | "onUnsupported">,
  wire: Wire,
): Readonly<Record<string, unknown>> {
  if (extras === undefined) return {};
  if (extras.wire === wire) return extras.fields;
  for (const field of Object.keys(extras.fields)) onDropped?.(field);
  return {};
}

/** A vector for each of so many inputs. Fewer or more, and nobody knows which is whose. */
export function toEmbeddings(vectors: readonly unknown[], inputs: number): readonly EmbeddingPart[] {
  if (vectors.length !== inputs) {
    const given = vectors.length === 1 ? "1 vector" : `${vectors.length} vectors`;
    throw new ProviderFailure("broken", `answered with ${given} to ${inputs === 1 ? "1 input" : `${inputs} inputs`}`);
  }
  return vectors.map((vector, index) => {
    if (!isVector(vector)) throw new ProviderFailure("broken", "answered with a vector that is not made of numbers");
    return { type: "embedding", index, vector };
  });
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number");
}

/** A name for a tool call whose provider gave it none: results are matched to their calls by it. */
export function newToolCallId(): string {
  return `call_${newId().replaceAll("-", "")}`;
}

/** Whether an id is of our making: then its provider does not know it. */
export function isGeneratedToolCallId(id: string): boolean {
  return /^call_[0-9a-f]{32}$/.test(id);
}
