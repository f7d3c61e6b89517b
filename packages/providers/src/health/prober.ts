import { type Adapter, partsOf } from "@trunkline/core/adapter.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { traitsOf } from "@trunkline/core/model-traits.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { testInference } from "../conformance/test-requests.ts";
import type { EndpointHealth } from "./endpoint-health.ts";

/** All instances together probe at most one endpoint in this time. */
const PROBE_INTERVAL_MS = 15_000;
/** Instances that were started together must not always probe at the same moment. */
const JITTER = 0.2;
/** An endpoint that was called within this time needs no probe. */
const IDLE_MS = 120_000;
/** An endpoint that no route has considered for this long needs no probe. */
const CONSIDERED_WITHIN_MS = 600_000;
/** How many of a route's candidates are likely to be called. */
const LIKELY_CANDIDATES = 3;

export interface ProberOptions extends ProbeOptions {
  readonly isEnabled: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  /** Every registered model. */
  readonly models: () => readonly Model[];
  /** True for only one instance within this time. */
  readonly claimTurn: (everyMs: number) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** How urgently a model needs a probe. */
interface ProbeNeed {
  readonly ownerProbedMs: number;
  readonly probedMs: number;
  readonly isTrial: boolean;
  readonly idleMs: number;
}

/** Calls idle endpoints that routes consider, so that no client's request has to find out whether they work. */
export class Prober {
  readonly #options: ProberOptions;
  /** When a route last had a model among its first candidates, by model id. */
  readonly #considered = new Map<string, number>();
  /** When this instance last probed a model, by model id, and any model of an owner, by account id. */
  readonly #probed = new Map<string, number>();
  readonly #ownerProbed = new Map<string, number>();
  readonly #outcomes = new Map<ProbeOutcome, number>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.isEnabled) this.#schedule();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort(new Error("The service is stopping."));
    await this.#round;
  }

  /** Records the candidates of a planned route. Called with every request, so it does very little. */
  considered(candidates: readonly Candidate[]): void {
    if (!this.#options.isEnabled) return;
    const nowMs = this.#options.clock.monotonicMs();
    for (let place = 0; place < LIKELY_CANDIDATES; place++) {
      const model = candidates[place]?.model;
      if (model === undefined) return;
      if (isProbeable(model)) this.#considered.set(model.id, nowMs);
    }
  }

  /** Probes the endpoint that needs it most, if it is this instance's turn. Never throws. */
  round(): Promise<void> {
    this.#round ??= this.#probeNext().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** The number of probes by outcome. */
  outcomes(): ReadonlyMap<ProbeOutcome, number> {
    return this.#outcomes;
  }

  #schedule(): void {
    const ms = PROBE_INTERVAL_MS * (1 + JITTER * this.#options.random());
    this.#timer = setTimeout(() => {
      void this.round().then(() => {
        if (!this.#stopping.signal.aborted) this.#schedule();
      });
    }, ms);
    this.#timer.unref();
  }

  async #probeNext(): Promise<void> {
    const { claimTurn, onError } = this.#options;
    const { signal } = this.#stopping;
    const model = this.#neediest();
    if (model === undefined || signal.aborted) return;
    try {
      if (!(await claimTurn(PROBE_INTERVAL_MS)) || signal.aborted) return;
      const nowMs = this.#options.clock.monotonicMs();
      this.#probed.set(model.id, nowMs);
      this.#ownerProbed.set(ownerOf(model), nowMs);
      const outcome = await probeModel(this.#options, model, signal);
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  #neediest(): Model | undefined {
    this.#forget();
    let neediest: Model | undefined;
    let most: ProbeNeed | undefined;
    for (const model of this.#options.models()) {
      const probeNeed = this.#needOf(model);
      if (probeNeed === undefined || (most !== undefined && !isMoreUrgent(probeNeed, most))) continue;
      neediest = model;
      most = probeNeed;
    }
    return neediest;
  }

  /** undefined unless routes consider the model and it is idle or waits for a trial call. */
  #needOf(model: Model): ProbeNeed | undefined {
    if (!this.#considered.has(model.id) || !isProbeable(model) || !isRouted(model)) return undefined;
    const { health } = this.#options;
    const { state } = health.of(model.id);
    const isTrial = state === "half-open";
    const idleMs = health.idleMs(model.id) ?? Number.POSITIVE_INFINITY;
    if (!isTrial && (state !== "closed" || idleMs <= IDLE_MS)) return undefined;
    const ownerProbedMs = this.#ownerProbed.get(ownerOf(model)) ?? Number.NEGATIVE_INFINITY;
    const probedMs = this.#probed.get(model.id) ?? Number.NEGATIVE_INFINITY;
    return { ownerProbedMs, probedMs, isTrial, idleMs };
  }

  #forget(): void {
    const sinceMs = this.#options.clock.monotonicMs() - CONSIDERED_WITHIN_MS;
    for (const moments of [this.#considered, this.#probed, this.#ownerProbed])
      for (const [id, atMs] of moments) if (atMs < sinceMs) moments.delete(id);
  }
}

/**
 * Owners take turns, and so do the models of each, so that an owner with many models does not get all probes. Then come
 * models that wait for a trial call, then the one that was idle for longest.
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

/** Excludes built-in models, models that an account pays for itself, and models that do not answer with text. */
function isProbeable(model: Model): boolean {
  const { wire, ownKey, type } = model;
  if (wire === "builtin" || ownKey === true || (type !== "text" && type !== "multimodal")) return false;
  // A realtime model answers no other calls.
  return !traitsOf(model).isRealtime;
}

function isRouted({ state, price }: Model): boolean {
  return (state === "active" || state === "probation") && price !== undefined;
}

/** Enough to see that the model answers. */
const PROBE_TOKENS_MAX = 16;

interface ProbeOptions {
  readonly health: EndpointHealth;
  readonly adapterFor: (model: Model) => Adapter;
}

type ProbeOutcome = "answered" | "failed" | "left out";

/** Calls a model to measure its health. No account is charged, and the call appears in no record. */
async function probeModel(
  { health, adapterFor }: ProbeOptions,
  model: Model,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const { id, streaming } = model;
  if (!health.admit(id)) return "left out";
  const observation = health.observe(id, { isProbe: true });
  try {
    const call = {
      model,
      inference: probeInference(model),
      requestId: `probe-${newId()}`,
      signal,
      onPause: (seconds: number) => observation.pause(seconds),
      onRemainingCalls: (calls: number, seconds: number) => observation.setRemainingCalls(calls, seconds),
    };
    for await (const part of partsOf(adapterFor(model).call(call))) {
      // An answer in one piece does not tell how soon a stream begins.
      if (streaming && part.type !== "usage" && part.type !== "finish") observation.firstPart();
    }
    signal.throwIfAborted();
    observation.succeeded({ outputTokens: 1 });
    return "answered";
  } catch (error) {
    if (signal.aborted || !(error instanceof ProviderFailure)) throw error;
    observation.failed(error);
    return "failed";
  } finally {
    observation.dispose();
  }
}

function probeInference(model: Model): Inference {
  const plain = testInference(model, model.streaming);
  return { ...plain, parameters: { ...plain.parameters, maxTokens: PROBE_TOKENS_MAX } };
}
