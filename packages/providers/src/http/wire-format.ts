import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Model, Wire } from "@trunkline/core/model.ts";
import type { EmbeddingPart, Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { AccessToken } from "../credentials/cloud-credential.ts";

/** A POST in a provider's own format. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** How many bytes a text has, where it is known: to find it out copies a text that was put together of pieces. */
  readonly bodyBytes?: number | undefined;
  /** Whether a streamed answer was requested. */
  readonly streaming: boolean;
}

/** The head of a successful response. */
export interface WireResponseHead {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly streaming: boolean;
}

/** Turns the bytes of an answer, cut anywhere, into parts. */
export interface AnswerReader {
  /** Whether the provider has signalled the end of the answer. */
  readonly done: boolean;
  /**
   * Adds the parts that are complete after these bytes, also those before an error in them. The bytes are valid only during
   * the call.
   */
  push(bytes: Buffer, parts: Part[]): void;
  /** The remaining parts at the end of the body. Throws where the answer is incomplete. */
  end(): readonly Part[];
}

/** What a provider reports about its limits, besides refusing. */
export interface RateLimitState {
  /** No calls are accepted for this many seconds; undefined: calls are accepted. */
  readonly pauseSeconds?: number | undefined;
  /** How many more calls are accepted within how many seconds; undefined: not reported. */
  readonly remaining?: { readonly calls: number; readonly seconds: number } | undefined;
}

/** One wire format as pure conversions. Every provider that is called over HTTP uses one of these. */
export interface WireFormat {
  /** May report request fields that this format does not support, with `call.onUnsupported`. */
  request(call: ProviderCall, credential: Secret | undefined): WireRequest | Promise<WireRequest>;
  read(call: ProviderCall, head: WireResponseHead): AnswerReader;
  /** The provider's message in the body of an error; undefined where there is none. */
  errorMessageOf(body: unknown): unknown;
  /** The limits that the headers of any response report; undefined: nothing that matters now. */
  limitsOf?(headers: WireResponseHead["headers"], now: number): RateLimitState | undefined;
  /**
   * The HTTP status that corresponds to a more specific code in the error's body; undefined: the actual status counts.
   */
  statusOf?(body: unknown, status: number): number | undefined;
  /** The seconds to wait that an error's body gives, where no header does. */
  retryAfterOf?(body: unknown): number | undefined;
}

/** The header in which most providers expect a credential. */
export function credentialHeader(
  { authType }: Pick<Model, "authType">,
  credential: Secret | undefined,
): Record<string, string> {
  if (credential === undefined || authType === "none") return {};
  return authType === "bearer" || credential instanceof AccessToken
    ? { authorization: `Bearer ${credential.reveal()}` }
    : { "x-api-key": credential.reveal() };
}

/** The request's fields for this format only. Those of another format are reported as unsupported. */
export function extrasFor(
  { inference: { extras }, onUnsupported }: Pick<ProviderCall, "inference" | "onUnsupported">,
  wire: Wire,
): Readonly<Record<string, unknown>> {
  if (extras === undefined) return {};
  if (extras.wire === wire) return extras.fields;
  for (const field of Object.keys(extras.fields)) onUnsupported?.(field);
  return {};
}

/** One vector per input. With any other number the vectors can't be matched to their inputs. */
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

/** An id for a tool call whose provider gave it none: results are matched to calls by it. */
export function newToolCallId(): string {
  return `call_${newId().replaceAll("-", "")}`;
}

/** Whether we generated an id: then the provider does not know it. */
export function isGeneratedToolCallId(id: string): boolean {
  return /^call_[0-9a-f]{32}$/.test(id);
}
