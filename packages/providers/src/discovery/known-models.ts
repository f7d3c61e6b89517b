import type { ModelType, Price } from "@trunkline/core/model.ts";
import { PRICE_SOURCE, PRICED_PROVIDERS, type PricedProvider, type PriceRow } from "./price-table.ts";
import { type ModelTraits, traitsOf } from "./traits.ts";

/** A model of a provider that everybody knows, with all that can be said of it without asking. */
export interface KnownModel {
  readonly provider: string;
  readonly name: string;
  /** The provider's own name for it, where that is another. */
  readonly upstreamModel: string | undefined;
  readonly type: ModelType;
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

/** Whether a model is among those. */
export function isKnownModel({
  provider,
  name,
}: {
  readonly provider: string;
  readonly name: string;
}): boolean {
  return modelsByName(provider).has(name);
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
  // Never free by accident: what has no price is not there.
  if (row.input === null || row.output === null) return undefined;
  const type = typeOf(row);
  const modelTraits = traitsOf(row.name);
  const isChat = type === "text" || type === "multimodal";
  return {
    provider: provider.id,
    name: row.name,
    upstreamModel: provider.id === "fireworks" ? `accounts/fireworks/models/${row.name}` : undefined,
    type,
    description: describeModel(provider, row),
    price: {
      inputPerMillion: BigInt(row.input),
      cachedInputPerMillion: row.cachedInput === null ? undefined : BigInt(row.cachedInput),
      cacheWritePerMillion: row.cacheWrite === null ? undefined : BigInt(row.cacheWrite),
      outputPerMillion: BigInt(row.output),
      perImage: 0n,
      perRequest: BigInt(row.perRequest ?? 0),
      perSecond: BigInt(row.perSecond ?? 0),
    },
    capabilities: capabilitiesOf(type, modelTraits),
    streaming: isChat,
    contextWindow: row.context ?? undefined,
    maxOutputTokens: isChat ? modelTraits.maxOutputTokens : undefined,
  };
}

function typeOf(row: PriceRow): ModelType {
  if (/embed/.test(row.name)) return "embedding";
  if (row.perSecond !== null) return "audio";
  return traitsOf(row.name).vision && !row.apart.includes("image") ? "multimodal" : "text";
}

function capabilitiesOf(type: ModelType, modelTraits: ModelTraits): readonly string[] {
  if (type === "embedding") return ["embedding"];
  if (type === "audio") return ["transcription"];
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

/** Says how far the price goes, and where it can be checked. */
function describeModel({ pages }: PricedProvider, row: PriceRow): string {
  const sentences = [`${row.title}.`];
  if (row.context !== null && row.wholeContext !== null && row.context < row.wholeContext) {
    sentences.push(
      `Takes ${formatCount(row.context)} of its ${formatCount(row.wholeContext)} tokens of input here, as longer input has another price.`,
    );
  }
  if (row.variesByHour) sentences.push("Its provider's price changes with the hour; this is the dearest.");
  const where = pages[0] === undefined ? "" : `; to be checked at ${pages[0]}`;
  sentences.push(
    `Prices of ${PRICE_SOURCE.as_of} by ${PRICE_SOURCE.package} ${PRICE_SOURCE.version}${where}.`,
  );
  return sentences.join(" ");
}

function formatCount(tokens: number): string {
  return tokens.toLocaleString("en");
}
