import type { AnswerOf } from "@trunkline/sdk";
import { perMillion } from "../../api/pricing.ts";
import { texts } from "../../texts/texts.ts";

export type RequestDetail = AnswerOf<"GET /v1/requests/{id}">;

const TEXTS = texts.requestDetail;

/** Why this model answered, in sentences. */
export function whyChosen({ routing, attempts, status }: RequestDetail): string {
  const words = TEXTS.choice;
  if (routing === null) return words.refused;
  const chosen = routing.candidates.find((candidate) => candidate.chosen);
  const order = orderOf(routing);
  if (chosen === undefined || attempts.length === 0) return [...order, words.notCalled].join(" ");
  const { model, place } = chosen;
  if (place === 1) return [...order, status < 400 ? words.first(model) : words.firstTried(model)].join(" ");
  const others = attempts.filter((attempt) => attempt.model !== model);
  const own = status < 400 ? words.later(model, place) : words.laterTried(model, place);
  return [...order, own, ...whatOthersDid(others)].join(" ");
}

function whatOthersDid(others: RequestDetail["attempts"]): readonly string[] {
  const words = TEXTS.choice.others;
  const sentences = (["failed", "cut-off", "failed-check", "cancelled"] as const).flatMap((known) => {
    const count = others.filter(({ outcome }) => outcome === known).length;
    return count === 0 ? [] : [words[known](count)];
  });
  return sentences.length === 0 ? [words.none] : sentences;
}

const FEEDBACK_DAYS = 30;

/** Whether something can still be said of an answer: there is one, and it is not too old. */
export function takesFeedback(
  { status, model, created_at: at }: Pick<RequestDetail, "status" | "model" | "created_at">,
  now: number,
): boolean {
  return status < 400 && model !== null && now - Date.parse(at) < FEEDBACK_DAYS * 86_400_000;
}

const STRATEGIES = {
  "cost-optimized": "cost",
  "speed-optimized": "speed",
  "quality-optimized": "quality",
  hybrid: "hybrid",
} as const;

function orderOf({ strategy, chosen_by, candidates_total }: NonNullable<RequestDetail["routing"]>): readonly string[] {
  const words = TEXTS.choice;
  if (chosen_by === "name") return [words.named];
  const asked = words.order[chosen_by === "request" ? "request" : "account"];
  const known = Object.hasOwn(STRATEGIES, strategy) ? STRATEGIES[strategy as keyof typeof STRATEGIES] : undefined;
  return [known === undefined ? asked.other(strategy) : asked[known], words.available(candidates_total)];
}

/** The request as a command, if its content was stored. The key is a variable. */
export function curlOf({ path, task, model, content }: RequestDetail, origin: string): string | undefined {
  if (content === undefined) return undefined;
  const body = JSON.stringify({ task, input: content.input, ...(model === null ? {} : { model }) });
  return [
    `curl ${quote(origin + path)} \\`,
    '  -H "Authorization: Bearer $TRUNKLINE_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d ${quote(body)}`,
  ].join("\n");
}

/** As one word of a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One line of a bill: how much of what, at which price. */
export interface ChargeLine {
  readonly what: string;
  readonly count: number;
  /** Of a million tokens, or of one of another thing. */
  readonly price: number;
  /** With places for the count and the price. */
  readonly text: string;
}

/** What a request was charged for, by the price that held for it. Lines that cost nothing and count nothing are left out. */
export function chargeLines(detail: RequestDetail): ChargeLine[] {
  const { price } = detail;
  if (price === null) return [];
  const { lines: names, tokensAt, imagesAt, secondsAt, requestsAt } = TEXTS.charge;
  const input = price.input_per_1k_tokens ?? 0;
  const plain = detail.input_tokens - detail.cached_input_tokens - detail.cache_write_tokens;
  const tokens = (what: string, count: number, per1k: number) => ({
    what,
    count,
    price: perMillion(per1k),
    text: tokensAt,
  });
  const counted = [
    tokens(names.input, plain, input),
    tokens(names.cached, detail.cached_input_tokens, price.cached_input_per_1k_tokens ?? input),
    tokens(names.cacheWrite, detail.cache_write_tokens, price.cache_write_per_1k_tokens ?? input),
    tokens(names.output, detail.output_tokens, price.output_per_1k_tokens ?? 0),
  ];
  const other = [
    { what: names.images, count: detail.images, price: price.per_image ?? 0, text: imagesAt },
    { what: names.audio, count: detail.audio_ms / 1_000, price: price.per_second ?? 0, text: secondsAt },
    {
      what: names.requests,
      count: detail.usage_source === "none" ? 0 : 1,
      price: price.per_request ?? 0,
      text: requestsAt,
    },
  ];
  return [...counted.filter(({ count }) => count > 0), ...other.filter((line) => line.count > 0 && line.price > 0)];
}
