import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Wire } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { toVertexEndpoint } from "@trunkline/providers/credentials/cloud-credential.ts";
import { type KnownModel, knownModelsOf } from "@trunkline/providers/discovery/known-models.ts";
import { KNOWN_PROVIDERS, type KnownProvider } from "@trunkline/providers/discovery/known-providers.ts";
import { COMPATIBLE_PROVIDERS } from "@trunkline/providers/formats/openai/compatible-providers.ts";
import { parse, stringify } from "yaml";
import { z } from "zod";

const HELP = `Makes a configuration of Trunkline from one of LiteLLM.

  trunkline import-litellm <config.yaml> > trunkline.yaml

Takes model_list with its prices, addresses and limits, and the fallbacks of router_settings and litellm_settings.
Keys stay in the environment: os.environ/NAME becomes credential_env. What has no place is named on stderr.
Ends with 0, with 1 where something was left out, with 2 where the file can't be read.`;

/** LiteLLM's names of providers, where ours are others. */
const PROVIDER_IDS: Readonly<Record<string, string>> = {
  azure_ai: "azure",
  cohere_chat: "cohere",
  dashscope: "alibaba",
  fireworks_ai: "fireworks",
  gemini: "google",
  hosted_vllm: "vllm",
  lm_studio: "lmstudio",
  nvidia_nim: "nvidia",
  ollama_chat: "ollama",
  together_ai: "together",
  vertex_ai: "vertex",
  vertex_ai_beta: "vertex",
  zhipuai: "zai",
};

const fallbackList = z.array(z.record(z.string(), z.array(z.string()))).default([]);
const text = z.string().min(1).optional();
const perToken = z.coerce.number().min(0).optional();

/** A prompt that is too long for a model goes to its fallbacks here as well, so that one list holds both. */
const settingsSchema = z
  .looseObject({ fallbacks: fallbackList, context_window_fallbacks: fallbackList })
  .nullable()
  .optional();

const liteLlmSchema = z.looseObject({
  model_list: z
    .array(
      z.object({
        model_name: z.string().min(1),
        litellm_params: z.looseObject({
          model: z.string().min(1),
          api_base: text,
          base_url: text,
          api_key: text,
          max_tokens: z.number().optional(),
          input_cost_per_token: perToken,
          output_cost_per_token: perToken,
        }),
        model_info: z
          .looseObject({
            mode: z.string().optional(),
            max_input_tokens: z.number().optional(),
            max_output_tokens: z.number().optional(),
            input_cost_per_token: perToken,
            output_cost_per_token: perToken,
          })
          .default({}),
      }),
    )
    .min(1),
  router_settings: settingsSchema,
  litellm_settings: settingsSchema,
});

type Deployment = z.infer<typeof liteLlmSchema>["model_list"][number];

/** Parameters that the conversion reads, and those that a gateway needs no setting for. */
const READ_PARAMS: ReadonlySet<string> = new Set([
  ...["model", "api_base", "base_url", "api_key", "max_tokens", "input_cost_per_token", "output_cost_per_token"],
  ...["custom_llm_provider", "api_version", "stream", "vertex_project", "vertex_location"],
]);

/** Settings that the conversion reads, and those whose purpose needs no setting here. */
const READ_SETTINGS: ReadonlySet<string> = new Set(["fallbacks", "context_window_fallbacks", "drop_params"]);
const READ_SECTIONS: ReadonlySet<string> = new Set(["model_list", "router_settings", "litellm_settings"]);

/** Names what stands outside the list of models and has no place here. */
function listUnread(source: z.infer<typeof liteLlmSchema>, warnings: string[]): void {
  for (const section of ["router_settings", "litellm_settings"] as const) {
    const unread = Object.keys(source[section] ?? {}).filter((name) => !READ_SETTINGS.has(name));
    if (unread.length > 0) warnings.push(`${section}: ${unread.join(", ")} left out.`);
  }
  const aliases = source.router_settings?.model_group_alias;
  if (aliases !== undefined) warnings.push("model_group_alias: make a preset of each name (PUT /v1/presets/{name}).");
  for (const [section, content] of Object.entries(source)) {
    if (READ_SECTIONS.has(section)) continue;
    const names = typeof content === "object" && content !== null ? Object.keys(content).join(", ") : "";
    warnings.push(`${section}${names === "" ? "" : ` (${names})`} left out.`);
  }
}

const TYPES_BY_MODE: Readonly<Record<string, string>> = {
  embedding: "embedding",
  image_generation: "image",
  audio_speech: "audio",
  audio_transcription: "audio",
};

/** `trunkline import-litellm`: prints the configuration and returns the exit code. */
export function importLiteLlmCommand(
  args: readonly string[],
  out: (line: string) => void,
  warn: (line: string) => void,
): number {
  let path: string | undefined;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    path = positionals.length === 1 ? positionals[0] : undefined;
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
  }
  if (path === undefined) {
    warn(HELP);
    return 2;
  }
  let source: unknown;
  try {
    source = parse(readFileSync(path, "utf8"));
  } catch (error) {
    warn(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const parsed = liteLlmSchema.safeParse(source);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    warn(`${path} is no configuration of LiteLLM: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? ""}`);
    return 2;
  }
  const warnings: string[] = [];
  const config = convert(parsed.data, warnings);
  listUnread(parsed.data, warnings);
  if (config === undefined) warnings.push("No model could be taken over.");
  else out(stringify(config, { lineWidth: 0 }).trimEnd());
  for (const warning of new Set(warnings)) warn(warning);
  return config === undefined ? 2 : warnings.length > 0 ? 1 : 0;
}

function convert(source: z.infer<typeof liteLlmSchema>, warnings: string[]) {
  const models: Record<string, unknown>[] = [];
  const taken = new Set<string>();
  /** A name that stands for several deployments of one provider leads from the first to the others. */
  const others = new Map<string, string[]>();
  for (const deployment of source.model_list) {
    const model = convertModel(deployment, warnings);
    if (model === undefined) continue;
    const { provider, name } = model;
    let unique = name;
    for (let count = 2; taken.has(`${provider}/${unique}`); count++) unique = `${name}-${count}`;
    taken.add(`${provider}/${unique}`);
    if (unique !== name) others.set(`${provider}/${name}`, [...(others.get(`${provider}/${name}`) ?? []), unique]);
    models.push({ ...model, name: unique });
  }
  if (models.length === 0) return undefined;
  const backups: Record<string, string[]> = {};
  for (const [name, more] of others) backups[name] = more.map((other) => `${name.split("/")[0]}/${other}`);
  const lists = [source.router_settings, source.litellm_settings].flatMap((settings) =>
    settings == null ? [] : [settings.fallbacks, settings.context_window_fallbacks],
  );
  for (const list of lists)
    for (const [name, next] of list.flatMap((entry) => Object.entries(entry))) {
      if (name === "*") {
        warnings.push("A fallback of every model (*) is left out: name the models, or send `fallbacks` with requests.");
        continue;
      }
      const from = nameOf(name);
      backups[from] = [...new Set([...(backups[from] ?? []), ...next.map(nameOf)])];
    }
  return { models, ...(Object.keys(backups).length === 0 ? {} : { backups }) };
}

/** Our names of models have no slash and no spaces. */
function nameOf(name: string): string {
  return name.replace(/[^A-Za-z0-9._:-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
}

function convertModel({ model_name: alias, litellm_params: params, model_info: info }: Deployment, warnings: string[]) {
  const slash = params.model.indexOf("/");
  const prefix = slash === -1 ? undefined : params.model.slice(0, slash);
  const base = params.api_base ?? params.base_url;
  const known = prefix === undefined ? undefined : findProvider(PROVIDER_IDS[prefix] ?? prefix);
  const provider = known ?? (slash === -1 || prefix === "openai" ? findProvider("openai") : undefined);
  if (alias.includes("*") || params.model.includes("*")) {
    warnings.push(
      `${alias}: a name with a star is left out. Models of a key in the environment are found by themselves.`,
    );
    return undefined;
  }
  if (provider === undefined) {
    warnings.push(
      `${alias}: the provider of ${params.model} is not known here; register it with its wire and address.`,
    );
    return undefined;
  }
  const upstream = known === undefined ? params.model : params.model.slice(slash + 1);
  const priced = knownModelsOf(provider.id).find(
    ({ name, upstreamModel }) => name === upstream || upstreamModel === upstream,
  );
  const pricing = pricingOf(params, info, priced);
  if (pricing === undefined) {
    warnings.push(
      `${alias}: the price of ${params.model} is not known; add input_cost_per_token and output_cost_per_token.`,
    );
    return undefined;
  }
  const wire = priced?.wire ?? provider.wire;
  const endpoint = addressOf(provider, wire, base, params);
  if (environmentOf(base) !== undefined || endpoint.includes("{"))
    warnings.push(`${alias}: write its address into \`endpoint\`, which is ${endpoint} now.`);
  const variable = params.api_key === undefined ? provider.keyVariables[0] : environmentOf(params.api_key);
  if (params.api_key !== undefined && variable === undefined)
    warnings.push(
      `${alias}: its key stands in the file and is not taken over; put it into a variable, see \`credential_env\`.`,
    );
  const ignored = Object.keys(params).filter((name) => !READ_PARAMS.has(name));
  if (ignored.length > 0) warnings.push(`${alias}: ${ignored.join(", ")} left out.`);
  return {
    name: nameOf(alias),
    // A server of one's own is not the provider whose format it speaks.
    provider: base === undefined || provider.id !== "openai" ? provider.id : "custom",
    type: TYPES_BY_MODE[info.mode ?? ""] ?? priced?.type ?? "text",
    wire,
    endpoint,
    ...(upstream === alias ? {} : { upstream_model: upstream }),
    ...(variable === undefined ? {} : { credential_env: variable }),
    pricing,
    streaming: info.mode === undefined || info.mode === "chat" || info.mode === "completion",
    ...given("context_window", info.max_input_tokens ?? priced?.contextWindow),
    ...given("max_output_tokens", info.max_output_tokens ?? priced?.maxOutputTokens),
  };
}

type Provider = Pick<KnownProvider, "id" | "wire" | "baseUrl" | "keyVariables">;

function findProvider(id: string): Provider | undefined {
  const local = COMPATIBLE_PROVIDERS.find((provider) => provider.id === id);
  return KNOWN_PROVIDERS.find((provider) => provider.id === id) ?? (local && { ...local, wire: "openai" });
}

/** Azure's models are found below this path, whatever LiteLLM's setting leaves to its own code. */
function addressOf(
  { id, baseUrl }: Provider,
  wire: Wire,
  base: string | undefined,
  params: Deployment["litellm_params"],
): string {
  if (base === undefined && id === "vertex") {
    const publisher = wire === "anthropic" ? "anthropic" : "google";
    const named = (value: unknown) => (typeof value === "string" && /^[\w.:-]+$/.test(value) ? value : undefined);
    const address = toVertexEndpoint(baseUrl, named(params.vertex_project), named(params.vertex_location));
    return address.replace(/google$/, publisher);
  }
  if (base === undefined) return baseUrl;
  const address = environmentOf(base) ?? base.replace(/\/+$/, "");
  return id === "azure" && !address.includes("/openai") ? `${address}/openai/v1` : address;
}

function given(name: string, value: number | undefined) {
  return value === undefined ? {} : { [name]: value };
}

/** The variable of `os.environ/NAME`. */
function environmentOf(value: string | undefined): string | undefined {
  return /^os\.environ\/(\w+)$/.exec(value ?? "")?.[1];
}

/** The prices of the file, else those that we know. */
function pricingOf(
  params: Deployment["litellm_params"],
  info: Deployment["model_info"],
  priced: KnownModel | undefined,
): Record<string, number> | undefined {
  const input = params.input_cost_per_token ?? info.input_cost_per_token;
  const output = params.output_cost_per_token ?? info.output_cost_per_token;
  if (input !== undefined) {
    const ofOutput = output ?? (info.mode === "embedding" ? 0 : undefined);
    return ofOutput === undefined
      ? undefined
      : { input_per_1k_tokens: perThousand(input), output_per_1k_tokens: perThousand(ofOutput) };
  }
  if (priced === undefined) return undefined;
  const { inputPerMillion, outputPerMillion } = priced.price;
  return {
    input_per_1k_tokens: toCredits(inputPerMillion) / 1_000,
    output_per_1k_tokens: toCredits(outputPerMillion) / 1_000,
  };
}

/** Without the noise of floating point: prices have at most nine decimals. */
function perThousand(perOne: number): number {
  return Number((perOne * 1_000).toFixed(9));
}
