import { createHash } from "node:crypto";
import { systemClock } from "@trunkline/core/clock.ts";
import { conversationOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, STRATEGIES } from "@trunkline/core/inference.ts";
import { FREE_PRICE, fullNameOf, type Model } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import { createSeededRandom, pickRandom, type Random, randomBetween } from "@trunkline/core/random.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { trafficKeyOf } from "@trunkline/router/candidates/eligibility.ts";
import { findCandidates } from "@trunkline/router/candidates/find-candidates.ts";
import { LengthStats } from "@trunkline/router/learn/length-stats.ts";
import { OutcomeStats } from "@trunkline/router/learn/outcome-stats.ts";
import { readRouterWeights } from "@trunkline/router/predict/bundled-weights.ts";
import { QualityPredictor } from "@trunkline/router/predict/quality-predictor.ts";
import { chooseRoute } from "@trunkline/router/rank/choose-route.ts";
import { resolveRoutingPolicy } from "@trunkline/router/rank/strategies.ts";
import { recordAnswer } from "@trunkline/testing/recorded-calls.ts";
import { sampleCaller, sampleCatalogue, sampleInference, sampleModel } from "@trunkline/testing/samples.ts";

/**
 * What one decision of the router takes: reading the request, quoting, judging and ranking fifty models, as the service
 * does it and without any I/O. Prints JSON; `bench/decide.mjs` runs it in a process of its own.
 */

const LENGTHS = [100, 2_000, 8_000];
const CANDIDATES = 50;
const WARM_UP = 6_000;
const ROUNDS = 9;
const DECISIONS = 1_500;
const DIFFERENT_PROMPTS = 64;
const REFERENCE_BYTES = 8_192;
const CALLS_BEFORE = 40;

const CALLER = sampleCaller();
const DEFAULTS = { strategy: "cost-optimized", qualityFloor: 0.6 } as const;
const FUNDS = { balance: 10n ** 18n, budget: undefined };
const SENTENCES = [
  "Please compare these two contracts and tell me which of them binds me longer. ",
  "A train leaves at 9:40 and covers 312 km in 2 h 25 min; what is its mean speed? ",
  "function sum(values) { let total = 0; for (const value of values) total += value; return total; }\n",
  "The patient reports a dull pain in the left knee since the spring, worse on stairs. ",
  "Prove that every finite integral domain is a field, and say where finiteness is used. ",
  "Summarise the minutes below in five sentences for somebody who was not there. ",
] as const satisfies readonly [string, ...string[]];

/** Microseconds of one round: of the whole decision, of its parts, and of the reference beside it. */
interface Round {
  readonly characters: number;
  readonly whole: readonly number[];
  /** Of the processor alone: what else the machine does is no part of it. */
  readonly cpu: readonly number[];
  readonly read: readonly number[];
  readonly find: readonly number[];
  readonly choose: readonly number[];
  readonly reference: readonly number[];
}

const random = createSeededRandom("decisions");
const routerWeights = readRouterWeights();
const models = Array.from({ length: CANDIDATES }, (_, index) => modelOf(index, random));
const health = healthOf(models, random);
const catalogue = sampleCatalogue(models);
const { evidence, lengths } = booksOf(models, random);
const predictor = new QualityPredictor(routerWeights, evidence);
const referenceText = promptOf(REFERENCE_BYTES);

for (const characters of LENGTHS) measureRound(characters, WARM_UP);
const rounds: Round[] = [];
for (let round = 0; round < ROUNDS; round++) {
  for (const characters of LENGTHS) rounds.push(measureRound(characters, DECISIONS));
}
process.stdout.write(JSON.stringify(rounds));

function measureRound(characters: number, decisions: number): Round {
  const bodies = Array.from({ length: DIFFERENT_PROMPTS }, () => JSON.stringify({ input: promptOf(characters) }));
  const round = { whole: [], cpu: [], read: [], find: [], choose: [], reference: [] };
  const spans: Record<keyof typeof round, number[]> = round;
  for (let index = 0; index < decisions; index++) {
    // A request's text is new with every request, so that nothing can be remembered of it.
    const inference = inferenceOf(bodies[index % bodies.length] ?? "", index);
    const cpuBefore = process.cpuUsage();
    const begun = performance.now();
    const promptFeatures = predictor.extractFeatures(inference);
    const wasRead = performance.now();
    const learntLength = lengths.forWork(inference.task.kind, promptFeatures.domain);
    const candidatePool = findCandidates({
      predictor,
      promptFeatures,
      catalogue,
      healthOf: health.lookupNow(),
      quoteOf: createQuoter(
        inference,
        (model, { fullName }) => learntLength(fullName) ?? predictor.expectedOutputTokens(model, promptFeatures),
      ),
      caller: CALLER,
      inference,
      trafficKey: trafficKeyOf(inference, CALLER, `request-${index}`),
    });
    const wereFound = performance.now();
    const route = chooseRoute(candidatePool, FUNDS, resolveRoutingPolicy(inference, CALLER, DEFAULTS), {
      random,
      sessionModel: undefined,
      exploration: 0.05,
      frozen: false,
    });
    const wasChosen = performance.now();
    const cpu = process.cpuUsage(cpuBefore);
    const hashing = performance.now();
    createHash("sha256").update(referenceText).digest();
    const wasHashed = performance.now();
    if (route.ranking.length !== CANDIDATES) throw new Error("Not every model can serve.");
    spans.read.push((wasRead - begun) * 1_000);
    spans.find.push((wereFound - wasRead) * 1_000);
    spans.choose.push((wasChosen - wereFound) * 1_000);
    spans.whole.push((wasChosen - begun) * 1_000);
    spans.cpu.push(cpu.user + cpu.system);
    spans.reference.push((wasHashed - hashing) * 1_000);
  }
  return { characters, ...spans };
}

function inferenceOf(body: string, index: number): Inference {
  const { input } = JSON.parse(body);
  return sampleInference({
    conversation: conversationOf(input),
    task: normaliseTask(index % 2 === 0 ? "chat" : "code"),
    strategy: STRATEGIES[index % STRATEGIES.length],
  });
}

function promptOf(characters: number): string {
  let prompt = "";
  while (prompt.length < characters) prompt += pickRandom(random, SENTENCES);
  return prompt.slice(0, characters);
}

/** Every other model is one that the router was taught of. */
function modelOf(index: number, chance: Random): Model {
  const known = index % 2 === 0 ? routerWeights.models[index % routerWeights.models.length]?.name : undefined;
  const credits = (most: number) => BigInt(Math.round(randomBetween(chance, 0.05, most) * 1e9));
  return sampleModel(`provider-${index}/${known ?? `model-${index}`}`, {
    capabilities: pickRandom(chance, [["chat"], ["chat", "code"], ["text", "analysis"], []]),
    specialties: pickRandom(chance, [[], ["law"], ["maths"]]),
    avgLatencyMs: Math.round(randomBetween(chance, 300, 5_000)),
    accuracyScore: randomBetween(chance, 0.5, 0.97),
    contextWindow: 128_000,
    price: { version: "1", ...FREE_PRICE, inputPerMillion: credits(5), outputPerMillion: credits(20) },
  });
}

/** What was learnt while serving, as it is after some days. */
function booksOf(all: readonly Model[], chance: Random) {
  const books = { evidence: new OutcomeStats(), lengths: new LengthStats() };
  for (const model of all) {
    for (const { name } of routerWeights.domains) {
      for (const task of ["chat", "code"])
        books.lengths.record(fullNameOf(model), task, name, randomBetween(chance, 20, 900), false);
      books.evidence.record({
        accountId: CALLER.accountId,
        model: fullNameOf(model),
        domain: name,
        steps: 1,
        weight: 1,
        surplus: randomBetween(chance, -0.3, 0.3),
        lends: true,
      });
    }
  }
  return books;
}

/** Endpoints with a past, as they have it after some minutes of traffic. */
function healthOf(all: readonly Model[], chance: Random): EndpointHealth {
  let offsetMs = 0;
  const clock = {
    now: () => systemClock.now() + offsetMs,
    monotonicMs: () => systemClock.monotonicMs() + offsetMs,
  };
  const advance = (ms: number) => {
    offsetMs += ms;
  };
  const health = new EndpointHealth(clock, chance);
  for (const { id } of all) {
    for (let call = 0; call < CALLS_BEFORE; call++) {
      const ms = randomBetween(chance, 300, 5_000);
      if (chance() < 0.02) health.observe(id).failed(new ProviderFailure("broken", "it broke"));
      else recordAnswer(health, advance, id, { ms, firstPartMs: ms / 4, outputTokens: 200 });
    }
  }
  return health;
}
