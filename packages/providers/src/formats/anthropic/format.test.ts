import { Secret } from "@trunkline/core/secret.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { someCall } from "@trunkline/testing/every-cut.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { describe, expect, it } from "vitest";
import { startUpstream, type UpstreamAnswer } from "../../../../../server/test/support/scripted-upstream.ts";
import { httpAdapter } from "../../http/http-adapter.ts";
import { anthropicFormat } from "./format.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const clock = { now: () => NOW, monotonicMs: () => 0 };
const message = {
  type: "message",
  content: [{ type: "text", text: "Hi." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 3, output_tokens: 2 },
};

async function ask(answer: UpstreamAnswer, path = "") {
  const upstream = await startUpstream(() => answer);
  const pauses: number[] = [];
  const model = makeModel({
    endpoint: `${upstream.url}${path}`,
    authType: "x-api-key",
    credential: new Secret("sk-ant-1"),
    upstreamModel: "claude-sonnet-4-5",
  });
  const call = someCall({
    model,
    inference: makeInference({ streaming: false }),
    onPause: (seconds) => void pauses.push(seconds),
  });
  try {
    const answered = collect(httpAdapter(openForTest(), anthropicFormat, clock).call(call));
    const parts = await answered.catch((failure: unknown) => failure);
    return { parts, pauses, request: upstream.requests[0] };
  } finally {
    await upstream.close();
  }
}

describe("the Messages API", () => {
  it.each(["", "/", "/v1", "/v1/"])("has its URL below the base %j", async (path) => {
    const { request, parts } = await ask({ body: JSON.stringify(message) }, path);
    expect(request).toMatchObject({ method: "POST", path: "/v1/messages" });
    expect(request?.headers).toMatchObject({
      "x-api-key": "sk-ant-1",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      "x-request-id": "r1",
    });
    expect(request?.headers).not.toHaveProperty("authorization");
    expect(request?.headers).not.toHaveProperty("anthropic-beta");
    expect(request?.json).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 4096,
      messages: [{ role: "user", content: [{ type: "text", text: "Hello?" }] }],
    });
    expect(parts).toMatchObject([{ type: "usage" }, { type: "text", text: "Hi." }, { type: "finish" }]);
  });

  it.each([
    [400, "invalid_request_error", "rejected", "rejected the request: Because."],
    [401, "authentication_error", "refused", "refused our credential"],
    [402, "billing_error", "refused", "has no credit left for us"],
    [403, "permission_error", "refused", "refused our credential"],
    [404, "not_found_error", "rejected", "rejected the request: Because."],
    [413, "request_too_large", "rejected", "rejected the request: Because."],
    [429, "rate_limit_error", "rate-limited", "gets too many requests from us"],
    [500, "api_error", "broken", "answered with status 500: Because."],
    [504, "timeout_error", "timeout", "answered with status 504"],
    [529, "overloaded_error", "overloaded", "answered with status 529: Because."],
  ])("fails with status %i and its own message: %s", async (status, type, kind, reason) => {
    const body = JSON.stringify({ type: "error", error: { type, message: "Because." }, request_id: "req_1" });
    const { parts } = await ask({ status, body });
    expect(parts).toMatchObject({ name: "ProviderFailure", kind, reason, said: "Because." });
  });

  it("reports a lack of credit as our account's problem, not the request's", async () => {
    const words = "Your credit balance is too low to access the Anthropic API.";
    const error = { type: "invalid_request_error", message: words };
    const { parts } = await ask({ status: 400, body: JSON.stringify({ type: "error", error }) });
    expect(parts).toMatchObject({ kind: "refused", blamesEndpoint: true, said: words });
  });

  it("never shows the credential in a message", async () => {
    const error = { type: "authentication_error", message: "invalid x-api-key sk-ant-1" };
    const { parts } = await ask({ status: 401, body: JSON.stringify({ error }) });
    expect(parts).toMatchObject({ said: "invalid x-api-key [secret]" });
  });

  it.each([
    ["retry-after", { "retry-after": "7" }, 7],
    ["the limits, where there is no retry-after", limit("requests", "0", "2026-03-01T12:00:30Z"), 30],
    ["neither, where both are missing", {}, undefined],
  ])("delays the next call after a rate limit by %s", async (_what, headers, retryAfterSeconds) => {
    const body = JSON.stringify({ error: { type: "rate_limit_error", message: "Slow down." } });
    const { parts } = await ask({ status: 429, headers, body });
    expect(parts).toMatchObject({ kind: "rate-limited", retryAfterSeconds });
  });

  it.each<[string, Record<string, string>, number[]]>([
    ["nothing is left of the requests", limit("requests", "0", "2026-03-01T12:00:30Z"), [30]],
    ["nothing is left of the input", limit("input-tokens", "0", "2026-03-01T13:00:10.5+01:00"), [11]],
    [
      "several are used up: the longest counts",
      {
        ...limit("requests", "0", "2026-03-01T12:00:05Z"),
        ...limit("output-tokens", "0", "2026-03-01T12:01:00Z"),
      },
      [60],
    ],
    ["something is left", limit("requests", "1", "2026-03-01T12:00:30Z"), []],
    ["it was long ago", limit("requests", "0", "2026-03-01T11:00:00Z"), []],
    ["the time is invalid", limit("requests", "0", "soon"), []],
  ])("pauses after a successful answer where %s", async (_what, headers, expected) => {
    expect((await ask({ headers, body: JSON.stringify(message) })).pauses).toEqual(expected);
  });
});

function limit(kind: string, remaining: string, reset: string): Record<string, string> {
  return {
    [`anthropic-ratelimit-${kind}-limit`]: "50",
    [`anthropic-ratelimit-${kind}-remaining`]: remaining,
    [`anthropic-ratelimit-${kind}-reset`]: reset,
  };
}
