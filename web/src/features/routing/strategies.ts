import type { AnswerOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";

export type Strategy = AnswerOf<"GET /v1/routing">["strategy"];
export type Report = AnswerOf<"GET /v1/routing/report">;
export type StrategyEffect = Report["strategies"][number];

/** The strategies in the order in which they are shown. */
export const STRATEGIES = ["cost-optimized", "speed-optimized", "quality-optimized", "hybrid"] as const;

/** What people call a strategy. */
export function nameOf(strategy: Strategy): string {
  return texts.routing.page.strategies[strategy].name;
}
