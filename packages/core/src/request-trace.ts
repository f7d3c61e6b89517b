import type { Caller, RateLimit } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { timeOfId } from "./id.ts";
import type { Inference } from "./inference.ts";
import type { Receipt } from "./parts.ts";
import type { Attempt } from "./provider-failure.ts";
import type { Candidate, Route } from "./route.ts";
import type { Verdict } from "./verdict.ts";

/** What each stage records about a request: its stored record, response headers and metrics are made from it. */
export class RequestTrace {
  readonly requestId: string;
  readonly path: string;
  /** Taken from the id, so that a range of time is a range of ids. */
  readonly receivedAt: Date;
  readonly #clock: Clock;
  readonly #startMs: number;
  #lastMarkMs: number;

  caller: Caller | undefined;
  rateLimit: RateLimit | undefined;
  inference: Inference | undefined;
  route: Route | undefined;
  chosen: Candidate | undefined;
  inputVerdict: Verdict | undefined;
  outputVerdict: Verdict | undefined;
  /** The answer was stored by an earlier request with the same idempotency key. */
  replayed = false;
  /** The result of the response cache lookup; undefined: no lookup. */
  cache: CacheOutcome | undefined;
  /** For a cached answer: the request that it was first given to, and its model. */
  replayOf: { readonly requestId: string; readonly model: Receipt["model"] } | undefined;
  /** Request fields that the chosen provider does not support. */
  unsupportedFields: readonly string[] = [];
  attempts: readonly Attempt[] = [];
  /** How many calls the answer consists of, one after the other. */
  segmentCount = 0;
  /** The duration of each stage in milliseconds, in order. */
  readonly stages: Record<string, number> = {};

  constructor(requestId: string, path: string, clock: Clock) {
    this.requestId = requestId;
    this.path = path;
    this.#clock = clock;
    this.receivedAt = new Date(timeOfId(requestId));
    this.#startMs = clock.monotonicMs();
    this.#lastMarkMs = this.#startMs;
  }

  /** Ends a stage: it took the time since the previous one ended. */
  endStage(stage: string): void {
    const now = this.#clock.monotonicMs();
    this.stages[stage] = (this.stages[stage] ?? 0) + now - this.#lastMarkMs;
    this.#lastMarkMs = now;
  }

  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** Time spent waiting for providers so far. */
  get providerMs(): number {
    return this.stages.provider ?? 0;
  }

  /** Time until the charge was stored; undefined before that. */
  get settleMs(): number | undefined {
    return this.stages.settle;
  }
}

/** The result of a response cache lookup. */
export type CacheOutcome = CacheHit | { readonly result: "miss" };

/** An earlier answer was returned. */
export interface CacheHit {
  readonly result: "hit";
  readonly ageSeconds: number;
  /** Whether the request was identical, or only similar in its text. */
  readonly match: "exact" | "similar";
  /** The similarity of a `similar` match. */
  readonly similarity: number | undefined;
  /** The request that this answer was first given to. */
  readonly requestId: string;
  /** `provider/name` of the model that produced it. */
  readonly model: string;
}

/**
 * The provider name of a cache hit in records and totals: the original provider did nothing this time, and its own
 * count would never agree. No provider can have this name.
 */
export const CACHE_PROVIDER = "trunkline.cache";
