import type { AnswerOf } from "@trunkline/sdk";
import { formatMoney, formatMs, formatNumber, formatPercent } from "../ui/format.ts";

type Shown = NonNullable<AnswerOf<"GET /v1/requests/{id}">["routing"]>;
type ShownCandidate = Shown["candidates"][number];

/** What a request was taken for. */
export type PromptReading = NonNullable<Shown["reading"]>;
/** What a strategy compared, and by how much the first was ahead. */
export type Contest = Pick<Shown, "measure" | "runner_up" | "margin">;
/** The predicted quality of a model. Old records have only some of the fields. */
export type QualityFigures = Pick<ShownCandidate, "predicted_quality" | "lower_quality" | "evidence">;
/** The parts of an expected time. Old records have only some of the fields. */
export type TimeFigures = Pick<
  ShownCandidate,
  "queue_ms" | "first_token_ms" | "tokens_per_second" | "expected_output_tokens"
>;

/** The domain of a request that the router could not classify. */
const NO_DOMAIN = "unknown";

/** What a request was taken for, and how surely. */
export function domainWords({ domain, confidence }: Pick<PromptReading, "domain" | "confidence">): string {
  if (domain === NO_DOMAIN) return "It could not be told what it is about";
  return `${capital(domain)}, ${surenessOf(confidence)} (${formatPercent(confidence)})`;
}

function surenessOf(confidence: number): string {
  if (confidence >= 0.85) return "surely";
  if (confidence >= 0.6) return "probably";
  return confidence >= 0.35 ? "perhaps" : "at a guess";
}

/** The other domains that it may well be of. */
export function otherDomains({ domain, shares }: Pick<PromptReading, "domain" | "shares">): string | undefined {
  const others = shares.filter((one) => one.domain !== domain && one.share >= 0.05).slice(0, 3);
  if (others.length === 0) return undefined;
  return others.map((one) => `${one.domain} ${formatPercent(one.share)}`).join(", ");
}

/** How hard a request is for a middling model. */
export function difficultyWords(difficulty: number): string {
  if (difficulty < 0.2) return "Very easy";
  if (difficulty < 0.4) return "Rather easy";
  if (difficulty < 0.6) return "Neither easy nor hard";
  return difficulty < 0.8 ? "Rather hard" : "Very hard";
}

const MEASURES: Readonly<Record<NonNullable<Contest["measure"]>, string>> = {
  credits: "Expected cost",
  ms: "Expected time",
  quality: "Predicted quality",
  worth: "Expected worth",
};

/** What the strategy compared. */
export function measureWords(measure: NonNullable<Contest["measure"]>): string {
  return MEASURES[measure];
}

/** By how much the first was ahead of the next; undefined where it had none to be ahead of. */
export function marginWords({ measure, runner_up: next, margin }: Contest): string | undefined {
  if (measure === undefined || next == null || margin == null) return undefined;
  if (margin === 0) return `Level with ${next}`;
  const amount = amountOf(measure, Math.abs(margin));
  if (margin > 0) return `${amount} ${BETTER[measure]} than ${next}`;
  return `${amount} ${WORSE[measure]} than ${next}; something else decided, such as the floor or a session`;
}

const BETTER = { credits: "cheaper", ms: "faster", quality: "better", worth: "better" } as const;
const WORSE = { credits: "dearer", ms: "slower", quality: "worse", worth: "worse" } as const;

function amountOf(measure: keyof typeof BETTER, amount: number): string {
  if (measure === "credits" || measure === "worth") return formatMoney(amount);
  if (measure === "ms") return formatMs(amount);
  return amount < 0.01 ? "Less than 0.01" : amount.toFixed(2);
}

/** Who was tried in whose place, and how likely that was. */
export function exploredWords(explored: NonNullable<Shown["explored"]>, first: string | undefined): string {
  const who = first === undefined ? "Another model" : first;
  return `${who} was tried in the place of ${explored.instead_of}, its near-equal, to learn how good it is. The chance of that was ${formatPercent(explored.propensity)}.`;
}

/** How far a quality is believed, such as "at least 0.61". */
export function boundWords({ lower_quality: lower }: QualityFigures): string | undefined {
  return lower === undefined ? undefined : `at least ${lower.toFixed(2)}`;
}

/** The evidence behind a predicted quality. */
export function evidenceWords({ evidence }: QualityFigures): string | undefined {
  if (evidence === undefined) return undefined;
  if (evidence === 0) return "the provider's claim";
  const outcomes = Math.max(1, Math.round(evidence));
  return outcomes === 1 ? "1 outcome" : `${formatNumber(outcomes)} outcomes`;
}

/** All of it in one line: "0.72, at least 0.61; 140 outcomes". */
export function qualityWords(figures: QualityFigures): string {
  const bound = boundWords(figures);
  const evidence = evidenceWords(figures);
  const quality = figures.predicted_quality.toFixed(2);
  return `${quality}${bound === undefined ? "" : `, ${bound}`}${evidence === undefined ? "" : `; ${evidence}`}`;
}

/** The parts of an expected time, in order; empty if the record has none. */
export function timeParts(figures: TimeFigures): readonly string[] {
  const { queue_ms: queue = 0, first_token_ms: first, tokens_per_second: pace } = figures;
  if (first === undefined) return [];
  const parts = [`first token ${formatMs(first)}`];
  if (queue > 0) parts.unshift(`waiting ${formatMs(queue)}`);
  if (pace == null) return [...parts, "in one piece"];
  const tokens = formatNumber(Math.round(figures.expected_output_tokens ?? 0));
  return [...parts, `${tokens} tokens at ${formatNumber(Math.round(pace))} a second`];
}

function capital(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
