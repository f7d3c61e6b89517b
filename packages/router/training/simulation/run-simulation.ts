import { countTokens } from "@trunkline/core/count-tokens.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference, Strategy } from "@trunkline/core/inference.ts";
import type { Model, Price } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { createQuoter, createRequoter } from "@trunkline/core/quote.ts";
import { createSeededRandom, type Random } from "@trunkline/core/random.ts";
import type { Route } from "@trunkline/core/route.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import { RetryBudget } from "@trunkline/providers/call/retry-policy.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { sampleCaller, sampleCatalogue } from "@trunkline/testing/samples.ts";
import { trafficKeyOf } from "../../src/candidates/eligibility.ts";
import { findCandidates } from "../../src/candidates/find-candidates.ts";
import type { Predictor } from "../../src/predict/predictor.ts";
import { chooseRoute } from "../../src/rank/choose-route.ts";
import { resolveRoutingPolicy } from "../../src/rank/strategies.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { type Profile, SimulatedProvider } from "./simulated-provider.ts";
import { generateTraffic, type SimulatedRequest } from "./simulated-traffic.ts";

/** An event at one provider. */
export interface ProviderEvent {
  readonly atMs: number;
  /** A short label. */
  readonly name: string;
  readonly provider: string;
  readonly change: (provider: SimulatedProvider) => void;
}

export interface Scenario {
  readonly seed: string;
  readonly perSecond: number;
  readonly durationMs: number;
  readonly profiles: readonly Profile[];
  /** The providers that appear later, with the time. */
  readonly arrivals: Readonly<Record<string, number>>;
  readonly providerEvents: readonly ProviderEvent[];
  /** The timeout of the first part; undefined: the default. */
  readonly firstByteMs?: number;
}

/** The best possible values with full knowledge of every provider: lowest cost, shortest time, highest quality. */
interface Hindsight {
  readonly cost: number;
  readonly ms: number;
  readonly quality: number;
}

/** The result of one request. */
export interface Outcome {
  readonly atMs: number;
  readonly endMs: number;
  /** The provider that answered; undefined: the client got an error. */
  readonly provider: string | undefined;
  readonly attempts: number;
  /** Nano-credits. */
  readonly cost: number;
  readonly ms: number;
  readonly quality: number;
  /** undefined: no provider could have answered. */
  readonly best: Hindsight | undefined;
}

export interface SimulationRun {
  readonly strategy: Strategy;
  readonly scenario: Scenario;
  readonly outcomes: readonly Outcome[];
  /** When each provider was called. */
  readonly callsMs: Readonly<Record<string, readonly number[]>>;
  /** When calls of each provider failed. */
  readonly failuresMs: Readonly<Record<string, readonly number[]>>;
}

/** Sends the traffic of a scenario through the real router under one strategy. */
export async function runSimulation(scenario: Scenario, strategy: Strategy): Promise<SimulationRun> {
  const time = new SimulatedClock();
  const router = new SimulatedRouter(time, createSeededRandom(`${scenario.seed} router`));
  const providers = scenario.profiles.map(
    (profile, place) => new SimulatedProvider(profile, place, time, scenario.firstByteMs),
  );
  const byId = new Map(providers.map((provider) => [provider.profile.name, provider]));
  const present = () => providers.filter(({ profile }) => time.monotonicMs() >= (scenario.arrivals[profile.name] ?? 0));
  for (const providerEvent of scenario.providerEvents) {
    const provider = byId.get(providerEvent.provider);
    if (provider === undefined) throw new Error(`There is no provider "${providerEvent.provider}".`);
    time.schedule(providerEvent.atMs, () => providerEvent.change(provider));
  }

  const outcomes: Outcome[] = [];
  const failures: unknown[] = [];
  for (const request of generateTraffic({ ...scenario, providers: providers.length }, strategy)) {
    time.schedule(request.atMs, () => {
      serveRequest(request, router, present(), time)
        .then((outcome) => outcomes.push(outcome))
        .catch((error: unknown) => {
          failures.push(error);
        });
    });
  }
  await time.run();
  if (failures.length > 0) throw new AggregateError(failures, "Requests failed that should have been told how.");
  return {
    strategy,
    scenario,
    outcomes: outcomes.toSorted((one, other) => one.atMs - other.atMs),
    callsMs: Object.fromEntries(providers.map(({ profile, callsMs }) => [profile.name, callsMs])),
    failuresMs: Object.fromEntries(providers.map(({ profile, failuresMs }) => [profile.name, failuresMs])),
  };
}

async function serveRequest(
  request: SimulatedRequest,
  router: SimulatedRouter,
  present: readonly SimulatedProvider[],
  time: SimulatedClock,
): Promise<Outcome> {
  const best = bestInHindsight(request, present);
  const byId = new Map(present.map((provider) => [provider.model.id, provider]));
  const find = ({ id }: Model) => {
    const provider = byId.get(id);
    if (provider === undefined) throw new Error(`No provider has the model "${id}".`);
    return provider;
  };
  let attempts = 0;
  let chosen: { readonly model: Model; readonly price: Price } | undefined;
  try {
    const route = router.plan(
      present.map(({ model }) => model),
      request.inference,
      request.id,
    );
    router.retries.noteRequest(CALLER.accountId);
    const parts = callCandidates({
      candidates: route.candidates,
      inference: request.inference,
      requestId: request.id,
      accountId: CALLER.accountId,
      signal: new AbortController().signal,
      adapterFor: (model) => find(model).adapterFor(request),
      health: router.health,
      coverCost: async () => true,
      mayRetry: () => router.retries.take(CALLER.accountId),
      requote: createRequoter(),
      countTokens,
      random: router.random,
      wait: (ms, signal) => time.sleep(ms, signal),
      onAttempt: () => void attempts++,
      onChosen: ({ model, quote }) => {
        chosen = { model, price: quote.price };
      },
    });
    for await (const _ of parts) {
      // Only the arrival of a part matters here.
    }
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof ProviderFailure)) throw error;
    chosen = undefined;
  }
  const endMs = time.monotonicMs();
  const common = { atMs: request.atMs, endMs, attempts, ms: endMs - request.atMs, best };
  if (chosen === undefined) return { ...common, provider: undefined, cost: 0, quality: 0 };
  const provider = find(chosen.model);
  const { name, quality } = provider.profile;
  return { ...common, provider: name, cost: provider.costOf(request, chosen.price), quality };
}

/** The best values among the providers that would have answered within the bounds of the request. */
function bestInHindsight(request: SimulatedRequest, present: readonly SimulatedProvider[]): Hindsight | undefined {
  const feasible = present.filter(
    (provider) => provider.wouldAnswer && clearsFloor(provider.profile.quality, request.inference),
  );
  if (feasible.length === 0) return undefined;
  // Random speed is not predictable, so the fastest is the one that is usually fastest.
  const fastest = feasible.reduce((one, other) => (other.typicalMs(request) < one.typicalMs(request) ? other : one));
  return {
    cost: Math.min(...feasible.map((provider) => provider.costOf(request))),
    ms: fastest.durationsOf(request).wholeMs,
    quality: Math.max(...feasible.map(({ profile }) => profile.quality)),
  };
}

const CALLER = sampleCaller();
const FUNDS = { balance: 10n ** 18n, budget: undefined };
/** The service's defaults. */
const EXPLORATION = 0.05;
const DEFAULTS = { strategy: "cost-optimized", qualityFloor: 0.3 } as const;
/** The distance of the predictor's lower bound to the true quality. */
const LOWER_BOUND_MARGIN = 0.05;

/** Whether the lower bound of a model meets the request. */
function clearsFloor(quality: number, { preferences }: Inference): boolean {
  return quality - LOWER_BOUND_MARGIN >= (preferences.minQuality ?? DEFAULTS.qualityFloor);
}

/** Knows the true quality of every model: the simulation tests reactions to changes, not predictions. */
const oraclePredictor: Predictor = {
  extractFeatures: ({ task }) => ({
    domain: task.kind,
    family: task.kind,
    confidence: 1,
    difficulty: 0.5,
    shares: [{ domain: task.kind, share: 1 }],
  }),
  predict: ({ accuracyScore = 0.5 }) => ({
    quality: accuracyScore,
    lower: accuracyScore - LOWER_BOUND_MARGIN,
    evidence: 100,
  }),
  expectedOutputTokens: () => undefined,
};

/** The service's routing from a request to its candidates, including what it learns, without a store. */
class SimulatedRouter {
  readonly health: EndpointHealth;
  readonly retries: RetryBudget;
  readonly random: Random;

  constructor(time: SimulatedClock, random: Random) {
    this.random = random;
    this.health = new EndpointHealth(time, random);
    this.retries = new RetryBudget(time);
  }

  plan(models: readonly Model[], inference: Inference, requestId: string): Route {
    const candidatePool = findCandidates({
      predictor: oraclePredictor,
      promptFeatures: oraclePredictor.extractFeatures(inference),
      catalogue: sampleCatalogue(models),
      healthOf: (model) => this.health.of(model.id),
      quoteOf: createQuoter(inference, () => undefined),
      caller: CALLER,
      inference,
      trafficKey: trafficKeyOf(inference, CALLER, requestId),
    });
    return chooseRoute(candidatePool, FUNDS, resolveRoutingPolicy(inference, CALLER, DEFAULTS), {
      random: this.random,
      sessionModel: undefined,
      exploration: EXPLORATION,
      frozen: false,
    });
  }
}
