import type { ModelType, Price, Wire } from "@trunkline/core/model.ts";
import { PRICE_SOURCE, PRICED_PROVIDERS, type PricedProvider, type PriceRow } from "./price-table.ts";

/** A model of a known provider, with everything that is known without a call. */
export interface KnownModel {
  readonly provider: string;
  readonly name: string;
  /** The provider's name for the model, where it differs. */
  readonly upstreamModel: string | undefined;
  readonly type: ModelType;
  /** The format that it is called in, where that is not its provider's usual one. */
  readonly wire: Wire | undefined;
  readonly description: string;
  readonly price: Omit<Price, "version">;
  readonly capabilities: readonly string[];
  readonly streaming: boolean;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

const byProvider = new Map<string, ReadonlyMap<string, KnownModel>>();

/** The models of a provider whose prices are known, sorted by name. */
export function knownModelsOf(providerId: string): readonly KnownModel[] {
  return [...modelsByName(providerId).values()];
}

/** Whether `knownModelsOf` lists a model. */
export function isKnownModel({ provider, name }: { readonly provider: string; readonly name: string }): boolean {
  return modelsByName(provider).has(name);
}

/** What a provider itself asks for a model; undefined: unknown. */
export function knownPriceOf({ provider, name }: { readonly provider: string; readonly name: string }) {
  return modelsByName(provider).get(name)?.price;
}

/**
 * The model that one of these providers has under a name, the first provider that has it; undefined: none. A listed name
 * may have a date that the table leaves out.
 */
export function knownModelNamed(name: string, providerIds: readonly string[]): KnownModel | undefined {
  const bare = name.slice(name.lastIndexOf("/") + 1);
  const undated = bare.replace(/-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/, "");
  for (const id of providerIds) {
    const models = modelsByName(id);
    const known = models.get(name) ?? models.get(bare) ?? models.get(undated);
    if (known !== undefined) return known;
  }
  return undefined;
}

function modelsByName(providerId: string): ReadonlyMap<string, KnownModel> {
  const remembered = byProvider.get(providerId);
  if (remembered !== undefined) return remembered;
  const provider = PRICED_PROVIDERS.find(({ id }) => id === providerId);
  const models = provider?.models.flatMap((row) => modelOf(provider, row) ?? []) ?? [];
  const byName = new Map(models.map((model) => [model.name, model]));
  byProvider.set(providerId, byName);
  return byName;
}

function modelOf(provider: PricedProvider, row: PriceRow): KnownModel | undefined {
  // Never free by accident: a model without a price is left out.
  if (row.input === null || row.output === null) return undefined;
  const type = typeOf(row);
  const modelTraits = traitsOf(row.name);
  const isChat = type === "text" || type === "multimodal";
  return {
    provider: provider.id,
    name: row.name,
    upstreamModel: upstreamNameOf(provider.id, row.name),
    type,
    wire: provider.id === "vertex" && row.name.startsWith("claude-") ? "anthropic" : undefined,
    description: describeModel(provider, row, type),
    price: {
      inputPerMillion: BigInt(row.input),
      cachedInputPerMillion: row.cachedInput === null ? undefined : BigInt(row.cachedInput),
      cacheWritePerMillion: row.cacheWrite === null ? undefined : BigInt(row.cacheWrite),
      outputPerMillion: BigInt(row.output),
      perImage: 0n,
      perRequest: BigInt(row.perRequest ?? 0),
      perSecond: BigInt(row.perSecond ?? 0),
    },
    capabilities: row.makes === "speech" ? ["speech"] : capabilitiesOf(type, modelTraits),
    streaming: isChat,
    contextWindow: row.context ?? undefined,
    maxOutputTokens: isChat ? modelTraits.maxOutputTokens : type === "image" ? imageTokensOf(row.name) : undefined,
  };
}

/** Versions of Claude that Vertex AI names by their date. */
const DATED_ON_VERTEX: Readonly<Record<string, string>> = { "claude-sonnet-4-5": "20250929" };

/** The provider's own name for a model, where it differs. */
function upstreamNameOf(providerId: string, name: string): string | undefined {
  if (providerId === "fireworks") return `accounts/fireworks/models/${name}`;
  const date = providerId === "vertex" ? DATED_ON_VERTEX[name] : undefined;
  return date === undefined ? undefined : `${name}@${date}`;
}

/** The most tokens that one image is: OpenAI's largest in high quality, and Gemini's largest with its thoughts. */
function imageTokensOf(name: string): number {
  return name.startsWith("gpt-image-") ? 8_192 : 4_096;
}

function typeOf(row: PriceRow): ModelType {
  if (row.makes === "image") return "image";
  if (/embed/.test(row.name)) return "embedding";
  if (row.perSecond !== null) return "audio";
  return traitsOf(row.name).vision && !row.apart.includes("image") ? "multimodal" : "text";
}

function capabilitiesOf(type: ModelType, modelTraits: ModelTraits): readonly string[] {
  if (type === "embedding") return ["embedding"];
  if (type === "audio") return ["transcription"];
  if (type === "image") return ["image"];
  return [
    "text",
    "chat",
    "code",
    ...(type === "multimodal" ? ["vision"] : []),
    ...(modelTraits.tools ? ["tools"] : []),
    ...(modelTraits.json ? ["json"] : []),
    ...(modelTraits.reasoning ? ["reasoning"] : []),
  ];
}

/** Says what the model is and can do, how far its price applies, and where that can be checked. */
function describeModel({ pages }: PricedProvider, row: PriceRow, type: ModelType): string {
  const work = row.makes === "speech" ? "reads text aloud" : workOf(type, traitsOf(row.name));
  const sentences = [`${titleOf(row)}: ${work}.`];
  if (type === "image") sentences.push("Text and images cost the same by the token, the dearer of their two prices.");
  if (row.makes === "speech") sentences.push("Its speech is paid by the second, as its provider estimates it.");
  if (row.context !== null && row.wholeContext !== null && row.context < row.wholeContext) {
    sentences.push(
      `Takes ${formatCount(row.context)} of its ${formatCount(row.wholeContext)} tokens of input here, as longer input has another price.`,
    );
  }
  if (row.variesByHour) sentences.push("Its provider's price changes with the hour; this is the dearest.");
  sentences.push(`Prices as of ${PRICE_SOURCE.as_of}${pages[0] === undefined ? "" : `, see ${pages[0]}`}.`);
  return sentences.join(" ");
}

/** The name as its vendor writes it: the table has "gpt 4o" and "o4 mini". */
function titleOf({ title }: PriceRow): string {
  return title.replace(/^(?:chat)?gpt[ -]/i, (start) => (/^chat/i.test(start) ? "ChatGPT-" : "GPT-"));
}

/** What a model does, in a phrase. */
function workOf(type: ModelType, { vision, tools, json, reasoning }: ModelTraits): string {
  if (type === "embedding") return "turns text into vectors for search and comparison";
  if (type === "audio") return "writes down speech";
  if (type === "image") return "makes and changes images";
  const kind = `${reasoning ? "reasoning" : "chat"} model for ${vision && type === "multimodal" ? "text and images" : "text"}`;
  const skills = [...(tools ? ["tool calls"] : []), ...(json ? ["JSON output"] : [])];
  return skills.length === 0 ? kind : `${kind}, with ${skills.join(" and ")}`;
}

function formatCount(tokens: number): string {
  return tokens.toLocaleString("en");
}

/** What a family of models can do besides text, according to its vendor's documentation. */
interface ModelTraits {
  readonly vision: boolean;
  readonly tools: boolean;
  readonly json: boolean;
  readonly reasoning: boolean;
  /** undefined: unknown, or not the same for the whole family. */
  readonly maxOutputTokens: number | undefined;
}

interface ModelFamily extends Partial<ModelTraits> {
  /** Matched against the name without the vendor: `claude-3-haiku`, not `anthropic/claude-3-haiku`. */
  readonly names: RegExp;
}

const NO_TRAITS: ModelTraits = {
  vision: false,
  tools: false,
  json: false,
  reasoning: false,
  maxOutputTokens: undefined,
};

const OPENAI = { tools: true, json: true };
const CLAUDE = { vision: true, tools: true };
const GEMINI = { vision: true, tools: true, json: true };

/**
 * The first family that matches counts. Sources, by vendor: developers.openai.com/api/docs/models,
 * docs.anthropic.com/en/docs/about-claude/models, ai.google.dev/gemini-api/docs/models,
 * docs.mistral.ai/getting-started/models, docs.x.ai/docs/models, api-docs.deepseek.com, docs.cohere.com/docs/models,
 * docs.aws.amazon.com/nova, and the model cards of the open families.
 */
const FAMILIES: readonly ModelFamily[] = [
  { names: /^gpt-oss/, ...OPENAI, reasoning: true },
  { names: /^(o1-mini|o1-preview)/, reasoning: true, maxOutputTokens: 65_536 },
  { names: /^o3-mini/, ...OPENAI, reasoning: true, maxOutputTokens: 100_000 },
  { names: /^(o1|o3|o4-mini)/, ...OPENAI, vision: true, reasoning: true, maxOutputTokens: 100_000 },
  { names: /^(gpt-5\.3$|.*chat-latest)/, ...OPENAI, vision: true, maxOutputTokens: 16_384 },
  { names: /^gpt-[5-9]/, ...OPENAI, vision: true, reasoning: true, maxOutputTokens: 128_000 },
  { names: /^gpt-4\.1/, ...OPENAI, vision: true, maxOutputTokens: 32_768 },
  { names: /^gpt-4o-2024-05-13/, ...OPENAI, vision: true, maxOutputTokens: 4_096 },
  { names: /^(gpt-4o|chatgpt-4o)/, ...OPENAI, vision: true, maxOutputTokens: 16_384 },
  { names: /^gpt-4(-turbo|-vision)/, ...OPENAI, vision: true, maxOutputTokens: 4_096 },
  { names: /^gpt-(4|3\.5)/, tools: true, maxOutputTokens: 4_096 },
  { names: /^claude-3-(haiku|sonnet|opus)/, ...CLAUDE, maxOutputTokens: 4_096 },
  { names: /^claude-3-5/, ...CLAUDE, maxOutputTokens: 8_192 },
  { names: /^claude-3-7/, ...CLAUDE, reasoning: true, maxOutputTokens: 64_000 },
  { names: /^claude-opus-4(-[01]|-2025)/, ...CLAUDE, reasoning: true, maxOutputTokens: 32_000 },
  { names: /^claude-/, ...CLAUDE, reasoning: true, maxOutputTokens: 64_000 },
  { names: /^gemini-(1|2\.0|flash-1|pro-1)/, ...GEMINI, maxOutputTokens: 8_192 },
  { names: /^gemini-(2\.5|3)/, ...GEMINI, reasoning: true, maxOutputTokens: 65_536 },
  {
    names: /^(pixtral|mistral-(small|medium)-(2603|3|latest)|mistral-large-2512|ministral-\d+b-2512)/,
    vision: true,
    tools: true,
    json: true,
  },
  { names: /^magistral/, tools: true, json: true, reasoning: true },
  { names: /^(codestral|devstral|mistral-(small|medium|large|nemo)|ministral)/, tools: true, json: true },
  { names: /^grok-(2-vision|4)/, vision: true, tools: true, json: true },
  { names: /^grok-/, tools: true, json: true },
  { names: /^deepseek-(reasoner|r1)/, reasoning: true },
  { names: /^deepseek-(chat|v[3-9])/i, tools: true, json: true },
  { names: /^command-(a|r)/, tools: true, json: true },
  { names: /^nova-(lite|pro|premier|2-lite)/, vision: true, tools: true },
  { names: /^nova-micro/, tools: true },
  { names: /^(meta-)?llama-?4/i, vision: true, tools: true },
  { names: /^(meta-)?llama-?v?3[.p-][13]/i, tools: true },
  { names: /^kimi-k[2-9]/, tools: true, json: true },
  { names: /^(qwen-?3|qwen3)/i, tools: true },
  { names: /^glm-[4-9]/, tools: true },
];

/** The traits of a model by its name; an unknown model is taken for a plain text model. */
export function traitsOf(name: string): ModelTraits {
  const bare = bareNameOf(name);
  const modelFamily = FAMILIES.find(({ names }) => names.test(bare));
  if (modelFamily === undefined) return NO_TRAITS;
  const { names: _, ...traits } = modelFamily;
  return { ...NO_TRAITS, ...traits };
}

/** `meta-llama/Llama-3.3-70B` and `global.anthropic.claude-opus-5` start with the vendor and region. */
function bareNameOf(name: string): string {
  const behindSlash = name.slice(name.lastIndexOf("/") + 1);
  return behindSlash.replace(/^(global\.)?(amazon|anthropic|cohere|deepseek|google|meta|mistral|openai|qwen)\./, "");
}
