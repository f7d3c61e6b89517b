import { readFile, writeFile } from "node:fs/promises";
import { normaliseTask, STRATEGIES, type Strategy, textInference } from "@trunkline/core/inference.ts";
import { FREE_PRICE, type Model } from "@trunkline/core/model.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import { EVERYDAY_PROMPTS, type EverydayPrompt } from "@trunkline/testing/everyday-prompts.ts";
import { sampleModel, samplePolicy, sampleSearch } from "@trunkline/testing/samples.ts";
import { UNSEEN_PROMPTS } from "@trunkline/testing/unseen-prompts.ts";
import { describe, expect, it } from "vitest";
import { findCandidates } from "./candidates/find-candidates.ts";
import { readRouterWeights } from "./predict/bundled-weights.ts";
import { QualityPredictor } from "./predict/quality-predictor.ts";
import { chooseRoute } from "./rank/choose-route.ts";
import { whyFirst } from "./report/why-first.ts";

/** Where a person can read the routes. `npm run docs:routes` writes it again. */
const TABLE = new URL("../../../docs/everyday-routes.md", import.meta.url);

/** Name, claimed quality, credits per million output tokens (input costs a quarter), and milliseconds for 256 tokens. */
const OFFERS = [
  ["tiny-1b", 0.45, 0.05, 400],
  ["small-8b", 0.62, 0.15, 700],
  ["poet-13b", 0.68, 0.4, 1_100],
  ["coder-32b", 0.75, 0.6, 1_300],
  ["medium-70b", 0.78, 0.8, 1_600],
  ["large", 0.88, 3, 2_400],
  ["reasoner", 0.9, 6, 9_000],
  ["frontier-xl", 0.95, 10, 3_600],
] as const;
type Name = (typeof OFFERS)[number][0];

const MODELS: readonly Model[] = OFFERS.map(([name, accuracyScore, output, avgLatencyMs]) =>
  sampleModel(`acme/${name}`, {
    accuracyScore,
    avgLatencyMs,
    price: {
      version: "1",
      ...FREE_PRICE,
      inputPerMillion: BigInt(Math.round(output * 0.25e9)),
      outputPerMillion: BigInt(Math.round(output * 1e9)),
    },
  }),
);

const predictor = new QualityPredictor(readRouterWeights());
const RICH = { balance: 10n ** 18n, budget: undefined };

function routeOf(prompt: string, strategy: Strategy): Route {
  const inference = textInference(prompt, normaliseTask("chat"));
  const promptFeatures = predictor.extractFeatures(inference, MODELS);
  const pool = findCandidates(
    sampleSearch(MODELS, {
      inference,
      predictor,
      promptFeatures,
      quoteOf: createQuoter(inference, (model) => predictor.expectedOutputTokens(model, promptFeatures)),
    }),
  );
  return chooseRoute(pool, RICH, samplePolicy(strategy));
}

const routes = EVERYDAY_PROMPTS.map((everyday) => ({
  everyday,
  route: Object.fromEntries(STRATEGIES.map((strategy) => [strategy, routeOf(everyday.prompt, strategy)])) as Record<
    Strategy,
    Route
  >,
}));

const firstOf = (route: Route): Candidate => route.candidates[0];
const nameOf = (route: Route) => firstOf(route).model.name as Name;
const strengthOf = (route: Route) => firstOf(route).model.accuracyScore ?? 0;

const meanOf = (strategy: Strategy, figure: (candidate: Candidate) => number) =>
  routes.reduce((sum, { route }) => sum + figure(firstOf(route[strategy])), 0) / routes.length;
const costOf = ({ quote }: Candidate) => Number(quote.estimate) / 1e9;
const timeOf = ({ latencyMs }: Candidate) => latencyMs;
const qualityOf = ({ quality }: Candidate) => quality;

describe("the recogniser", () => {
  const isRight = (prompt: string, domains: readonly string[]) =>
    domains.includes(predictor.extractFeatures(textInference(prompt, normaliseTask("chat"))).domain);

  it("knows the kind of work of everyday prompts", () => {
    const right = EVERYDAY_PROMPTS.filter(({ prompt, domains }) => isRight(prompt, domains));
    expect(right.length / EVERYDAY_PROMPTS.length).toBeGreaterThanOrEqual(0.9);
  });

  it("knows it for four in five prompts that its templates were not made for", () => {
    const right = UNSEEN_PROMPTS.filter(([prompt, ...domains]) => isRight(prompt, domains));
    expect(right.length / UNSEEN_PROMPTS.length).toBeGreaterThanOrEqual(0.8);
  });
});

describe("everyday prompts", () => {
  const kinds = [...new Set(EVERYDAY_PROMPTS.map(({ kind }) => kind))];
  /** Specialists are compared with their like by whether they are for the work, and not by their claim. */
  const isGeneral = (route: Route) => !["poet-13b", "coder-32b", "reasoner"].includes(nameOf(route));

  it.each(kinds)("of the kind %s never get a weaker model for being much harder", (kind) => {
    for (const strategy of ["hybrid", "cost-optimized", "quality-optimized"] as const) {
      const ofKind = routes.filter(({ everyday }) => everyday.kind === kind);
      for (const hard of ofKind) {
        for (const easy of ofKind) {
          if (hard.everyday.difficulty < easy.everyday.difficulty + 2) continue;
          if (!isGeneral(hard.route[strategy]) || !isGeneral(easy.route[strategy])) continue;
          expect(
            strengthOf(hard.route[strategy]),
            `${strategy}: ${hard.everyday.prompt} / ${easy.everyday.prompt}`,
          ).toBeGreaterThanOrEqual(strengthOf(easy.route[strategy]));
        }
      }
    }
  });

  it("get what each strategy promises, on average", () => {
    for (const strategy of STRATEGIES) {
      for (const { route } of routes) {
        const other = firstOf(route[strategy]);
        // The floor comes before the cost.
        if (other.quality >= route.hybrid.qualityFloor) {
          expect(costOf(firstOf(route["cost-optimized"]))).toBeLessThanOrEqual(costOf(other));
        }
      }
      expect(meanOf("speed-optimized", timeOf)).toBeLessThanOrEqual(meanOf(strategy, timeOf));
      expect(meanOf("quality-optimized", qualityOf)).toBeGreaterThanOrEqual(meanOf(strategy, qualityOf) - 0.005);
    }
    expect(meanOf("hybrid", qualityOf)).toBeGreaterThan(meanOf("cost-optimized", qualityOf));
    expect(meanOf("hybrid", costOf)).toBeLessThan(meanOf("quality-optimized", costOf) / 2);
  });

  it.each([
    ["hi there!", ["tiny-1b", "small-8b"]],
    ["What's the capital of France?", ["tiny-1b", "small-8b"]],
    [
      "Implement a lock-free multi-producer multi-consumer queue in C++ with hazard pointers.",
      ["frontier-xl", "large"],
    ],
    [
      "Prove that there are infinitely many primes of the form 4k+3, without Dirichlet's theorem.",
      ["frontier-xl", "reasoner"],
    ],
  ])("hybrid takes a model for %j that a person would take", (prompt, names) => {
    expect(names).toContain(nameOf(routeOf(prompt, "hybrid")));
  });

  it("are in the table that the documentation shows", async () => {
    const table = renderTable();
    if (process.env.WRITE_ROUTES === "yes") await writeFile(TABLE, table);
    expect(withoutPadding(await readFile(TABLE, "utf8"))).toBe(withoutPadding(table));
  });
});

function renderTable(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = routes.map(({ everyday, route }) => {
    const { hybrid } = route;
    return row([
      everyday.kind,
      String(everyday.difficulty),
      shorten(everyday.prompt),
      hybrid.promptFeatures.domain,
      hybrid.promptFeatures.difficulty.toFixed(2),
      nameOf(route["cost-optimized"]),
      nameOf(route["speed-optimized"]),
      nameOf(hybrid),
      nameOf(route["quality-optimized"]),
    ]);
  });
  const means = STRATEGIES.map((strategy) =>
    row([
      strategy,
      meanOf(strategy, qualityOf).toFixed(3),
      meanOf(strategy, costOf).toFixed(6),
      String(Math.round(meanOf(strategy, timeOf))),
    ]),
  );
  const offers = OFFERS.map((cells) => row(cells.map(String)));
  const example = routes.find(({ everyday }) => everyday.difficulty === 4);
  return `# Everyday routes

Which of eight models each strategy takes for everyday prompts, without any outcomes: by the claims, prices and names alone. A test
computes this page and fails where it differs; \`npm run docs:routes\` writes it again.
[How routing works](routing.md).

| model | claimed | credits per million output tokens | ms for 256 tokens |
| --- | --- | --- | --- |
${offers.join("\n")}

On average over the prompts below:

| strategy | quality | credits | ms |
| --- | --- | --- | --- |
${means.join("\n")}

"Hard" is how hard a person finds the prompt, 0 to 4. "Recognised" and "difficulty" are what the router made of its text.

${row(["kind", "hard", "prompt", "recognised", "difficulty", "cost", "speed", "hybrid", "quality"])}
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join("\n")}

Why the first beat the second is in every preview, record and answer, such as: ${example === undefined ? "" : whyFirst(example.route.hybrid)}
`;
}

function shorten(prompt: EverydayPrompt["prompt"]): string {
  const plain = prompt.replaceAll("|", "/");
  return plain.length <= 70 ? plain : `${plain.slice(0, 69)}…`;
}

/** The formatter pads the columns. */
function withoutPadding(table: string): string {
  return table.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---");
}
