import type { Adapter } from "@trunkline/core/adapter.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { testInference } from "../conformance/test-requests.ts";
import type { EndpointHealth } from "./endpoint-health.ts";

/** At most one endpoint in so many milliseconds is probed, by all instances together. */
const PROBE_INTERVAL_MS = 15_000;
/** Instances that were started together must not always ask in one moment. */
const JITTER = 0.2;
/** An endpoint that was called within this time needs no probe. */
const IDLE_MS = 120_000;
/** One that no route has thought of for so long does not matter now. */
const CONSIDERED_WITHIN_MS = 600_000;
/** How many of a route's candidates are likely to be called. */
const LIKELY_CANDIDATES = 3;

/** What the prober works with. */
export interface ProberOptions extends ProbeOptions {
  readonly isEnabled: boolean;
  readonly random: () => number;
  /** Every registered model. */
  readonly models: () => readonly Model[];
  /** True for one instance in so many milliseconds. */
  readonly claimTurn: (everyMs: number) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** How much a model needs a probe. */
interface ProbeNeed {
  readonly ownerProbedMs: number;
  readonly probedMs: number;
  readonly isTrial: boolean;
  readonly idleMs: number;
}

/** Calls endpoints that matter and that nobody calls, so that the next request finds out nothing by waiting. */
export class Prober {
  readonly #parts: ProberOptions;
  /** When a route last had a model among its first candidates, by its id. */
  readonly #considered = new Map<string, number>();
  /** When a model was last probed by this instance, by its id; and when any of its owner's was. */
  readonly #probed = new Map<string, number>();
  readonly #ownerProbed = new Map<string, number>();
  readonly #outcomes = new Map<ProbeOutcome, number>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(parts: ProberOptions) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#parts.isEnabled) this.#schedule();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort(new Error("The service is stopping."));
    await this.#round;
  }

  /** A route was planned. Told with every request, so that it does as good as nothing. */
  considered(candidates: readonly Candidate[]): void {
    if (!this.#parts.isEnabled) return;
    const nowMs = this.#parts.clock.monotonicMs();
    for (let place = 0; place < LIKELY_CANDIDATES; place++) {
      const model = candidates[place]?.model;
      if (model === undefined) return;
      if (isProbeable(model)) this.#considered.set(model.id, nowMs);
    }
  }

  /** Probes the endpoint that needs it most, if any does and it is this instance's turn. Never throws. */
  round(): Promise<void> {
    this.#round ??= this.#probeNext().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** How many probes there were, by what came of them. */
  outcomes(): ReadonlyMap<ProbeOutcome, number> {
    return this.#outcomes;
  }

  #schedule(): void {
    const ms = PROBE_INTERVAL_MS * (1 + JITTER * this.#parts.random());
    this.#timer = setTimeout(() => {
      void this.round().then(() => {
        if (!this.#stopping.signal.aborted) this.#schedule();
      });
    }, ms);
    this.#timer.unref();
  }

  async #probeNext(): Promise<void> {
    const { claimTurn: takeTurn, onError } = this.#parts;
    const { signal } = this.#stopping;
    const model = this.#neediest();
    if (model === undefined || signal.aborted) return;
    try {
      if (!(await takeTurn(PROBE_INTERVAL_MS)) || signal.aborted) return;
      const nowMs = this.#parts.clock.monotonicMs();
      this.#probed.set(model.id, nowMs);
      this.#ownerProbed.set(ownerOf(model), nowMs);
      const outcome = await probeModel(this.#parts, model, signal);
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  #neediest(): Model | undefined {
    this.#forget();
    let neediest: Model | undefined;
    let most: ProbeNeed | undefined;
    for (const model of this.#parts.models()) {
      const probeNeed = this.#needOf(model);
      if (probeNeed === undefined || (most !== undefined && !isMoreUrgent(probeNeed, most))) continue;
      neediest = model;
      most = probeNeed;
    }
    return neediest;
  }

  /** Only what routes think of, and what waits for its trial or is idle. */
  #needOf(model: Model): ProbeNeed | undefined {
    if (!this.#considered.has(model.id) || !isProbeable(model) || !isRouted(model)) return undefined;
    const { health } = this.#parts;
    const { state } = health.of(model.id);
    const isTrial = state === "half-open";
    const idleMs = health.idleMs(model.id) ?? Number.POSITIVE_INFINITY;
    if (!isTrial && (state !== "closed" || idleMs <= IDLE_MS)) return undefined;
    const ownerProbedMs = this.#ownerProbed.get(ownerOf(model)) ?? Number.NEGATIVE_INFINITY;
    const probedMs = this.#probed.get(model.id) ?? Number.NEGATIVE_INFINITY;
    return { ownerProbedMs, probedMs, isTrial, idleMs };
  }

  #forget(): void {
    const sinceMs = this.#parts.clock.monotonicMs() - CONSIDERED_WITHIN_MS;
    for (const moments of [this.#considered, this.#probed, this.#ownerProbed])
      for (const [id, atMs] of moments) if (atMs < sinceMs) moments.delete(id);
  }
}

/**
 * Owners take turns, and so do the models of each, so that nobody's many models take the turns of all. Of those whose turn
 * it is, first those that wait for a trial, then the one that was idle for longest.
 */
function isMoreUrgent(one: ProbeNeed, other: ProbeNeed): boolean {
  if (one.ownerProbedMs !== other.ownerProbedMs) return one.ownerProbedMs < other.ownerProbedMs;
  if (one.probedMs !== other.probedMs) return one.probedMs < other.probedMs;
  if (one.isTrial !== other.isTrial) return one.isTrial;
  return one.idleMs > other.idleMs;
}

function ownerOf({ accountId }: Model): string {
  return accountId ?? "";
}

/** Neither what costs us nothing to ask, nor what somebody else pays for, nor what can't answer in a few words. */
function isProbeable({ wire, ownKey, type }: Model): boolean {
  return wire !== "builtin" && ownKey !== true && (type === "text" || type === "multimodal");
}

function isRouted({ state, price }: Model): boolean {
  return (state === "active" || state === "probation") && price !== undefined;
}

/** Enough to see that it answers. */
const PROBE_TOKENS_MAX = 16;

/** What a probe works with. */
interface ProbeOptions {
  readonly health: EndpointHealth;
  readonly clock: Clock;
  readonly adapterFor: (model: Model) => Adapter;
}

type ProbeOutcome = "answered" | "failed" | "left out";

/** Calls a model for nobody, to know how it does. The health hears of it; nobody is charged, and nothing is put on record. */
async function probeModel(
  { health, clock, adapterFor }: ProbeOptions,
  model: Model,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const { id, streaming } = model;
  if (!health.admit(id)) return "left out";
  const startedMs = clock.monotonicMs();
  let firstPartMs: number | undefined;
  health.started(id);
  try {
    const call = {
      model,
      inference: probeInference(model),
      requestId: `probe-${newId()}`,
      signal,
      onPause: (seconds: number) => health.pause(id, seconds),
      onRemainingCalls: (calls: number, seconds: number) => health.setRemainingCalls(id, calls, seconds),
    };
    for await (const part of adapterFor(model).call(call)) {
      if (part.type !== "usage" && part.type !== "finish") firstPartMs ??= clock.monotonicMs() - startedMs;
    }
    signal.throwIfAborted();
    const ms = clock.monotonicMs() - startedMs;
    // What comes in one piece says nothing of how soon a stream begins.
    const figures = { ms, firstPartMs: streaming ? firstPartMs : undefined, outputTokens: 1, isProbe: true };
    health.succeeded(id, figures);
    return "answered";
  } catch (error) {
    if (signal.aborted || !(error instanceof ProviderFailure)) {
      health.abandoned(id);
      throw error;
    }
    health.probeFailed(id, error);
    return "failed";
  } finally {
    health.ended(id);
  }
}

function probeInference({ type, streaming }: Model): Inference {
  const plain = testInference(type, streaming);
  return { ...plain, parameters: { ...plain.parameters, maxTokens: PROBE_TOKENS_MAX } };
}
