import type { AnswerOf } from "@trunkline/sdk";

export type Strategy = AnswerOf<"GET /v1/routing">["strategy"];
export type Report = AnswerOf<"GET /v1/routing/report">;
export type StrategyEffect = Report["strategies"][number];

/** The strategies in plain words. */
export const STRATEGIES: readonly {
  readonly value: Strategy;
  readonly name: string;
  readonly words: string;
}[] = [
  {
    value: "cost-optimized",
    name: "Lowest cost",
    words: "The cheapest model whose quality surely clears the floor. Among equally cheap ones, the better.",
  },
  {
    value: "speed-optimized",
    name: "Highest speed",
    words: "The model that is expected to finish first, at its price.",
  },
  {
    value: "quality-optimized",
    name: "Best quality",
    words: "The model with the best predicted quality for the task. Among equals, the cheaper.",
  },
  {
    value: "hybrid",
    name: "Balanced",
    words: "Weighs cost, speed and quality against one another. You say how much each counts.",
  },
];

/** What people call a strategy. */
export function nameOf(strategy: Strategy): string {
  return STRATEGIES.find(({ value }) => value === strategy)?.name ?? strategy;
}
