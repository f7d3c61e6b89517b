import type { Clock } from "@trunkline/core/clock.ts";
import {
  addFigures,
  type CallFigures,
  type EndpointFigures,
  figuresOfAnswer,
  NO_FIGURES,
  ONE_FAILURE,
} from "./endpoint-figures.ts";
import type { CallWitness } from "./endpoint-health.ts";
import { type QuarterStore, quarterOf, type SpanFigures } from "./quarter-store.ts";

/** How often what was counted goes to the store. */
const FLUSH_MS = 10_000;
/** While the store is away no more than this many sums wait for it: then the oldest are forgotten. */
const MOST_PAGES = 20_000;

/** What the diary works with. */
export interface DiaryParts {
  readonly store: QuarterStore;
  readonly clock: Clock;
  /** Called when the store has taken something. */
  readonly kept: () => void;
  readonly onError: (error: unknown) => void;
}

/** Counts what this instance sees of every endpoint, and adds it to what all have seen, behind the requests' backs. */
export class EndpointDiary implements CallWitness {
  readonly #parts: DiaryParts;
  /** By endpoint and quarter. */
  #pages = new Map<string, SpanFigures>();
  #leaving: ReadonlyMap<string, SpanFigures> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: DiaryParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Hands over what is left. What the store can't take now is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  succeeded(modelId: string, call: CallFigures): void {
    this.#note(modelId, figuresOfAnswer(call));
  }

  failed(modelId: string): void {
    this.#note(modelId, ONE_FAILURE);
  }

  /** What the store does not have yet. */
  pending(): SpanFigures[] {
    return [...this.#leaving.values(), ...this.#pages.values()];
  }

  /** Adds what was counted to what the store has. One at a time; never throws. */
  flush(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#handOver());
    return this.#turn;
  }

  async #handOver(): Promise<void> {
    if (this.#pages.size === 0) return;
    this.#leaving = this.#pages;
    this.#pages = new Map();
    try {
      await this.#parts.store.add([...this.#leaving.values()]);
      this.#leaving = new Map();
      this.#parts.kept();
    } catch (error) {
      // Where the outcome is open they may be counted twice: a figure may be a little off, but never on a request's time.
      const newer = this.#pages;
      this.#pages = new Map(this.#leaving);
      for (const page of newer.values()) this.#add(page.modelId, page.atMs, page);
      this.#leaving = new Map();
      this.#parts.onError(error);
    }
  }

  #note(modelId: string, figures: EndpointFigures): void {
    this.#add(modelId, quarterOf(this.#parts.clock.now()), figures);
  }

  #add(modelId: string, atMs: number, figures: EndpointFigures): void {
    const key = `${modelId} ${atMs}`;
    const known = this.#pages.get(key);
    if (known === undefined && this.#pages.size >= MOST_PAGES) {
      for (const oldest of this.#pages.keys()) {
        this.#pages.delete(oldest);
        break;
      }
    }
    this.#pages.set(key, { ...addFigures(known ?? NO_FIGURES, figures), modelId, atMs });
  }
}
