import { normaliseTask, REALTIME, RERANK, type Task, type TaskKind } from "./inference.ts";
import { cachedFullNameOf, type Model, type Price } from "./model.ts";
import type { Fit } from "./prediction.ts";
import { discountedPrice, type Rates, ratesOf } from "./price.ts";

/** What a quote needs of a price. */
export interface PriceTerms {
  readonly price: Price;
  readonly rates: Rates;
  /** The discount that the price includes, in ten-thousandths; undefined: none. */
  readonly discount: number | undefined;
  /** A cache discount is not guaranteed. Where cached input costs more, all of the input may be charged at that price. */
  readonly assumesCacheRead: boolean;
  readonly assumesCacheWrite: boolean;
}

/** What follows from a model alone. Routing reads it for every request, so it is computed once per model. */
export class ModelTraits {
  readonly model: Model;
  /** `provider/name` */
  readonly fullName: string;
  /** Whether transcription or audio is among its capabilities. */
  readonly hears: boolean;
  readonly speaks: boolean;
  /** Whether it ranks documents instead of making vectors. */
  readonly reranks: boolean;
  /** Whether it is talked with over a WebSocket, and in no other way. */
  readonly isRealtime: boolean;
  /** undefined: its price is not known. */
  readonly terms: PriceTerms | undefined;
  /** For batches. */
  readonly batchTerms: PriceTerms | undefined;
  /** What the router recognises it to be made for, a bit for each specialty; undefined: not asked yet. */
  specialties: number | undefined;
  /** The client's words and the kinds of the work that it lists. */
  private readonly words: ReadonlySet<string>;
  private readonly kinds: ReadonlySet<TaskKind>;
  /** The last task and the one before it, with their fits: nearly all requests have one of two. */
  private lastTask: Task | undefined;
  private lastFit: Fit = "unsaid";
  private earlierTask: Task | undefined;
  private earlierFit: Fit = "unsaid";

  constructor(model: Model) {
    const capabilities = model.capabilities.map(normaliseTask);
    const tasks = [...capabilities, ...model.specialties.map(normaliseTask)];
    this.model = model;
    this.fullName = cachedFullNameOf(model);
    this.hears = capabilities.some(({ kind }) => kind === "transcription");
    this.speaks = capabilities.some(({ kind }) => kind === "audio");
    this.reranks = capabilities.some(({ word }) => word === RERANK);
    this.isRealtime = capabilities.some(({ word }) => word === REALTIME);
    this.terms = model.price === undefined ? undefined : priceTermsOf(model.price, 0);
    const discount = model.batchDiscount ?? 0;
    this.batchTerms =
      model.price === undefined || discount === 0
        ? this.terms
        : priceTermsOf(discountedPrice(model.price, discount), discount);
    this.words = new Set(tasks.map(({ word }) => word).filter((word) => word !== ""));
    this.kinds = new Set(tasks.filter(({ known }) => known).map(({ kind }) => kind));
    this.specialties = undefined;
    this.lastTask = undefined;
    this.earlierTask = undefined;
  }

  /** Whether it lists the client's task word among its capabilities or specialties. */
  listsWord(word: string): boolean {
    return this.words.has(word);
  }

  /** How its listed work fits a task. */
  fitFor(task: Task): Fit {
    if (task === this.lastTask) return this.lastFit;
    if (task === this.earlierTask) return this.earlierFit;
    const fit = this.computeFit(task);
    this.earlierTask = this.lastTask;
    this.earlierFit = this.lastFit;
    this.lastTask = task;
    this.lastFit = fit;
    return fit;
  }

  private computeFit({ word, kind, known }: Task): Fit {
    const { words, kinds } = this;
    if (words.has(word)) return "listed";
    // The words of one kind mean the same work, except for analysis: a translator need not be a classifier.
    if (kinds.has(kind)) return known && kind !== "analysis" ? "listed" : "related";
    if (kind === "chat" && kinds.has("text")) return "related";
    if (kind === "text" && kinds.has("chat")) return "related";
    return kinds.size > 0 ? "other" : "unsaid";
  }
}

function priceTermsOf(price: Price, discount: number): PriceTerms {
  const { inputPerMillion: input, cachedInputPerMillion: cached, cacheWritePerMillion: written } = price;
  const assumesCacheWrite = written !== undefined && written > input && (cached === undefined || written > cached);
  return {
    price,
    rates: ratesOf(price),
    discount: discount === 0 ? undefined : discount,
    assumesCacheRead: cached !== undefined && cached > input && !assumesCacheWrite,
    assumesCacheWrite,
  };
}

const traitsOfModel = new WeakMap<Model, ModelTraits>();
const traitsOfList = new WeakMap<readonly Model[], readonly ModelTraits[]>();

/** Model objects never change. */
export function traitsOf(model: Model): ModelTraits {
  const known = traitsOfModel.get(model);
  if (known !== undefined) return known;
  const traits = new ModelTraits(model);
  traitsOfModel.set(model, traits);
  return traits;
}

/** The traits of a list that never changes, such as a catalogue's: one lookup for all of its models. */
export function traitsOfAll(models: readonly Model[]): readonly ModelTraits[] {
  const known = traitsOfList.get(models);
  if (known !== undefined && known.length === models.length) return known;
  const traits = models.map(traitsOf);
  traitsOfList.set(models, traits);
  return traits;
}
