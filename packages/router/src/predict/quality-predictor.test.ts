import { conversationOf } from "@trunkline/core/conversation.ts";
import { FREE_PRICE } from "@trunkline/core/model.ts";
import type { Evidence, OutcomeTally } from "@trunkline/core/prediction.ts";
import { sampleInference, sampleModel } from "@trunkline/testing/samples.ts";
import { EMPTY_TALLY } from "@trunkline/testing/tally-of.ts";
import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { QualityPredictor } from "./quality-predictor.ts";

const routerWeights = readRouterWeights();
const predictor = new QualityPredictor(routerWeights);
const asking = (text: string) => sampleInference({ conversation: conversationOf(text) });

const SUM = "Tom has 12 apples and gives half of them to his sister. She eats 2. How many apples does she have left?";
const TRIVIA = "Which English river flows through the city of Oxford?";
const TRACE = "def f(x):\n    y = x.replace('a', 'b')\n    return y[1:]\nassert f('banana') == ??";

describe("extractFeatures", () => {
  it.each([
    [SUM, "grade-school maths", "maths"],
    [TRIVIA, "trivia", "facts"],
    [TRACE, "code reading", "code reading"],
    ["Write a function to find the largest number in a list.", "short programs", "code"],
    ["Let $x$ be a real number with $x^2 - 3x + 1 = 0$. Find $x^3 + \\frac{1}{x^3}$.", "competition maths", "maths"],
    ["Translate the following into French: The shop is closed on Mondays.", "translation", "languages"],
    ["Write a friendly email to Anna about our new office.", "writing", "prose"],
    ["hello", "small talk", "conversation"],
    ["Comment puis-je changer le mot de passe de mon compte client ?", "other languages", "other languages"],
  ])("names the domain of %j", (text, domain, family) => {
    expect(predictor.extractFeatures(asking(text))).toMatchObject({ domain, family });
  });

  it("gives shares that sum to 1 at most, the most likely first", () => {
    for (const text of [SUM, TRIVIA, TRACE, "x", "", "flurb grommet zanzi quop"]) {
      const { shares, difficulty } = predictor.extractFeatures(asking(text));
      expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1.000001);
      expect(shares.map(({ share }) => share)).toEqual(shares.map(({ share }) => share).toSorted((a, b) => b - a));
      expect(difficulty).toBeGreaterThanOrEqual(0);
      expect(difficulty).toBeLessThanOrEqual(1);
    }
  });

  it.each([
    [
      "Write a bootloader in C",
      "Write a JavaScript function that turns each word of a sentence round and keeps the spaces.",
    ],
    ["Implement vector clocks", "Write a Ruby method that returns the average of an array of numbers, with a comment."],
    [
      "Prove quadratic reciprocity",
      "A cinema ticket costs 9 euros and popcorn 4; how much do three people pay for both?",
    ],
    ["Write a verse epic", "Write a short message to my colleague to say that I will be ten minutes late today."],
    ["Explain gauge invariance", "How many seasons are there in a year, and in which of them does it usually snow?"],
  ])("takes %j to be harder than %j, though it is shorter", (hard, easy) => {
    const difficultyOf = (text: string) => predictor.extractFeatures(asking(text)).difficulty;
    expect(difficultyOf(hard)).toBeGreaterThan(difficultyOf(easy) + 0.1);
  });

  it.each([
    ["Write an epic about the sea in ottava rima", "prose"],
    ["Our choir of 40 has lost 6 singers in 3 months. How do I keep the others?", "knowledge"],
  ])("names the family of %j", (text, family) => {
    expect(predictor.extractFeatures(asking(text)).family).toBe(family);
  });

  it("reads a request with tools as tool use", () => {
    const tools = [{ name: "weather", description: "", inputSchema: {} }];
    const inference = sampleInference({ conversation: { ...conversationOf(SUM), tools } });
    expect(predictor.extractFeatures(inference)).toMatchObject({
      domain: "tool use",
      family: "tools",
      confidence: 1,
    });
  });
});

describe("predict", () => {
  const bare = { accuracyScore: undefined };

  it("recognises models by their other names", () => {
    const promptFeatures = predictor.extractFeatures(asking(SUM));
    const names = ["x/llama-3.1-8b-instruct", "y/Meta-Llama-3.1-8B-Instruct", "z/llama-3-1-8b"];
    const qualities = names.map((name) => predictor.predict(sampleModel(name, bare), promptFeatures, "unsaid", "a"));
    for (const prediction of qualities) {
      expect(prediction).toEqual(qualities[0]);
      expect(prediction.evidence).toBeGreaterThan(100);
    }
  });

  it("uses the claim where the model's outcomes are of another family", () => {
    const promptFeatures = predictor.extractFeatures(asking(TRACE));
    const known = sampleModel("x/grok-2-1212", { accuracyScore: 0.6 });
    const unknown = sampleModel("x/unknown", { accuracyScore: 0.6 });
    const one = predictor.predict(known, promptFeatures, "unsaid", "a");
    expect(one.quality).toBeCloseTo(predictor.predict(unknown, promptFeatures, "unsaid", "a").quality, 2);
    expect(one.evidence).toBeLessThan(5);
  });

  it("predicts a lower chance for a harder request, and most of all for a weak model", () => {
    const qualityOf = (text: string, accuracyScore: number) =>
      predictor.predict(
        sampleModel("x/unknown", { accuracyScore }),
        predictor.extractFeatures(asking(text)),
        "unsaid",
        "a",
      ).quality;
    const [easy, hard] = ["hello", "Implement a lock-free hash map in C++ and prove that it is linearizable."];
    expect(qualityOf(easy, 0.95)).toBeGreaterThan(0.95);
    expect(qualityOf(easy, 0.45)).toBeGreaterThan(0.85);
    expect(qualityOf(hard, 0.95)).toBeGreaterThan(0.6);
    expect(qualityOf(hard, 0.45)).toBeLessThan(0.3);
  });

  it("gives a strong model nearly every plain fact", () => {
    const promptFeatures = predictor.extractFeatures(asking("What is the capital of Sweden?"));
    const { quality } = predictor.predict(sampleModel("x/gpt-4o", bare), promptFeatures, "unsaid", "a");
    expect(quality).toBeGreaterThan(0.9);
  });

  it("estimates the strength of a model without a claim by the size in its name and its price", () => {
    const promptFeatures = predictor.extractFeatures(asking(SUM));
    const qualityOf = (name: string, outputPerMillion: bigint) =>
      predictor.predict(
        sampleModel(`x/${name}`, { ...bare, price: { version: "1", ...FREE_PRICE, outputPerMillion } }),
        promptFeatures,
        "unsaid",
        "a",
      ).quality;
    expect(qualityOf("model-70b", 0n)).toBeGreaterThan(qualityOf("model-8b", 0n) + 0.02);
    expect(qualityOf("model-xl", 0n)).toBeGreaterThan(qualityOf("model-mini", 0n) + 0.02);
    expect(qualityOf("model", 10_000_000_000n)).toBeGreaterThan(qualityOf("model", 100_000_000n) + 0.02);
  });

  const PROOF = "Prove that every prime p of the form 4k+1 is a sum of two squares, and that the sum is unique.";
  const CODE = "Write a Python function that merges overlapping intervals, with tests.";
  const orderOf = (names: readonly string[], text: string) => {
    const pool = names.map((name) => sampleModel(`x/${name}`, bare));
    const promptFeatures = predictor.extractFeatures(asking(text), pool);
    const qualities = new Map(
      pool.map((model) => [model.name, predictor.predict(model, promptFeatures, "unsaid", "a").quality]),
    );
    return names.toSorted((one, other) => (qualities.get(other) ?? 0) - (qualities.get(one) ?? 0));
  };

  it.each([PROOF, CODE])("ranks well-known models without claims as their publishers do: %s", (text) => {
    const strongToWeak = [
      "gpt-5",
      "claude-opus-4-1",
      "claude-sonnet-4-20250514",
      "gpt-4.1",
      "gpt-4o",
      "gpt-4o-mini",
      "llama-3.1-8b-instruct",
      "mistral-7b-instruct",
    ];
    expect(orderOf(strongToWeak.toReversed(), text)).toEqual(strongToWeak);
  });

  it("ranks a model for programming above a small one in programming", () => {
    expect(orderOf(["llama-3.1-8b-instruct", "qwen2.5-coder-32b-instruct", "mistral-7b-instruct"], CODE)[0]).toBe(
      "qwen2.5-coder-32b-instruct",
    );
  });

  it("ranks no model above a stronger one because the stronger one has no outcomes", () => {
    const names = ["llama-3.1-8b-instruct", "gpt-4o-mini", "gpt-4o", "claude-3-5-sonnet", "gpt-4.1", "gpt-5"];
    for (const text of [PROOF, SUM, "Solve 3x + 4 = 10"]) {
      const pool = names.map((name) => sampleModel(`x/${name}`, bare));
      const [known = sampleModel("x/a")] = pool;
      const promptFeatures = predictor.extractFeatures(asking(text), pool);
      expect(predictor.predict(known, promptFeatures, "unsaid", "a").evidence).toBeGreaterThan(10);
      const order = orderOf(names, text);
      expect(order[0]).toBe("gpt-5");
      expect(order.indexOf("gpt-4.1")).toBeLessThan(order.indexOf("gpt-4o"));
      expect(order.at(-1)).toBe("llama-3.1-8b-instruct");
    }
  });

  it("takes a provider's claim before what is published of the family", () => {
    const promptFeatures = predictor.extractFeatures(asking(TRACE));
    const qualityOf = (name: string, accuracyScore: number | undefined) =>
      predictor.predict(sampleModel(`x/${name}`, { accuracyScore }), promptFeatures, "unsaid", "a").quality;
    expect(qualityOf("gpt-5", 0.6)).toBeCloseTo(qualityOf("unknown", 0.6), 10);
    expect(qualityOf("gpt-5", undefined)).toBeGreaterThan(qualityOf("gpt-5", 0.6));
  });

  it("keeps the order of claims among models without outcomes for hard requests too", () => {
    for (const text of [SUM, TRIVIA, TRACE, "hello"]) {
      const promptFeatures = predictor.extractFeatures(asking(text));
      const qualities = [0, 0.2, 0.5, 0.7, 0.9, 1].map(
        (accuracyScore) =>
          predictor.predict(sampleModel("x/unknown", { accuracyScore }), promptFeatures, "unsaid", "a").quality,
      );
      expect(qualities).toEqual(qualities.toSorted((a, b) => a - b));
      expect(new Set(qualities).size).toBe(qualities.length);
    }
  });

  it("compares claims where less than half of the pool's models have outcomes", () => {
    const known = sampleModel("x/llama-3.1-8b-instruct", { accuracyScore: 0.69 });
    const strangers = ["a", "b"].map((name) => sampleModel(`x/${name}`, { accuracyScore: 0.69 }));
    const [stranger = known] = strangers;
    const cold = predictor.extractFeatures(asking(SUM), [known, ...strangers]);
    const warm = predictor.extractFeatures(asking(SUM), [known, stranger]);
    const evidenceIn = (features: typeof cold) => predictor.predict(known, features, "unsaid", "a").evidence;
    expect(evidenceIn(cold)).toBe(0);
    expect(evidenceIn(warm)).toBeGreaterThan(100);
    const [one, other] = [known, stranger].map((model) => predictor.predict(model, cold, "unsaid", "a").quality);
    expect(one).toBeCloseTo(other ?? 0, 5);
  });

  it("follows outcomes, an account's own more than those of all, and narrows its bound", () => {
    const promptFeatures = predictor.extractFeatures(asking(TRACE));
    const model = sampleModel("x/unknown", { accuracyScore: 0.5 });
    const given = (own: OutcomeTally, shared: OutcomeTally) => {
      const sums = { own: [own.weight, own.surplus], shared: [shared.weight, shared.surplus] };
      const evidence: Evidence = { placeOf: () => 0, forModel: () => sums };
      return new QualityPredictor(routerWeights, evidence).predict(model, promptFeatures, "unsaid", "a");
    };
    const before = given(EMPTY_TALLY, EMPTY_TALLY);
    const bad = { weight: 200, surplus: -80 };
    const good = { weight: 200, surplus: 40 };
    expect(given(EMPTY_TALLY, bad).quality).toBeLessThan(before.quality - 0.2);
    expect(given(good, bad).quality).toBeGreaterThan(before.quality + 0.05);
    expect(before.lower).toBeLessThan(before.quality - 0.2);
    expect(given(good, bad).quality - given(good, bad).lower).toBeLessThan(0.05);
    expect(before.evidence).toBe(0);
    expect(given(good, bad).evidence).toBeGreaterThan(300);
  });
});
