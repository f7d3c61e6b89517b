import type { Clock } from "@trunkline/core/clock.ts";
import { addFigures, type EndpointFigures, NO_FIGURES } from "./endpoint-figures.ts";
import { QUARTER_MS, type QuarterStore, quarterOf, type SpanFigures } from "./quarter-store.ts";

const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;
/** Those who look at the same moment share one look-up. */
const FRESH_MS = 5_000;

/** One stretch of an endpoint's last day. */
export interface Stretch {
  /** When it began, in milliseconds since 1970. */
  readonly atMs: number;
  readonly figures: EndpointFigures;
}

/** How the endpoints did in the last 24 hours, the one that runs included. */
export interface LastDay {
  /** The last hour, counted in whole quarters and what there is of this one. */
  lastHourOf(modelId: string): EndpointFigures;
  /** The oldest first, those without calls included. */
  stretchesOf(modelId: string): readonly Stretch[];
}

/** Hours that are over, and over long enough that nobody adds to them any more. */
interface Past {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly day: readonly SpanFigures[];
}

interface Sums {
  readonly hour: readonly SpanFigures[];
  readonly day: readonly SpanFigures[];
}

/** What the board works with. */
export interface BoardParts {
  readonly store: QuarterStore;
  /** What this instance saw and has not told the store yet. */
  readonly pending: () => readonly SpanFigures[];
  readonly clock: Clock;
  /** Told of a store that is away: what was last known is shown then. */
  readonly onError: (error: unknown) => void;
}

/** What all instances together saw of every endpoint. */
export class EndpointBoard {
  readonly #parts: BoardParts;
  #known: Sums = { hour: [], day: [] };
  #past: Past | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<Sums> | undefined;

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  /** The last day of every endpoint, hour by hour. May be a few seconds old, except for what this instance saw. */
  async hours(): Promise<LastDay> {
    const { clock } = this.#parts;
    const spanMs = HOUR_MS;
    const sinceMs = firstOf(clock.now(), spanMs);
    const { hour, day } = await this.#freshSums();
    return this.#dayOf({ sinceMs, spanMs, hour, day });
  }

  /** The last day of some endpoints, quarter by quarter. */
  async quarters(modelIds: readonly string[]): Promise<LastDay> {
    const { store, clock, onError } = this.#parts;
    const spanMs = QUARTER_MS;
    const sinceMs = firstOf(clock.now(), spanMs);
    const day = await store.sums({ sinceMs, spanMs, modelIds }).catch((error: unknown) => {
      onError(error);
      return [];
    });
    const hourSinceMs = hourBefore(clock.now());
    return this.#dayOf({ sinceMs, spanMs, hour: day.filter(({ atMs }) => atMs >= hourSinceMs), day });
  }

  #dayOf(sums: {
    readonly sinceMs: number;
    readonly spanMs: number;
    readonly hour: readonly SpanFigures[];
    readonly day: readonly SpanFigures[];
  }): LastDay {
    const { sinceMs, spanMs } = sums;
    const hourSinceMs = hourBefore(this.#parts.clock.now());
    const pending = this.#parts.pending();
    const hours = new Map<string, EndpointFigures>();
    const stretches = new Map<string, EndpointFigures>();
    const startOf = (atMs: number) => sinceMs + Math.floor((atMs - sinceMs) / spanMs) * spanMs;
    for (const figures of [...sums.hour, ...pending.filter(({ atMs }) => atMs >= hourSinceMs)])
      add(hours, figures.modelId, figures);
    for (const figures of [...sums.day, ...pending])
      add(stretches, `${figures.modelId} ${startOf(figures.atMs)}`, figures);
    return {
      lastHourOf: (modelId) => hours.get(modelId) ?? NO_FIGURES,
      stretchesOf: (modelId) =>
        Array.from({ length: DAY_MS / spanMs }, (_, index) => {
          const atMs = sinceMs + index * spanMs;
          return { atMs, figures: stretches.get(`${modelId} ${atMs}`) ?? NO_FIGURES };
        }),
    };
  }

  /** What is known is not the newest any more, and neither is what is being read. */
  forget(): void {
    this.#freshUntilMs = Number.NEGATIVE_INFINITY;
    this.#reading = undefined;
  }

  async #freshSums(): Promise<Sums> {
    if (this.#parts.clock.monotonicMs() < this.#freshUntilMs) return this.#known;
    this.#reading ??= this.#read();
    const reading = this.#reading;
    try {
      const sums = await reading;
      if (this.#reading === reading) {
        this.#known = sums;
        this.#freshUntilMs = this.#parts.clock.monotonicMs() + FRESH_MS;
      }
      return sums;
    } catch (error) {
      this.#parts.onError(error);
      return this.#known;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  async #read(): Promise<Sums> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const past = await this.#readPast(nowMs);
    const [hour, recent] = await Promise.all([
      store.sums({ sinceMs: hourBefore(nowMs), spanMs: DAY_MS }),
      store.sums({ sinceMs: past.untilMs, spanMs: HOUR_MS }),
    ]);
    return { hour, day: [...past.day, ...recent] };
  }

  /** Read once an hour: most of the day has been summed before. */
  async #readPast(nowMs: number): Promise<Past> {
    const sinceMs = firstOf(nowMs, HOUR_MS);
    if (this.#past?.sinceMs === sinceMs) return this.#past;
    const untilMs = sinceMs + DAY_MS - 2 * HOUR_MS;
    const day = await this.#parts.store.sums({ sinceMs, untilMs, spanMs: HOUR_MS });
    this.#past = { sinceMs, untilMs, day };
    return this.#past;
  }
}

function add(sums: Map<string, EndpointFigures>, key: string, figures: EndpointFigures): void {
  const known = sums.get(key);
  sums.set(key, known === undefined ? figures : addFigures(known, figures));
}

/** The start of the first stretch, such that the one that runs is the last of the day. */
function firstOf(nowMs: number, spanMs: number): number {
  return nowMs - (nowMs % spanMs) + spanMs - DAY_MS;
}

function hourBefore(nowMs: number): number {
  return quarterOf(nowMs) - HOUR_MS;
}
