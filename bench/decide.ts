/**
 * What one routing decision costs: reading the request, quoting, judging and ranking fifty models for a prompt of eight
 * thousand characters, and nothing else: no socket, no store. `npx tsx bench/decide.ts`.
 */
import { pathToFileURL } from "node:url";
import { quoter } from "../server/src/billing/quote.ts";
import type { Caller } from "../server/src/domain/caller.ts";
import { conversationOf } from "../server/src/domain/conversation.ts";
import { type Inference, STRATEGIES, type Strategy } from "../server/src/domain/inference.ts";
import { DEFAULT_CALL_LIMITS, FREE, fullNameOf, type Model } from "../server/src/domain/model.ts";
import { normaliseTask } from "../server/src/domain/normalise-task.ts";
import type { Route } from "../server/src/domain/route.ts";
import { DEFAULT_WEIGHTS } from "../server/src/domain/weights.ts";
import { EndpointHealth } from "../server/src/providers/endpoint-health.ts";
import { chooseRoute } from "../server/src/route/choose-route.ts";
import { findCandidates } from "../server/src/route/find-candidates.ts";
import { metadataPredictor } from "../server/src/route/metadata-predictor.ts";
import type { Predictor } from "../server/src/route/predictor.ts";

/** How long decisions took, in microseconds. */
export interface DecisionFigures {
  readonly strategy: Strategy;
  readonly median: number;
  readonly p99: number;
}

export interface DecisionTrial {
  /** How many models can serve; a fifth more can't. */
  readonly candidates: number;
  readonly promptCharacters: number;
  readonly rounds: number;
  readonly predictor: Predictor;
}

export const USUAL_TRIAL: DecisionTrial = {
  candidates: 50,
  promptCharacters: 8_000,
  rounds: 20_000,
  predictor: metadataPredictor,
};

const WORDS =
  "please compare these two contracts and tell me in plain words which of them binds me longer and why ";
const FUNDS = { balance: 10n ** 15n, budget: undefined };

/** Decides again and again, and says how long that took under every strategy. */
export function measureDecisions(trial: DecisionTrial = USUAL_TRIAL): DecisionFigures[] {
  const decide = decider(trial);
  for (const strategy of STRATEGIES) for (let round = 0; round < 2_000; round++) decide(strategy);
  return STRATEGIES.map((strategy) => {
    const spans = new Float64Array(trial.rounds);
    for (let round = 0; round < trial.rounds; round++) {
      const begun = process.hrtime.bigint();
      decide(strategy);
      spans[round] = Number(process.hrtime.bigint() - begun) / 1_000;
    }
    spans.sort();
    const at = (share: number) => spans[Math.floor(share * (spans.length - 1))] ?? 0;
    return { strategy, median: at(0.5), p99: at(0.99) };
  });
}

/** One decision for one prompt, as often as it is asked for. */
export function decider({
  candidates,
  promptCharacters,
  predictor,
}: DecisionTrial): (strategy: Strategy) => Route {
  const models = [...modelsOf(candidates, "text"), ...modelsOf(Math.ceil(candidates / 5), "image")];
  const catalogue = {
    all: () => models,
    byName: (name: string) => models.filter((model) => fullNameOf(model) === name || model.name === name),
  };
  const health = healthOf(models);
  const inference = inferenceOf(promptCharacters);
  return (strategy) => {
    const reading = predictor.read(inference);
    const eligible = findCandidates({
      predictor,
      reading,
      catalogue,
      healthOf: (model) => health.of(model.id),
      quoteOf: quoter(inference),
      caller: CALLER,
      inference,
      draw: 0.5,
    });
    return chooseRoute(eligible, FUNDS, {
      strategy,
      weights: DEFAULT_WEIGHTS,
      qualityFloor: 0.3,
      chosenBy: "account",
    });
  };
}

function modelsOf(count: number, type: Model["type"]): Model[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${type}-${index}`,
    provider: `provider-${index % 7}`,
    name: `${type}-${index}`,
    type,
    description: "",
    accountId: "providers",
    wire: "openai",
    endpoint: "https://example.test/v1",
    authType: "bearer",
    credential: undefined,
    mayDialPrivate: false,
    price: {
      version: String(index + 1),
      ...FREE,
      inputPerMillion: BigInt(50_000_000 * (1 + ((index * 37) % 50))),
      outputPerMillion: BigInt(200_000_000 * (1 + ((index * 23) % 50))),
    },
    capabilities: index % 3 === 0 ? ["chat", "coding"] : ["chat"],
    specialties: [],
    avgLatencyMs: 300 + ((index * 131) % 3_000),
    accuracyScore: 0.4 + ((index * 17) % 60) / 100,
    costEfficiency: undefined,
    streaming: true,
    contextWindow: 128_000,
    maxOutputTokens: 8_192,
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "active",
  }));
}

function healthOf(models: readonly Model[]): EndpointHealth {
  const health = new EndpointHealth({ now: () => Date.now(), monotonicMs: () => performance.now() });
  models.forEach(({ id }, index) => {
    for (let call = 0; call < index % 12; call++) {
      const firstPartMs = 100 + ((index * 71) % 900);
      health.succeeded(id, { ms: firstPartMs + 2_000, firstPartMs, outputTokens: 100 + index * 5 });
    }
  });
  return health;
}

const CALLER: Caller = {
  keyId: "key",
  accountId: "account",
  provider: "customer",
  operator: false,
  suspended: false,
  person: undefined,
  scopes: new Set(["inference"]),
  requestsPerMinute: undefined,
  budget: undefined,
  models: undefined,
  ips: undefined,
  strategy: undefined,
  weights: undefined,
  keepsContent: false,
  timeZone: "UTC",
};

function inferenceOf(characters: number): Inference {
  const prompt = WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters);
  return {
    task: normaliseTask("chat"),
    conversation: conversationOf(prompt),
    model: undefined,
    fallbacks: [],
    strategy: undefined,
    preferences: {
      speed: undefined,
      cost: undefined,
      quality: undefined,
      maxCost: undefined,
      maxLatencyMs: undefined,
      minQuality: undefined,
    },
    parameters: {
      maxTokens: undefined,
      temperature: undefined,
      size: undefined,
      voice: undefined,
      format: undefined,
      others: {},
    },
    streaming: false,
  };
}

/** The figures as lines of text. */
export function writeDecisions(figures: readonly DecisionFigures[]): string {
  return figures
    .map(
      ({ strategy, median, p99 }) =>
        `${strategy.padEnd(18)} median ${median.toFixed(1)} µs, 99th percentile ${p99.toFixed(1)} µs`,
    )
    .join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.stdout.write(`${writeDecisions(measureDecisions())}\n`);
}
