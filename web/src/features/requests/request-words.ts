import type { AnswerOf } from "@trunkline/sdk";

export type RequestDetail = AnswerOf<"GET /v1/requests/{id}">;

const STRATEGIES: Readonly<Record<string, string>> = {
  "cost-optimized": "the cheapest first",
  "speed-optimized": "the fastest first",
  "quality-optimized": "the best first",
  hybrid: "cost, speed and quality weighed",
};

/** Why this model answered, in words. */
export function whyChosen({ routing, attempts, status }: RequestDetail): string {
  if (routing === null) return "It was refused before a route was chosen.";
  const chosen = routing.candidates.find((candidate) => candidate.chosen);
  const order = orderOf(routing);
  if (chosen === undefined || attempts.length === 0) return `${order} No model was called.`;
  const answered = status < 400 ? "answered" : "was the last to be tried";
  if (chosen.place === 1) return `${order} ${chosen.model} came first and ${answered}.`;
  const others = attempts.filter(({ model }) => model !== chosen.model);
  return `${order} ${chosen.model} was number ${chosen.place} and ${answered}, as ${whatOthersDid(others)}.`;
}

const ATTEMPT_OUTCOMES = [
  { outcome: "failed", words: "failed" },
  { outcome: "cut-off", words: "broke off" },
  { outcome: "failed-check", words: "failed the check" },
  { outcome: "cancelled", words: "was slower", many: "were slower" },
] as const;

function whatOthersDid(others: RequestDetail["attempts"]): string {
  const phrases = ATTEMPT_OUTCOMES.flatMap((known) => {
    const count = others.filter(({ outcome }) => outcome === known.outcome).length;
    if (count === 0) return [];
    return [`${count === 1 ? "one" : count} before it ${count > 1 && "many" in known ? known.many : known.words}`];
  });
  return phrases.length === 0 ? "those before it could not be called" : phrases.join(" and ");
}

const FEEDBACK_DAYS = 30;

/** Whether something can still be said of an answer: there is one, and it is not too old. */
export function takesFeedback(
  { status, model, created_at: at }: Pick<RequestDetail, "status" | "model" | "created_at">,
  now: number,
): boolean {
  return status < 400 && model !== null && now - Date.parse(at) < FEEDBACK_DAYS * 86_400_000;
}

function orderOf({ strategy, chosen_by, candidates_total }: NonNullable<RequestDetail["routing"]>): string {
  if (chosen_by === "name") return "The request named its model.";
  const whose = chosen_by === "request" ? "The request asked for" : "The organisation's strategy puts";
  const many = candidates_total === 1 ? "one model could serve it" : `${candidates_total} models could serve it`;
  return `${whose} ${STRATEGIES[strategy] ?? strategy}; ${many}.`;
}

const STAGES: Readonly<Record<string, { readonly name: string; readonly note: string }>> = {
  authenticate: { name: "Authenticate", note: "Who is it" },
  admit: { name: "Admit", note: "Scope, rate limit, load" },
  validate: { name: "Validate", note: "Reading and checking the body" },
  claim: { name: "Claim", note: "One run per idempotency key" },
  route: { name: "Route", note: "Who can serve, in which order" },
  screen: { name: "Screen", note: "Safety check of the input" },
  hold: { name: "Hold", note: "Setting the worst case aside" },
  provider: { name: "Provider", note: "Waiting for the model" },
  client: { name: "Client", note: "Waiting for the client to read" },
  charge: { name: "Charge", note: "Counting tokens, working out the price" },
};

/** What a stage is called, and what happens in it. */
export function stageWords(stage: string): { readonly name: string; readonly note: string } {
  return STAGES[stage] ?? { name: stage, note: "" };
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

/** One place of a bill: how much of what, at which price. */
export interface ChargeLine {
  readonly what: string;
  readonly count: number;
  readonly price: number;
  readonly per: string;
}

/** What a request was charged for, by the price that held for it. Places that cost nothing and count nothing are left out. */
export function chargeLines(detail: RequestDetail): ChargeLine[] {
  const { price } = detail;
  if (price === null) return [];
  const plain = detail.input_tokens - detail.cached_input_tokens - detail.cache_write_tokens;
  const lines: ChargeLine[] = [
    { what: "Input tokens", count: plain, price: price.input_per_1k_tokens ?? 0, per: "1,000 tokens" },
    {
      what: "Input tokens out of a cache",
      count: detail.cached_input_tokens,
      price: price.cached_input_per_1k_tokens ?? price.input_per_1k_tokens ?? 0,
      per: "1,000 tokens",
    },
    {
      what: "Input tokens into a cache",
      count: detail.cache_write_tokens,
      price: price.cache_write_per_1k_tokens ?? price.input_per_1k_tokens ?? 0,
      per: "1,000 tokens",
    },
    {
      what: "Output tokens",
      count: detail.output_tokens,
      price: price.output_per_1k_tokens ?? 0,
      per: "1,000 tokens",
    },
    { what: "Images", count: detail.images, price: price.per_image ?? 0, per: "image" },
    { what: "Seconds of audio", count: detail.audio_ms / 1_000, price: price.per_second ?? 0, per: "second" },
    {
      what: "Requests",
      count: detail.usage_source === "none" ? 0 : 1,
      price: price.per_request ?? 0,
      per: "request",
    },
  ];
  return lines.filter(({ what, count, price: one }) => count > 0 && (one > 0 || what.endsWith("tokens")));
}
