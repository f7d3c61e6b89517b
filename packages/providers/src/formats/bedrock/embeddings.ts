import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import { toEmbeddings, type WireResponseHead } from "../../http/wire-format.ts";
import { endedEarly } from "../anthropic/errors.ts";

/** The service's input token count, where the model's own response has none. */
const TOKEN_COUNT_HEADER = "x-amzn-bedrock-input-token-count";

type EmbeddingsCall = Pick<ProviderCall, "model" | "inference" | "onUnsupported">;

/** The request to an embedding model: each vendor has its own format. */
export function toEmbeddingsBody({ model, inference, onUnsupported }: EmbeddingsCall): JsonObject {
  const texts = textsOf(inference.conversation);
  const { dimensions, others } = inference.parameters;
  const name = upstreamNameOf(model);
  if (/cohere/.test(name)) {
    for (const field of Object.keys(others)) if (field !== "input_type") onUnsupported?.(field);
    const takesDimensions = /embed-v4/.test(name);
    if (dimensions !== undefined && !takesDimensions) onUnsupported?.("dimensions");
    return {
      texts,
      input_type: others.input_type ?? "search_document",
      embedding_types: ["float"],
      output_dimension: takesDimensions ? dimensions : undefined,
    };
  }
  for (const field of Object.keys(others)) onUnsupported?.(field);
  const [inputText, ...more] = texts;
  if (more.length > 0) throw new ProviderFailure("rejected", "takes one text at a time", { blamesEndpoint: false });
  const takesDimensions = /embed-text-v[2-9]/.test(name);
  if (dimensions !== undefined && !takesDimensions) onUnsupported?.("dimensions");
  return { inputText: inputText ?? "", dimensions: takesDimensions ? dimensions : undefined };
}

/** Reads the embeddings, one per text. */
export class EmbeddingsReader implements AnswerObjectReader {
  readonly #inputs: number;
  readonly #headers: WireResponseHead["headers"];
  #done = false;

  constructor({ inference }: EmbeddingsCall, { headers }: WireResponseHead) {
    this.#inputs = textsOf(inference.conversation).length;
    this.#headers = headers;
  }

  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject, parts: Part[]): void {
    const embeddings = toEmbeddings(vectorsIn(answer), this.#inputs);
    this.#done = true;
    const counted = answer.inputTextTokenCount ?? countIn(this.#headers[TOKEN_COUNT_HEADER]);
    const usage = counted === undefined ? [] : [toUsage(counted)];
    parts.push(...usage, ...embeddings, { type: "finish", reason: "stop" });
  }

  end(): readonly Part[] {
    if (!this.#done) throw endedEarly();
    return [];
  }
}

/** Only input is counted. */
function toUsage(inputTokens: unknown): Part {
  return { type: "usage", inputTokens, outputTokens: 0 };
}

function vectorsIn({ embedding, embeddings }: JsonObject): readonly unknown[] {
  if (Array.isArray(embedding)) return [embedding];
  const lists = isObject(embeddings) ? embeddings.float : embeddings;
  return Array.isArray(lists) ? lists : [];
}

function countIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}
