import type { Caller, RateLimit } from "./caller.ts";
import type { Clock } from "./clock.ts";
import type { FaultType } from "./fault.ts";
import { timeOfId } from "./id.ts";
import type { Inference } from "./inference.ts";
import type { NanoCredits } from "./money.ts";
import type { Receipt } from "./parts.ts";
import type { Attempt } from "./provider-failure.ts";
import type { Candidate, Route } from "./route.ts";
import { type CallSpan, startCallSpan, type TraceContext } from "./trace-context.ts";
import type { ChargedUsage } from "./usage.ts";
import type { Verdict } from "./verdict.ts";

/** The stages of a request, in their usual order. */
export type Stage =
  | "authenticate"
  | "admit"
  | "validate"
  | "claim"
  | "route"
  | "screen"
  | "guardrail"
  | "cache"
  | "hold"
  | "provider"
  | "client"
  | "charge"
  | "settle";

/** For ten stages, as most requests have, so that the list need not grow. As numbers that V8 keeps in a row. */
const ROOM_FOR_TIMES: readonly number[] = Array.from({ length: 10 }, () => Number.NaN);

/** Stages in the order in which a request ended them. There are few such orders, so each is made once and kept. */
class StageOrder {
  readonly stages: readonly Stage[];
  readonly #next = new Map<Stage, StageOrder>();

  constructor(stages: readonly Stage[]) {
    this.stages = stages;
  }

  /** These stages and then this one. */
  and(stage: Stage): StageOrder {
    const known = this.#next.get(stage);
    if (known !== undefined) return known;
    const next = new StageOrder([...this.stages, stage]);
    this.#next.set(stage, next);
    return next;
  }
}

const NO_STAGES = new StageOrder([]);
const NO_ATTEMPTS: readonly Attempt[] = [];
const NO_FIELDS: readonly string[] = [];

/** What each stage records about a request: its stored record, response headers and metrics are made from it. */
export class RequestTrace {
  readonly requestId: string;
  readonly path: string;
  /** Taken from the id, so that a range of time is a range of ids. */
  readonly receivedAt: Date;
  readonly #clock: Clock;
  readonly #startMs: number;
  #lastMarkMs: number;
  #order = NO_STAGES;
  /** How long each stage took. */
  readonly #times = ROOM_FOR_TIMES.slice();
  /** When each stage began, and when it last ended, as it may take turns with another one. Only where traces are made. */
  #spans: number[] | undefined;
  #providerMs = 0;
  #guardrailMs = 0;
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
  unsupportedFields = NO_FIELDS;
  attempts = NO_ATTEMPTS;
  /** How many calls the answer consists of, one after the other. */
  segmentCount = 0;
  /** What the account's guardrail hooks noted about the request; undefined: nothing. */
  annotations: Readonly<Record<string, string>> | undefined;
  /** Why the request was refused or failed. */
  faultType: FaultType | undefined;
  /** What the request used and cost; undefined: nothing was to be charged. */
  charge: (ChargedUsage & { readonly cost: NanoCredits }) | undefined;
  /** The text of the answer as the model gave it; undefined until the request is settled. */
  output: string | undefined;
  /** undefined: no traces are made. */
  context: TraceContext | undefined;

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
    if (stage === "guardrail") this.#guardrailMs += tookMs;
    if (stage === "settle") this.#settleMs = (this.#settleMs ?? 0) + tookMs;
    const { length } = this.stages;
    const known = this.stages.indexOf(stage);
    const place = known === -1 ? length : known;
    if (known === -1) this.#order = this.#order.and(stage);
    this.#times[place] = known === -1 ? tookMs : (this.#times[place] ?? 0) + tookMs;
    if (this.context === undefined) return;
    this.#spans ??= [];
    const spans = this.#spans;
    if (known === -1) spans[2 * place] = now - tookMs - this.#startMs;
    spans[2 * place + 1] = now - this.#startMs;
  }

  /** Starts the span of a call of a provider; undefined: no traces are made. */
  startCall(): CallSpan | undefined {
    return this.context === undefined ? undefined : startCallSpan(this.context, this.elapsedMs);
  }

  /** The stages that have ended, in order. */
  get stages(): readonly Stage[] {
    return this.#order.stages;
  }

  /** The duration of each of these in milliseconds, so far. */
  get stageMs(): readonly number[] {
    return this.#times.slice(0, this.stages.length);
  }

  /** The duration of the stage at this place of them so far. */
  stageMsAt(place: number): number {
    return this.#times[place] ?? 0;
  }

  /** When each of these began, in milliseconds since the request did. Only where traces are made. */
  get stageStartMs(): readonly number[] {
    return this.stages.map((_, place) => this.#spans?.[2 * place] ?? 0);
  }

  /** When each of these ended for the last time. Only where traces are made. */
  get stageEndMs(): readonly number[] {
    return this.stages.map((_, place) => this.#spans?.[2 * place + 1] ?? 0);
  }

  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** Time spent waiting for providers so far. */
  get providerMs(): number {
    return this.#providerMs;
  }

  /** Time spent waiting for the account's guardrail hooks. */
  get guardrailMs(): number {
    return this.#guardrailMs;
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
