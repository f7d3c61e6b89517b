import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Strategy } from "@trunkline/core/inference.ts";
import type { Model, Price } from "@trunkline/core/model.ts";
import { createRandom } from "@trunkline/core/random.ts";
import { requoter } from "@trunkline/core/requote.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import { SimulatedTime } from "./simulated-clock.ts";
import { type Nature, SimulatedProvider } from "./simulated-provider.ts";
import { CALLER, clearsFloor, SimulatedRouter } from "./simulated-router.ts";
import { makeTraffic, type SimulatedRequest } from "./simulated-traffic.ts";

/** Something that happens to one provider. */
export interface Turn {
  readonly atMs: number;
  /** For people, short. */
  readonly name: string;
  readonly provider: string;
  readonly change: (provider: SimulatedProvider) => void;
}

export interface Scenario {
  readonly seed: string;
  readonly perSecond: number;
  readonly forMs: number;
  readonly natures: readonly Nature[];
  /** The providers that come only later, by when. */
  readonly arrivals: Readonly<Record<string, number>>;
  readonly turns: readonly Turn[];
  /** How long a provider may say nothing, where that is not as usual. */
  readonly firstByteMs?: number;
}

/** What one could have had who knew how every provider is doing: the least cost, the time of the fastest, the most quality. */
export interface Hindsight {
  readonly cost: number;
  readonly ms: number;
  readonly quality: number;
}

/** What became of one request. */
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
  /** undefined: nobody could have answered. */
  readonly best: Hindsight | undefined;
}

export interface Run {
  readonly strategy: Strategy;
  readonly scenario: Scenario;
  readonly outcomes: readonly Outcome[];
  /** When each provider was called. */
  readonly callsMs: Readonly<Record<string, readonly number[]>>;
  /** When calls of each provider failed. */
  readonly failuresMs: Readonly<Record<string, readonly number[]>>;
}

/** Sends the traffic of a scenario through the real router under one strategy. */
export async function runSimulation(scenario: Scenario, strategy: Strategy): Promise<Run> {
  const time = new SimulatedTime();
  const router = new SimulatedRouter(time, createRandom(`${scenario.seed} router`));
  const providers = scenario.natures.map(
    (nature, place) => new SimulatedProvider(nature, place, time, scenario.firstByteMs),
  );
  const byId = new Map(providers.map((provider) => [provider.nature.name, provider]));
  const present = () =>
    providers.filter(({ nature }) => time.monotonicMs() >= (scenario.arrivals[nature.name] ?? 0));
  for (const turn of scenario.turns) {
    const provider = byId.get(turn.provider);
    if (provider === undefined) throw new Error(`There is no provider "${turn.provider}".`);
    time.at(turn.atMs, () => turn.change(provider));
  }

  const outcomes: Outcome[] = [];
  const failures: unknown[] = [];
  for (const request of makeTraffic({ ...scenario, providers: providers.length }, strategy)) {
    time.at(request.atMs, () => {
      serve(request, router, present(), time)
        .then((outcome) => outcomes.push(outcome))
        .catch((error: unknown) => {
          failures.push(error);
        });
    });
  }
  await time.run();
  if (failures.length > 0)
    throw new AggregateError(failures, "Requests failed that should have been told how.");
  return {
    strategy,
    scenario,
    outcomes: outcomes.toSorted((one, other) => one.atMs - other.atMs),
    callsMs: Object.fromEntries(providers.map(({ nature, callsMs }) => [nature.name, callsMs])),
    failuresMs: Object.fromEntries(providers.map(({ nature, failuresMs }) => [nature.name, failuresMs])),
  };
}

async function serve(
  request: SimulatedRequest,
  router: SimulatedRouter,
  present: readonly SimulatedProvider[],
  time: SimulatedTime,
): Promise<Outcome> {
  const best = hindsightOf(request, present);
  const byId = new Map(present.map((provider) => [provider.model.id, provider]));
  const find = ({ id }: Model) => {
    const provider = byId.get(id);
    if (provider === undefined) throw new Error(`Nobody has the model "${id}".`);
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
      clock: time,
      secure: async () => true,
      mayRetry: () => router.retries.take(CALLER.accountId),
      requote: requoter(),
      countTokens,
      random: router.random,
      wait: (ms, signal) => time.sleep(ms, signal),
      onAttempt: () => void attempts++,
      onChosen: ({ model, quote }) => {
        chosen = { model, price: quote.price };
      },
    });
    for await (const _ of parts) {
      // Only that it comes counts here.
    }
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof ProviderFailure)) throw error;
    chosen = undefined;
  }
  const endMs = time.monotonicMs();
  const common = { atMs: request.atMs, endMs, attempts, ms: endMs - request.atMs, best };
  if (chosen === undefined) return { ...common, provider: undefined, cost: 0, quality: 0 };
  const provider = find(chosen.model);
  const { name, quality } = provider.nature;
  return { ...common, provider: name, cost: provider.costOf(request, chosen.price), quality };
}

/** The best that there was among those that would have answered and were within the bounds of the request. */
function hindsightOf(
  request: SimulatedRequest,
  present: readonly SimulatedProvider[],
): Hindsight | undefined {
  const feasible = present.filter(
    (provider) => provider.wouldAnswer && clearsFloor(provider.nature.quality, request.inference),
  );
  if (feasible.length === 0) return undefined;
  // Nobody can know whom luck will make fast this once: the fastest is the one that usually is.
  const fastest = feasible.reduce((one, other) =>
    other.usualMs(request) < one.usualMs(request) ? other : one,
  );
  return {
    cost: Math.min(...feasible.map((provider) => provider.costOf(request))),
    ms: fastest.spanOf(request).wholeMs,
    quality: Math.max(...feasible.map(({ nature }) => nature.quality)),
  };
}
