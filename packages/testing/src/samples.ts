import type { Caller, Person } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import {
  DEFAULT_WEIGHTS,
  type Inference,
  normaliseTask,
  type Strategy,
  type StrategyWeights,
  textInference,
} from "@trunkline/core/inference.ts";
import { DEFAULT_CALL_LIMITS, FREE_PRICE, fullNameOf, type Model, type PricedModel } from "@trunkline/core/model.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import type { AudioLength, Candidate, Health, Quote, RankedCandidate } from "@trunkline/core/route.ts";
import type { Catalogue } from "@trunkline/router/candidates/catalogue.ts";
import {
  type CandidatePool,
  type FindCandidatesInput,
  findCandidates,
} from "@trunkline/router/candidates/find-candidates.ts";
import { metadataPredictor } from "@trunkline/router/predict/predictor.ts";
import type { RoutingPolicy } from "@trunkline/router/rank/strategies.ts";

/** A plain active text model for tests, called `provider/name`, with what a test changes. */
export function sampleModel(fullName: string, changes: Partial<Model> = {}): PricedModel {
  const [provider = "acme", name = "model"] = fullName.split("/");
  return {
    id: fullName,
    provider,
    name,
    type: "text",
    description: "",
    accountId: "provider-account",
    wire: "trunkline",
    endpoint: "https://example.test/generate",
    authType: "none",
    credential: undefined,
    mayDialPrivate: false,
    capabilities: [],
    specialties: [],
    avgLatencyMs: 1_000,
    accuracyScore: 0.8,
    costEfficiency: undefined,
    streaming: true,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "active",
    ...changes,
    price: changes.price ?? { version: "1", ...FREE_PRICE },
  };
}

/** One of the four models that come with the service. */
export function sampleBuiltin(name: string, type: Model["type"]): Model {
  return sampleModel(`builtin/${name}`, { type, wire: "builtin", accountId: undefined });
}

/** A request that leaves everything to the service, with what a test changes. */
export function sampleInference(changes: Partial<Inference> = {}): Inference {
  return { ...textInference("Good morning.", normaliseTask("chat")), ...changes };
}

/** A key without any limits of its own. */
export function sampleCaller(changes: Partial<Caller> = {}): Caller {
  return {
    keyId: "key",
    accountId: "client-account",
    provider: "client",
    operator: false,
    suspended: false,
    person: undefined,
    scopes: new Set(["inference"]),
    requestsPerMinute: undefined,
    accountRequestsPerMinute: undefined,
    admissionWeight: 1,
    budget: undefined,
    models: undefined,
    ips: undefined,
    strategy: undefined,
    weights: undefined,
    keepsContent: false,
    timeZone: "UTC",
    ...changes,
  };
}

/** A member at the dashboard, an owner, with what a test changes. */
export function samplePerson(changes: Partial<Person> = {}): Person {
  return {
    id: "person",
    email: "ada@example.test",
    name: "Ada",
    role: "owner",
    sessionId: "session",
    ...changes,
  };
}

/** Ranks by a strategy of the account, with the service's own weights and floor. */
export function samplePolicy(strategy: Strategy, strategyWeights: StrategyWeights = DEFAULT_WEIGHTS): RoutingPolicy {
  return { strategy, weights: strategyWeights, qualityFloor: 0.6, floorSetBy: "service", chosenBy: "account" };
}

/** A request of no known domain. */
export const PLAIN_READING: PromptFeatures = {
  domain: "chat",
  family: "chat",
  confidence: 0,
  difficulty: 0.5,
  shares: [],
};

/** An endpoint that is up and was never called, with what a test changes. */
export function sampleHealth(changes: Partial<Health> = {}): Health {
  return {
    available: true,
    calls: 0,
    latencyMs: undefined,
    wholeP95Ms: undefined,
    firstPartMs: undefined,
    firstPartP95Ms: undefined,
    tokensPerSecond: undefined,
    errorRate: 0,
    inFlight: 0,
    waitMs: 0,
    room: undefined,
    state: "closed",
    outage: undefined,
    ...changes,
  };
}

/** A request that neither makes nor hears audio. */
export const SILENT: AudioLength = {
  spokenMs: 0,
  maxSpokenMs: 0,
  heardMs: 0,
  maxHeardMs: 0,
  heardIsExact: true,
};

/** A quote of ten tokens in and, as usual, 256 out. */
export function sampleQuote(estimate: bigint, worst: bigint = estimate * 2n): Quote {
  return {
    price: { version: "1", ...FREE_PRICE },
    inputTokens: 10,
    attachedTokens: 0,
    maxOutputTokens: 1_000,
    usualOutputTokens: 256,
    audio: SILENT,
    estimate,
    worst,
  };
}

/** A model that was chosen for a tenth of a second's work, with what a test changes. */
export function sampleCandidate(model: Model, changes: Partial<Candidate> = {}): Candidate {
  return {
    model,
    quote: sampleQuote(1n),
    fit: "unsaid",
    quality: 0.8,
    lowerQuality: 0.4,
    evidence: 0,
    latencyMs: 100,
    time: { wholeMs: 100, queueMs: 0, firstTokenMs: 20, tokensPerSecond: 3_200 },
    errorRate: 0,
    available: true,
    state: "closed",
    calls: 0,
    inFlight: 0,
    isWanted: false,
    tierKind: "automatic",
    tier: 0,
    ...changes,
  };
}

/** A candidate as ranking returns it. */
export function sampleRanked(candidate: Candidate, reasons: readonly string[] = []): RankedCandidate {
  return { candidate, score: 1, clearsFloor: true, reasons };
}

export function sampleCatalogue(models: readonly Model[]): Catalogue {
  return {
    all: () => models,
    byName: (name) => models.filter((model) => model.name === name || fullNameOf(model) === name),
  };
}

/** What `findCandidates` takes, over these models: all up, all at one price. */
export function sampleSearch(
  models: readonly Model[],
  changes: Partial<FindCandidatesInput> = {},
): FindCandidatesInput {
  return {
    catalogue: sampleCatalogue(models),
    healthOf: () => sampleHealth(),
    predictor: metadataPredictor,
    promptFeatures: PLAIN_READING,
    quoteOf: () => sampleQuote(1_000_000n),
    caller: sampleCaller(),
    inference: sampleInference(),
    trafficKey: 1,
    ...changes,
  };
}

/** Finds candidates for a sample request with what a test changes. */
export function find(
  models: readonly Model[],
  inference: Partial<Inference> = {},
  changes: Partial<FindCandidatesInput> = {},
): CandidatePool {
  return findCandidates(sampleSearch(models, { inference: sampleInference(inference), ...changes }));
}

/** The full names of what can serve, tier by tier. */
export function namesOf(candidatePool: CandidatePool): string[][] {
  return candidatePool.tiers.map((tier) => tier.map(({ model }) => fullNameOf(model)));
}

/** The fault that an act ends in; an act that ends otherwise fails the test. */
export function faultOf(act: () => unknown): Fault {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}
