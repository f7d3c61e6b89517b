/**
 * The names of OpenTelemetry's semantic conventions, version 1.41. Those for generative AI are not stable yet: this is the
 * only place that has them.
 */
export const ATTRIBUTES = {
  httpMethod: "http.request.method",
  httpRoute: "http.route",
  httpStatus: "http.response.status_code",
  errorType: "error.type",
  serverAddress: "server.address",

  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  temperature: "gen_ai.request.temperature",
  topP: "gen_ai.request.top_p",
  seed: "gen_ai.request.seed",
  choices: "gen_ai.request.choice.count",
  streaming: "gen_ai.request.stream",
  responseModel: "gen_ai.response.model",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",

  requestId: "trunkline.request.id",
  account: "trunkline.account.id",
  key: "trunkline.key.id",
  cost: "trunkline.cost.credits",
  strategy: "trunkline.route.strategy",
  candidates: "trunkline.route.candidates",
  cache: "trunkline.cache.result",
  inputSafety: "trunkline.safety.input.action",
  outputSafety: "trunkline.safety.output.action",
  attemptOutcome: "trunkline.attempt.outcome",
  stageActive: "trunkline.stage.active_ms",
} as const;

export const RESOURCE_ATTRIBUTES = {
  serviceName: "service.name",
  serviceInstance: "service.instance.id",
} as const;

/** The conventions' names of operations, by the kind of task. For other kinds they have none: those keep our own names. */
export const OPERATION_OF_TASK = {
  chat: "chat",
  text: "chat",
  code: "chat",
  analysis: "chat",
  multimodal: "chat",
  embedding: "embeddings",
  image: "image",
  audio: "speech",
  transcription: "transcription",
} as const;

/** The conventions' names of providers that have another name here. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

export function conventionalProvider(provider: string): string {
  return Object.hasOwn(PROVIDERS, provider) ? (PROVIDERS[provider] ?? provider) : provider;
}
