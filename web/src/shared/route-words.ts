import type { AnswerOf } from "@trunkline/sdk";
import { texts } from "../texts/texts.ts";
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
  const words = texts.routing.analysis;
  return domain === NO_DOMAIN ? words.unknown : words.domain(domainName(domain), formatPercent(confidence));
}

/** The other domains that it may well be of. */
export function otherDomains({ domain, shares }: Pick<PromptReading, "domain" | "shares">): string | undefined {
  const others = shares.filter((one) => one.domain !== domain && one.share >= 0.05).slice(0, 3);
  if (others.length === 0) return undefined;
  return others
    .map((one) => texts.routing.analysis.other(domainName(one.domain).toLowerCase(), formatPercent(one.share)))
    .join(", ");
}

function domainName(domain: string): string {
  return texts.routing.domains[domain] ?? domain.slice(0, 1).toUpperCase() + domain.slice(1);
}

/** How hard a request is for a middling model. */
export function difficultyWords(difficulty: number): string {
  const words = texts.routing.analysis.difficulties;
  const place = Math.min(words.length - 1, Math.max(0, Math.floor(difficulty * words.length)));
  return words[place] ?? "";
}

/** What the strategy compared. */
export function measureWords(measure: NonNullable<Contest["measure"]>): string {
  return texts.routing.analysis.measures[measure];
}

/** By how much the first was ahead of the next; undefined where it had none to be ahead of. */
export function marginWords({ measure, runner_up: next, margin }: Contest): string | undefined {
  if (measure === undefined || next == null || margin == null) return undefined;
  const words = texts.routing.analysis;
  if (margin === 0) return words.level(next);
  return words[margin > 0 ? "better" : "worse"][measure](amountOf(measure, Math.abs(margin)), next);
}

function amountOf(measure: NonNullable<Contest["measure"]>, amount: number): string {
  if (measure === "credits" || measure === "worth") return formatMoney(amount);
  if (measure === "ms") return formatMs(amount);
  return amount < 0.01 ? texts.routing.analysis.lessThan : amount.toFixed(2);
}

/** Who was tried in whose place, and how likely that was. */
export function exploredWords(explored: NonNullable<Shown["explored"]>, first: string | undefined): string {
  const words = texts.routing.analysis;
  return words.explored(first ?? words.anotherModel, explored.instead_of, formatPercent(explored.propensity));
}

/** How far a quality is believed, such as "at least 0.61". */
export function boundWords({ lower_quality: lower }: QualityFigures): string | undefined {
  return lower === undefined ? undefined : texts.routing.figures.atLeast(lower.toFixed(2));
}

/** The evidence behind a predicted quality. */
export function evidenceWords({ evidence }: QualityFigures): string | undefined {
  if (evidence === undefined) return undefined;
  const words = texts.routing.figures;
  return evidence === 0 ? words.claimed : words.results(Math.max(1, Math.round(evidence)));
}

/** All of it in one line: "0.72, at least 0.61 (140 results)". Old records have the quality alone. */
export function qualityWords(figures: QualityFigures): string {
  const bound = boundWords(figures);
  const evidence = evidenceWords(figures);
  const quality = figures.predicted_quality.toFixed(2);
  return bound === undefined || evidence === undefined
    ? quality
    : texts.routing.figures.quality(quality, bound, evidence);
}

/** The parts of an expected time, in order; empty if the record has none. */
export function timeParts(figures: TimeFigures): readonly string[] {
  const words = texts.routing.figures;
  const { queue_ms: queue = 0, first_token_ms: first, tokens_per_second: pace } = figures;
  if (first === undefined) return [];
  const parts = [words.firstToken(formatMs(first))];
  if (queue > 0) parts.unshift(words.queue(formatMs(queue)));
  if (pace == null) return [...parts, words.whole];
  const tokens = formatNumber(Math.round(figures.expected_output_tokens ?? 0));
  return [...parts, words.speed(tokens, formatNumber(Math.round(pace)))];
}
