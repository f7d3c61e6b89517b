import { createOpenAICompatible, type MetadataExtractor } from "@ai-sdk/openai-compatible";
import type { EmbeddingModelV3, ImageModelV3, JSONObject, LanguageModelV3, ProviderV3 } from "@ai-sdk/provider";

export interface TrunklineProviderSettings {
  /** Where the service is, such as `http://127.0.0.1:8080`, which is the default. */
  readonly baseURL?: string;
  /** An API key. Default: the variable TRUNKLINE_KEY. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** What Trunkline takes beyond the AI SDK's own settings, as `providerOptions: { trunkline: … }`. */
export type TrunklineChatOptions = {
  /** The strategy by which a model is chosen, for `auto`. */
  route?:
    | "auto"
    | "cost-optimized"
    | "speed-optimized"
    | "quality-optimized"
    | "hybrid"
    | "cost"
    | "speed"
    | "quality"
    | "cascade";
  /** What an answer must be like; only with `route: "cascade"`. */
  check?: { json_schema?: JSONObject; regex?: string; min_length?: number };
  preferences?: {
    speed?: "fast" | "balanced" | "any";
    cost?: "low" | "balanced" | "any";
    quality?: "high" | "balanced" | "any";
    /** The most this request may cost, in credits. */
    max_cost?: number;
    max_latency_ms?: number;
    min_quality?: number;
  };
  /** Models to try next, in this order. */
  fallbacks?: string[];
  /** Requests of one session stay with one model while it serves them. */
  session?: string;
  /** false: an answer that breaks off in the middle is not continued by another model. */
  continue?: boolean;
  /** With `preferences.speed: "fast"`: a second model is asked where the first takes longer than usual. */
  hedge?: boolean;
  /** Whether the answer may be one that was given before, at no cost. */
  cache?: { ttl: number; similarity?: number | boolean } | false;
  /** Your own tags, by which requests and usage can be found. */
  tags?: Record<string, string>;
};

/** What results have as `providerMetadata.trunkline`; of images, each in its list `images`. */
export type TrunklineMetadata = {
  /** `provider/name` of the model that answered. */
  model?: string;
  /** What was charged, in credits. */
  cost?: number;
};

export interface TrunklineProvider extends ProviderV3 {
  /** A model for text, by its name; `auto`: the service chooses. */
  (modelId?: string): LanguageModelV3;
  languageModel(modelId: string): LanguageModelV3;
  chatModel(modelId: string): LanguageModelV3;
  embeddingModel(modelId: string): EmbeddingModelV3;
  imageModel(modelId: string): ImageModelV3;
}

const NAME = "trunkline";
const DEFAULT_URL = "http://127.0.0.1:8080";

/** Trunkline as a provider of the AI SDK. */
export function createTrunkline(settings: TrunklineProviderSettings = {}): TrunklineProvider {
  const compatible = createOpenAICompatible({
    name: NAME,
    baseURL: `${(settings.baseURL ?? DEFAULT_URL).replace(/\/+$/, "")}/openai/v1`,
    ...withDefined({ apiKey: settings.apiKey ?? keyOfEnvironment(), fetch: settings.fetch }),
    headers: { ...settings.headers },
    includeUsage: true,
    supportsStructuredOutputs: true,
    // Images are passed on by their address; without this they would be fetched here first.
    supportedUrls: () => ({ "image/*": [/^https:\/\//] }),
    metadataExtractor: chatMetadata,
  });
  const chatModel = (modelId: string) => compatible.chatModel(modelId);
  const provider = (modelId = "auto") => chatModel(modelId);
  return Object.assign(provider, {
    specificationVersion: "v3" as const,
    languageModel: chatModel,
    chatModel,
    embeddingModel: (modelId: string) => withEmbeddingMetadata(compatible.embeddingModel(modelId)),
    imageModel: (modelId: string) => withImageMetadata(compatible.imageModel(modelId)),
  });
}

/** Model and cost of a chat, out of its answer or of its last chunk. */
const chatMetadata: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => ({ [NAME]: metadataOf(parsedBody) }),
  createStreamExtractor: () => {
    let metadata: TrunklineMetadata = {};
    return {
      processChunk: (chunk) => {
        metadata = { ...metadata, ...metadataOf(chunk) };
      },
      buildMetadata: () => ({ [NAME]: metadata }),
    };
  },
};

function metadataOf(body: unknown): TrunklineMetadata {
  const { model, usage } = (body ?? {}) as { model?: unknown; usage?: { cost?: unknown } | null };
  return withDefined({
    model: typeof model === "string" ? model : undefined,
    cost: typeof usage?.cost === "number" ? usage.cost : undefined,
  });
}

/** Answers that are no chat have both in their headers. */
function metadataOfHeaders(headers: Record<string, string> | undefined): TrunklineMetadata {
  const cost = headers?.["x-trunkline-cost"];
  return withDefined({
    model: headers?.["x-trunkline-model"],
    cost: cost === undefined ? undefined : Number(cost),
  });
}

function withEmbeddingMetadata(model: EmbeddingModelV3): EmbeddingModelV3 {
  const doEmbed: EmbeddingModelV3["doEmbed"] = async (options) => {
    const result = await model.doEmbed(options);
    return { ...result, providerMetadata: { [NAME]: metadataOfHeaders(result.response?.headers) } };
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    maxEmbeddingsPerCall: model.maxEmbeddingsPerCall,
    supportsParallelCalls: model.supportsParallelCalls,
    doEmbed,
  };
}

function withImageMetadata(model: ImageModelV3): ImageModelV3 {
  const doGenerate: ImageModelV3["doGenerate"] = async (options) => {
    const result = await model.doGenerate(options);
    const { model: name, cost } = metadataOfHeaders(result.response.headers);
    // The AI SDK keeps nothing but a list with an entry for each image.
    const { length } = result.images;
    const image = withDefined({ model: name, cost: cost === undefined ? undefined : cost / length });
    const images = Array.from({ length }, () => image);
    return { ...result, providerMetadata: { [NAME]: { images } } };
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    maxImagesPerCall: model.maxImagesPerCall,
    doGenerate,
  };
}

/** In browsers there is no environment. */
function keyOfEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.TRUNKLINE_KEY;
}

/** An object without what is undefined. */
function withDefined<Values extends Record<string, unknown>>(values: Values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: NonNullable<Values[Name]>;
  };
}
