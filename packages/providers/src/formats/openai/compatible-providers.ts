import { PLAIN_PROVIDERS } from "./plain-providers.ts";

/** A field that some providers do not support, by the name under which it is reported. */
export type OptionalField =
  | "frequency_penalty"
  | "json_schema"
  | "logprobs"
  | "n"
  | "parallel_tool_calls"
  | "presence_penalty"
  | "seed"
  | "stream_options"
  | "tool_choice";

/** How a provider differs from the usual one of this format. */
export interface Quirks {
  /** The field for the longest answer. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** The header for the credential; undefined: as the model is configured. */
  readonly credentialHeader?: "api-key" | undefined;
  /** Fields that it refuses or ignores: they are left out and reported. */
  readonly unsupported: ReadonlySet<OptionalField>;
  /** Which of a client's own fields it accepts; undefined: it ignores unknown fields. */
  readonly allowsField?: ((field: string) => boolean) | undefined;
  /** It distinguishes developer messages from system messages. */
  readonly developerRole?: boolean | undefined;
  /** It supports `top_k`. */
  readonly topK?: boolean | undefined;
  /** The name of its seed field, where it differs. */
  readonly seedField?: "random_seed" | undefined;
  /** It supports cache breakpoints. */
  readonly cacheControl?: boolean | undefined;
  /** It expects its model's reasoning back. */
  readonly reasoningContent?: boolean | undefined;
  /** How its thinking budget is set. */
  readonly thinkingBudget?: "reasoning" | "thinking_budget" | undefined;
  /** It fetches files from URLs itself. */
  readonly fileUrls?: boolean | undefined;
  /** Its tool call ids are nine letters or digits, and others are refused. */
  readonly shortCallIds?: boolean | undefined;
  /** It can be addressed by deployment, with the API version as a query parameter. */
  readonly deployments?: boolean | undefined;
}

/** For a provider that is not in the table. */
export const DEFAULT_QUIRKS: Quirks = { maxTokensField: "max_tokens", unsupported: new Set() };

/** A provider or server with an OpenAI-compatible API. */
export interface CompatibleProvider {
  readonly id: string;
  readonly name: string;
  /** A name in braces stands for an environment variable: some providers have an address per customer. */
  readonly baseUrl: string;
  /** The environment variables that usually hold its key, in order of preference. */
  readonly keyVariables: readonly string[];
  /** The environment variables that usually hold another base URL. */
  readonly baseVariables: readonly string[];
  /** The default port of a server that runs locally. */
  readonly localPort: number | undefined;
  /** The hosts by which its models are recognised; an entry that starts with a dot stands for all subdomains. */
  readonly hosts: readonly string[];
  readonly quirks: Quirks;
}

type ProviderRow = Pick<CompatibleProvider, "id" | "name" | "baseUrl" | "keyVariables"> & {
  readonly baseVariables?: readonly string[];
  readonly localPort?: number;
  /** Besides the host of the base URL. */
  readonly hosts?: readonly string[];
  readonly quirks?: Partial<Quirks>;
};

const only =
  (...fields: readonly string[]) =>
  (field: string) =>
    fields.includes(field);
const allBut =
  (...fields: readonly string[]) =>
  (field: string) =>
    !fields.includes(field);
const unsupportedFields = (...optionalFields: readonly OptionalField[]): ReadonlySet<OptionalField> =>
  new Set(optionalFields);

/** From the providers' own documentation. Where that is unclear, the default is used. */
const PROVIDER_ROWS: readonly ProviderRow[] = [
  {
    id: "openai",
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    baseVariables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    hosts: [".api.openai.com"],
    quirks: { maxTokensField: "max_completion_tokens", developerRole: true },
  },
  {
    id: "azure",
    name: "Azure OpenAI",
    baseUrl: "https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1",
    keyVariables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    baseVariables: ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL", "AZURE_API_BASE"],
    hosts: [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"],
    quirks: {
      maxTokensField: "max_completion_tokens",
      developerRole: true,
      credentialHeader: "api-key",
      deployments: true,
    },
  },
  {
    id: "mistral",
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    hosts: ["codestral.mistral.ai"],
    quirks: {
      unsupported: unsupportedFields("stream_options", "logprobs"),
      allowsField: only("language", "metadata", "output_dimension", "prediction", "prompt_mode", "safe_prompt"),
      seedField: "random_seed",
      shortCallIds: true,
    },
  },
  {
    id: "groq",
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    quirks: { unsupported: unsupportedFields("logprobs", "n"), allowsField: allBut("logit_bias") },
  },
  {
    id: "together",
    name: "Together",
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY"],
    hosts: ["api.together.ai"],
    quirks: { topK: true },
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    quirks: {
      unsupported: unsupportedFields("json_schema", "seed", "n", "parallel_tool_calls"),
      reasoningContent: true,
    },
  },
  {
    id: "xai",
    name: "xAI",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    hosts: [".api.x.ai"],
  },
  {
    id: "fireworks",
    name: "Fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"],
    quirks: { topK: true },
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    quirks: { topK: true, cacheControl: true, thinkingBudget: "reasoning", fileUrls: true },
  },
  {
    id: "cerebras",
    name: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariables: ["CEREBRAS_API_KEY"],
    quirks: {
      maxTokensField: "max_completion_tokens",
      unsupported: unsupportedFields("frequency_penalty", "presence_penalty", "parallel_tool_calls"),
      allowsField: allBut("logit_bias"),
    },
  },
  {
    id: "perplexity",
    name: "Perplexity",
    baseUrl: "https://api.perplexity.ai",
    keyVariables: ["PERPLEXITY_API_KEY", "PPLX_API_KEY"],
  },
  {
    id: "nvidia",
    name: "Nvidia NIM",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyVariables: ["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"],
  },
  {
    id: "sambanova",
    name: "SambaNova",
    baseUrl: "https://api.sambanova.ai/v1",
    keyVariables: ["SAMBANOVA_API_KEY"],
    quirks: { topK: true },
  },
  {
    id: "hyperbolic",
    name: "Hyperbolic",
    baseUrl: "https://api.hyperbolic.xyz/v1",
    keyVariables: ["HYPERBOLIC_API_KEY"],
  },
  {
    id: "deepinfra",
    name: "DeepInfra",
    baseUrl: "https://api.deepinfra.com/v1/openai",
    keyVariables: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    baseUrl: "https://router.huggingface.co/v1",
    keyVariables: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
  },
  {
    id: "github",
    name: "GitHub Models",
    baseUrl: "https://models.github.ai/inference",
    // Not GITHUB_TOKEN: build machines have it for other purposes.
    keyVariables: ["GITHUB_MODELS_TOKEN", "GITHUB_API_KEY"],
  },
  {
    id: "moonshot",
    name: "Moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    hosts: ["api.moonshot.cn"],
    quirks: { reasoningContent: true },
  },
  {
    id: "zai",
    name: "Z.ai",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY", "Z_AI_API_KEY"],
    hosts: ["open.bigmodel.cn"],
    quirks: {
      unsupported: unsupportedFields("json_schema", "seed", "n", "logprobs"),
      reasoningContent: true,
    },
  },
  {
    id: "alibaba",
    name: "Alibaba DashScope",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY", "ALIBABA_API_KEY"],
    hosts: ["dashscope.aliyuncs.com", "dashscope-us.aliyuncs.com"],
    quirks: { topK: true, thinkingBudget: "thinking_budget" },
  },
  {
    id: "nebius",
    name: "Nebius",
    baseUrl: "https://api.tokenfactory.nebius.com/v1",
    keyVariables: ["NEBIUS_API_KEY"],
    hosts: ["api.studio.nebius.com", "api.studio.nebius.ai"],
  },
  {
    id: "cloudflare",
    name: "Cloudflare",
    baseUrl: "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    keyVariables: ["CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN"],
  },
  {
    id: "vllm",
    name: "vLLM",
    baseUrl: "http://127.0.0.1:8000/v1",
    keyVariables: ["VLLM_API_KEY"],
    localPort: 8000,
    quirks: { topK: true },
  },
  {
    id: "llamacpp",
    name: "llama.cpp",
    baseUrl: "http://127.0.0.1:8080/v1",
    keyVariables: ["LLAMACPP_API_KEY"],
    localPort: 8080,
    quirks: { topK: true },
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: ["LMSTUDIO_API_KEY"],
    localPort: 1234,
    quirks: { topK: true },
  },
  {
    id: "ollama",
    name: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: ["OLLAMA_API_KEY"],
    hosts: ["ollama.com"],
    localPort: 11434,
    quirks: { unsupported: unsupportedFields("n", "parallel_tool_calls", "tool_choice") },
  },
  {
    id: "litellm",
    name: "LiteLLM",
    baseUrl: "http://127.0.0.1:4000/v1",
    keyVariables: ["LITELLM_API_KEY", "LITELLM_PROXY_API_KEY"],
    baseVariables: ["LITELLM_BASE_URL", "LITELLM_PROXY_API_BASE"],
    localPort: 4000,
    quirks: { topK: true, cacheControl: true },
  },
  ...PLAIN_PROVIDERS.map(([id, name, baseUrl, ...keyVariables]) => ({ id, name, baseUrl, keyVariables })),
];

/** Every provider and server whose differences are known. */
export const COMPATIBLE_PROVIDERS: readonly CompatibleProvider[] = PROVIDER_ROWS.map((providerRow) => ({
  ...providerRow,
  baseVariables: providerRow.baseVariables ?? [`${providerRow.id.toUpperCase()}_BASE_URL`],
  localPort: providerRow.localPort,
  hosts:
    providerRow.localPort === undefined
      ? [hostOf(providerRow.baseUrl), ...(providerRow.hosts ?? [])]
      : (providerRow.hosts ?? []),
  quirks: { ...DEFAULT_QUIRKS, ...providerRow.quirks },
}));

/** The provider of an endpoint, by its host, or by its port on this machine; undefined: unknown. */
export function findCompatibleProvider(endpoint: string): CompatibleProvider | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const { hostname, port } = new URL(endpoint);
  const atHome = isLocalHost(hostname);
  return COMPATIBLE_PROVIDERS.find(
    ({ hosts, localPort }) =>
      hosts.some((host) => (host.startsWith(".") ? hostname.endsWith(host) : hostname === host)) ||
      (atHome && localPort !== undefined && port === `${localPort}`),
  );
}

/** The host of a base URL, also where a name in braces is part of it. */
function hostOf(baseUrl: string): string {
  return baseUrl.split("/")[2] ?? "";
}

function isLocalHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
