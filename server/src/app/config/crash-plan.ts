import type { Clock } from "@trunkline/core/clock.ts";
import { createSeededRandom, type Random } from "@trunkline/core/random.ts";

/** Where the service can be made to kill itself, in the order in which a request passes these points. */
export const CRASH_POINTS = [
  "after-hold",
  "before-connect",
  "mid-stream",
  "provider-ended",
  "inside-transaction",
  "after-commit",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** How often the service dies at which place: a share of the passes, drawn from a seed. */
export interface CrashPlan {
  readonly seed: string;
  /** How long after the start nothing happens yet. */
  readonly quietMs: number;
  readonly rates: Readonly<Partial<Record<CrashPoint, number>>>;
}

const FORM = `must look like seed=7,after-hold=0.01: a seed, and rates above 0 and up to 1 for any of ${CRASH_POINTS.join(", ")}; quiet-ms=1000 puts them off`;

/** Reads `seed=7,quiet-ms=1000,after-hold=0.01,…`, or says what is wrong with it. */
export function readCrashPlan(text: string): CrashPlan | { readonly mistake: string } {
  const rates: Partial<Record<CrashPoint, number>> = {};
  let seed: string | undefined;
  let quietMs: number | undefined;
  for (const entry of text.split(",")) {
    const [, name = "", value = ""] = /^([a-z-]+)=([\w.-]+)$/.exec(entry.trim()) ?? [];
    const point = CRASH_POINTS.find((known) => known === name);
    const rate = Number(value);
    if (name === "seed" && seed === undefined) seed = value;
    else if (name === "quiet-ms" && quietMs === undefined && /^\d{1,9}$/.test(value)) quietMs = Number(value);
    else if (point !== undefined && rates[point] === undefined && rate > 0 && rate <= 1) rates[point] = rate;
    else return { mistake: FORM };
  }
  if (seed === undefined || Object.keys(rates).length === 0) return { mistake: FORM };
  return { seed, quietMs: quietMs ?? 0, rates };
}

/** One sequence of draws for each place: how often one is passed does not change what happens at another. */
export class CrashSchedule {
  readonly #rates: CrashPlan["rates"];
  readonly #quietUntil: number;
  readonly #clock: Clock;
  readonly #sequences: ReadonlyMap<CrashPoint, Random>;

  constructor({ seed, quietMs, rates }: CrashPlan, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
    this.#quietUntil = clock.monotonicMs() + quietMs;
    this.#sequences = new Map(CRASH_POINTS.map((point) => [point, createSeededRandom(`${seed} ${point}`)]));
  }

  /** Whether this pass is the last. */
  strikes(point: CrashPoint): boolean {
    const rate = this.#rates[point];
    if (rate === undefined || this.#clock.monotonicMs() < this.#quietUntil) return false;
    return this.share(point) < rate;
  }

  /** A further draw for a place, from 0 up to 1. */
  share(point: CrashPoint): number {
    return this.#sequences.get(point)?.() ?? 1;
  }
}
