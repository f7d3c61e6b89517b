import type { Caller, RateLimit } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { timeOfId } from "./id.ts";
import type { Inference } from "./inference.ts";
import type { Receipt } from "./parts.ts";
import type { Attempt } from "./provider-failure.ts";
import type { Candidate, Route } from "./route.ts";
import type { Verdict } from "./verdict.ts";

/** The stages of a request, in their usual order. */
type Stage =
  | "authenticate"
  | "admit"
  | "validate"
  | "claim"
  | "route"
  | "screen"
  | "cache"
  | "hold"
  | "provider"
  | "client"
  | "charge"
  | "settle";

/** What each stage records about a request: its stored record, response headers and metrics are made from it. */
export class RequestTrace {
  readonly requestId: string;
  readonly path: string;
  /** Taken from the id, so that a range of time is a range of ids. */
  readonly receivedAt: Date;
  readonly #clock: Clock;
  readonly #startMs: number;
  #lastMarkMs: number;
  readonly #stages: Stage[] = [];
  readonly #stageMs: number[] = [];
  #providerMs = 0;
  #settleMs: number | undefined;

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

  constructor(requestId: string, path: string, clock: Clock) {
    this.requestId = requestId;
    this.path = path;
    this.#clock = clock;
    this.receivedAt = new Date(timeOfId(requestId));
    this.#startMs = clock.monotonicMs();
    this.#lastMarkMs = this.#startMs;
  }

  /** Ends a stage: it took the time since the previous one ended. */
  endStage(stage: Stage): void {
    const now = this.#clock.monotonicMs();
    const tookMs = now - this.#lastMarkMs;
    this.#lastMarkMs = now;
    if (stage === "provider") this.#providerMs += tookMs;
    if (stage === "settle") this.#settleMs = (this.#settleMs ?? 0) + tookMs;
    const place = this.#stages.indexOf(stage);
    if (place === -1) {
      this.#stages.push(stage);
      this.#stageMs.push(tookMs);
    } else this.#stageMs[place] = (this.#stageMs[place] ?? 0) + tookMs;
  }

  /** The stages that have ended, in order. */
  get stages(): readonly Stage[] {
    return this.#stages;
  }

  /** The duration of each of these in milliseconds. */
  get stageMs(): readonly number[] {
    return this.#stageMs;
  }

  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** Time spent waiting for providers so far. */
  get providerMs(): number {
    return this.#providerMs;
  }

  /** Time until the charge was stored; undefined before that. */
  get settleMs(): number | undefined {
    return this.#settleMs;
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
