import type { ModelInfo, ModelPrice, Provider } from "@pydantic/genai-prices";
import { scaleDecimal } from "@trunkline/core/money.ts";

/** What a table is made from. */
export interface PriceSource {
  readonly providers: readonly Provider[];
  readonly version: string;
  /** The day whose prices are taken, as YYYY-MM-DD. */
  readonly asOf: string;
}

/** Our names of the providers, and the source's where they differ. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  azure: "azure",
  bedrock: "aws",
  cerebras: "cerebras",
  cohere: "cohere",
  deepseek: "deepseek",
  fireworks: "fireworks",
  google: "google",
  groq: "groq",
  mistral: "mistral",
  moonshot: "moonshotai",
  openai: "openai",
  openrouter: "openrouter",
  perplexity: "perplexity",
  together: "together",
  vertex: "google",
  xai: "x-ai",
  zai: "zai",
};

/** Names that no provider accepts, and models that are not called by one request and its answer. */
const NEVER_OFFERED = [
  /^ft:|\.ft-|:extended$|^regional\./,
  /realtime|-live|^gemini-live|voice|sonic|omni|ocr|moderation|guard|computer-use/i,
  /audio-preview|^gpt-audio/,
  /deep-research|search-preview|pro-search|-online$|multi-agent/,
  /^(ada|babbage|curie|davinci|text-davinci.*|gpt-3\.5-0301|gpt-3\.5-turbo-instruct|claude-v1|claude-2)$/,
];
/** Models that make images or speech, of the providers whose operations for that we call. */
const IMAGE_MODELS: Readonly<Record<string, RegExp | undefined>> = {
  azure: /^gpt-image-/,
  openai: /^gpt-image-/,
  google: /^gemini-.*-image/,
  vertex: /^gemini-.*-image/,
};
const SPEECH_MODELS: Readonly<Record<string, RegExp | undefined>> = {
  azure: /^gpt-.*-tts$/,
  openai: /^gpt-.*-tts$/,
};
/** How many million tokens an hour of speech is: the provider estimates that a minute at 12 dollars a million costs 1.5 cents. */
const SPEECH_MTOK_PER_HOUR = 0.075;
/** OpenAI serves these only in an API that compatible providers lack. */
const NOT_IN_CHAT = /^(o\d|gpt-\d+(\.\d+)?)-pro$|codex/;

/** Prices per token, request or hour, and of provider-side tools, which are never requested. */
const UNDERSTOOD = new Set([
  "input_mtok",
  "output_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "cache_write_1h_mtok",
  "requests_kcount",
  "audio_hours",
  "input_audio_hours",
  "web_searches_kcount",
  "storage_searches_kcount",
]);
/** Prices of tokens that are not text. */
const APART = /_(audio|image|video)_(?:.*_)?mtok$/;
const NANO_DECIMALS = 9;
/** So that rounding happens once, at the end. */
const SPARE_DECIMALS = 15;

/** The table as stored: sorted, one model per line, so that a price change is a changed line. */
export function makePriceTable({ providers, version, asOf }: PriceSource): string {
  const listed = Object.entries(PROVIDERS).map(([id, sourceId]) => {
    const source = providers.find((provider) => provider.id === sourceId);
    if (source === undefined) throw new Error(`The source has no provider "${sourceId}".`);
    const models = [...source.models, ...inheritedModels(id, source, providers)]
      .filter((model) => isOffered(id, model))
      .map((model) => rowOf(model, asOf))
      .flatMap((row) => row ?? [])
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return { id, pages: source.pricing_urls ?? [], models };
  });
  const head = {
    source: { package: "@pydantic/genai-prices", version, licence: "MIT", as_of: asOf },
    unit: "nano-credits for a million tokens, a request or a second; one credit is one US dollar",
  };
  const blocks = listed.map(
    ({ id, pages, models }) =>
      `    {\n      "id": ${JSON.stringify(id)},\n      "pages": ${JSON.stringify(pages)},\n      "models": [\n${models
        .map((model) => `        ${JSON.stringify(model)}`)
        .join(",\n")}\n      ]\n    }`,
  );
  return `{\n  "source": ${JSON.stringify(head.source)},\n  "unit": ${JSON.stringify(head.unit)},\n  "providers": [\n${blocks.join(",\n")}\n  ]\n}\n`;
}

/** OpenAI's models cost on Azure what they cost at OpenAI, as the source says, unless it has a price of their own. */
function inheritedModels(id: string, source: Provider, providers: readonly Provider[]): readonly ModelInfo[] {
  if (id !== "azure" || source.fallback_model_providers?.includes("openai") !== true) return [];
  const own = new Set(source.models.map((model) => model.id));
  const openai = providers.find((provider) => provider.id === "openai")?.models ?? [];
  return openai.filter((model) => !own.has(model.id) && !model.id.endsWith("-latest"));
}

function isOffered(provider: string, { id, deprecated }: ModelInfo): boolean {
  if (deprecated === true || NEVER_OFFERED.some((pattern) => pattern.test(id))) return false;
  if (/image/.test(id)) return IMAGE_MODELS[provider]?.test(id) === true;
  if (/-tts/.test(id)) return SPEECH_MODELS[provider]?.test(id) === true;
  if (provider === "openai" || provider === "azure") return !NOT_IN_CHAT.test(id);
  // There every name begins with its maker; anything else is a pattern of the source, not a name.
  if (provider === "openrouter") return id.includes("/");
  // There Claude is called by its own format. Older names of the source are patterns, and later embeddings have another API.
  if (provider === "vertex") return /^(gemini-[23]|gemini-embedding-001$|claude-[a-z]+-\d)/.test(id);
  // Other makers' models need another of Google's APIs, with other credentials.
  return provider !== "google" || /^gem(ini|ma)-/.test(id);
}

function rowOf(model: ModelInfo, asOf: string) {
  const { prices: inForce, variesByHour } = priceInForce(model, asOf);
  const makes = /image/.test(model.id) ? "image" : /-tts$/.test(model.id) ? "speech" : undefined;
  const prices = makes === "image" ? asImagePrices(inForce) : makes === "speech" ? asSpeechPrices(inForce) : inForce;
  const keys = Object.keys(prices).filter((key) => prices[key] !== undefined);
  // Audio, images and video may have their own prices: then the model is offered without them.
  const apart = [...new Set(keys.flatMap((key) => APART.exec(key)?.[1] ?? []))];
  if (keys.some((key) => !UNDERSTOOD.has(key) && !APART.test(key))) return undefined;
  const isEmbedding = /embed/.test(model.id);
  const input = perMillion(prices.input_mtok);
  const output = isEmbedding ? 0 : perMillion(prices.output_mtok);
  const perSecond = perHour(prices.audio_hours);
  const isFree = input === 0 && output === 0;
  const isUnknown = perSecond === null && (input === null || output === null || (isFree && !/:free$/.test(model.id)));
  // Transcription is paid by the second; with only a price per audio token its cost cannot be known in advance.
  if (/transcribe/.test(model.id) && perSecond === null) return undefined;
  const tier = firstTier(prices);
  return {
    name: model.id,
    title: model.name ?? model.id,
    // An unknown price stays unknown: a missing price does not make a model free.
    input: isUnknown ? null : (input ?? 0),
    output: isUnknown ? null : (output ?? 0),
    cachedInput: perMillion(prices.cache_read_mtok),
    cacheWrite: perMillion(prices.cache_write_mtok),
    perRequest: perThousand(prices.requests_kcount),
    perSecond,
    context: tier === undefined ? (model.context_window ?? null) : Math.min(model.context_window ?? tier, tier),
    wholeContext: model.context_window ?? null,
    apart,
    ...(makes === undefined ? {} : { makes }),
    variesByHour,
  };
}

/**
 * Text and images are tokens of the same count in a model that makes images, and most are images: the dearer price holds
 * for both.
 */
function asImagePrices({ input_image_mtok: imageIn, output_image_mtok: imageOut, ...prices }: ModelPrice): ModelPrice {
  const { cache_image_read_mtok: _cached, cache_read_mtok: _read, ...others } = prices;
  return {
    ...others,
    input_mtok: dearer(prices.input_mtok, imageIn),
    output_mtok: dearer(prices.output_mtok, imageOut),
  };
}

/** Speech comes without a count of its tokens, and is paid by its length. */
function asSpeechPrices({ output_mtok: output, ...prices }: ModelPrice): ModelPrice {
  const perMillionTokens = baseOf(output);
  if (perMillionTokens === undefined) return prices;
  return { ...prices, output_mtok: 0, audio_hours: perMillionTokens * SPEECH_MTOK_PER_HOUR };
}

/**
 * The price on that day. Where it changes with the hour there is no one price: the dearest is taken, which is never
 * less than what is owed.
 */
function priceInForce({ prices, id }: ModelInfo, asOf: string): { prices: ModelPrice; variesByHour: boolean } {
  if (!Array.isArray(prices)) return { prices, variesByHour: false };
  const byHour: ModelPrice[] = [];
  for (const { constraint, prices: these } of prices.toReversed()) {
    if (constraint !== undefined && "start_time" in constraint) byHour.push(these);
    else if (constraint === undefined || constraint.start_date <= asOf) {
      return { prices: dearest([these, ...byHour]), variesByHour: byHour.length > 0 };
    }
  }
  throw new Error(`${id} has no price on ${asOf}.`);
}

function dearest(prices: readonly ModelPrice[]): ModelPrice {
  const [first = {}, ...others] = prices;
  return others.reduce((most, price) => {
    const keys = new Set([...Object.keys(most), ...Object.keys(price)]);
    return Object.fromEntries([...keys].map((key) => [key, dearer(most[key], price[key])]));
  }, first);
}

function dearer(one: ModelPrice[string], other: ModelPrice[string]): ModelPrice[string] {
  return (baseOf(one) ?? -1) >= (baseOf(other) ?? -1) ? one : other;
}

function baseOf(price: ModelPrice[string]): number | undefined {
  return typeof price === "object" ? price.base : price;
}

/** The longest input that the first price of all holds for; undefined where it holds for any. */
function firstTier(prices: ModelPrice): number | undefined {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
  );
  return starts.length === 0 ? undefined : Math.min(...starts);
}

function perMillion(price: ModelPrice[string]): number | null {
  return exactly(baseOf(price), 1);
}

function perThousand(price: ModelPrice[string]): number | null {
  return exactly(baseOf(price), 1_000);
}

function perHour(price: ModelPrice[string]): number | null {
  return exactly(baseOf(price), 3_600);
}

/** Dollars for a quantity, as nano-credits for one: exact, or rounded up to a nano-credit. */
function exactly(dollars: number | undefined, many: number): number | null {
  if (dollars === undefined) return null;
  // Beyond twelve digits there is only what a division of floating-point numbers left behind.
  const nano = scaleDecimal(Number(dollars.toPrecision(12)), NANO_DECIMALS + SPARE_DECIMALS);
  if (nano === undefined) throw new Error(`The price ${dollars} has too many decimals.`);
  const by = BigInt(many) * 10n ** BigInt(SPARE_DECIMALS);
  return Number((nano + by - 1n) / by);
}
