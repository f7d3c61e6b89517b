import { describe, expect, it } from "vitest";
import { chargeLines, curlOf, type RequestDetail, takesFeedback, whyChosen } from "./request-words.ts";

const candidate = (model: string, place: number, chosen: boolean) => ({
  model,
  place,
  chosen,
  outcome: chosen ? ("answered" as const) : ("failed" as const),
  predicted_quality: 0.8,
  expected_latency_ms: 100,
  estimated_cost: 0.1,
  worst_case_cost: 0.2,
  reasons: [],
});
const attempt = (model: string, outcome: RequestDetail["attempts"][number]["outcome"]) => ({
  model,
  outcome,
  kind: null,
  reason: "ok",
  ms: 1,
  first_part_ms: null,
  input_tokens: null,
  output_tokens: null,
});
const ROUTING = {
  strategy: "cost-optimized",
  chosen_by: "account" as const,
  task: "chat",
  candidates: [candidate("acme/small", 1, false), candidate("acme/large", 2, true)],
  candidates_total: 2,
  left_out: [],
  left_out_total: 0,
};
const DETAIL: RequestDetail = {
  id: "01890000-0000-7000-8000-000000000000",
  created_at: "2026-01-01T00:00:00.000Z",
  path: "/v1/generate",
  task: "chat",
  model: "acme/large",
  status: 200,
  error_type: null,
  input_tokens: 30,
  output_tokens: 20,
  cost: 0.1,
  latency_ms: 12,
  key_id: "key",
  key_name: "Key",
  tags: {},
  usage_source: "provider",
  cached_input_tokens: 10,
  cache_write_tokens: 5,
  images: 0,
  audio_ms: 0,
  own_key: false,
  price_version: "4",
  discount: 0,
  price: {
    input_per_1k_tokens: 1,
    cached_input_per_1k_tokens: null,
    cache_write_per_1k_tokens: 1.25,
    output_per_1k_tokens: 2,
    per_request: 0.5,
  },
  held: 1,
  idempotent: false,
  streamed: false,
  client_hung_up: false,
  error: null,
  timings: {},
  stages: [],
  routing: ROUTING,
  attempts: [attempt("acme/small", "failed"), attempt("acme/large", "answered")],
  safety: { input: null, output: null },
};

describe("why a model answered", () => {
  it("is described in a sentence", () => {
    expect(whyChosen(DETAIL)).toBe(
      "Your organisation's strategy is lowest cost first. 2 models could answer it. acme/large was choice number 2 and answered. 1 earlier choice failed.",
    );
    const first = { ...ROUTING, chosen_by: "name" as const, candidates: [candidate("acme/large", 1, true)] };
    expect(whyChosen({ ...DETAIL, routing: first, attempts: DETAIL.attempts.slice(1) })).toBe(
      "The request named this model. acme/large was the first choice and answered.",
    );
    const overtaken = [attempt("acme/small", "cancelled"), attempt("acme/large", "answered")];
    expect(whyChosen({ ...DETAIL, attempts: overtaken })).toMatch(/ 1 was slower\.$/);
    const checked = [attempt("a/a", "failed-check"), attempt("a/b", "failed-check"), attempt("a/c", "cut-off")];
    expect(whyChosen({ ...DETAIL, attempts: checked })).toMatch(
      / 1 earlier choice stopped midway\. 2 earlier choices failed the check\.$/,
    );
    expect(whyChosen({ ...DETAIL, routing: null })).toMatch(/before a model/);
    expect(whyChosen({ ...DETAIL, attempts: [] })).toMatch(/No model was called/);
  });
});

describe("feedback on an answer", () => {
  it("is taken where there is an answer, and for 30 days", () => {
    const arrived = Date.parse(DETAIL.created_at);
    expect(takesFeedback(DETAIL, arrived + 29 * 86_400_000)).toBe(true);
    expect(takesFeedback(DETAIL, arrived + 31 * 86_400_000)).toBe(false);
    expect(takesFeedback({ ...DETAIL, status: 502 }, arrived)).toBe(false);
    expect(takesFeedback({ ...DETAIL, model: null }, arrived)).toBe(false);
  });
});

describe("a request as a command", () => {
  it("is there only where the content was kept, and survives every quote in it", () => {
    expect(curlOf(DETAIL, "https://api.example")).toBeUndefined();
    const content = { input: 'It\'s $HOME `id` "x"', output: "" };
    const command = curlOf({ ...DETAIL, content }, "https://api.example");
    expect(command).toContain("curl 'https://api.example/v1/generate'");
    expect(command).toContain(`It'\\''s $HOME \`id\` \\"x\\"`);
    expect(command).toContain("$TRUNKLINE_KEY");
  });
});

describe("what was charged for", () => {
  it("lists each count with its price, cached input apart", () => {
    expect(chargeLines(DETAIL).map(({ what, count, price }) => [what, count, price])).toEqual([
      ["Input tokens", 15, 1_000],
      ["Cached input tokens", 10, 1_000],
      ["Cache write tokens", 5, 1_250],
      ["Output tokens", 20, 2_000],
      ["Requests", 1, 0.5],
    ]);
    expect(chargeLines({ ...DETAIL, price: null })).toEqual([]);
  });
});
