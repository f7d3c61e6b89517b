import { createSeededRandom } from "@trunkline/core/random.ts";
import { STORY, streamsStory } from "@trunkline/testing/resumable-story.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  customer = await openCustomer(service, 100);
  const pricing = { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 };
  const body = registrationOf(provider, "narrator", { streaming: true, pricing });
  expect((await service.call("POST", "/v1/provider/models", body)).status).toBe(201);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const request = { input: "Tell me the story.", model: "narrator", parameters: { max_tokens: 600 } };

/** The story as a client reads it that pays so much at most, its last line, and how often the provider was called. */
async function askFor(max_cost: number | undefined) {
  provider.script = streamsStory(createSeededRandom("dear to tell"), 1);
  provider.calls.length = 0;
  const body = { ...request, ...(max_cost === undefined ? {} : { preferences: { max_cost } }) };
  const { text } = await service.call("POST", "/v1/stream", body, { key: customer.key });
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    text: lines.map(({ delta }) => delta ?? "").join(""),
    last: lines.at(-1),
    calls: provider.calls.length,
  };
}

describe("the most that an answer may cost", () => {
  it("holds for all that go on with it together: it ends where one more could go beyond", async () => {
    const preview = await service.call("POST", "/v1/routing/preview", request, { key: customer.key });
    const worst: number = preview.json.candidates[0].worst_case_cost;

    const whole = await askFor(undefined);
    expect(whole).toMatchObject({ text: STORY, calls: 2 });
    expect(await askFor(worst * 2)).toMatchObject({ text: STORY, calls: 2 });

    const { text, last, calls } = await askFor(worst);
    expect(calls).toBe(1);
    expect(text.length).toBeGreaterThan(0);
    expect(STORY.startsWith(text)).toBe(true);
    expect(last).toMatchObject({
      error: { type: "provider_error", message: expect.stringMatching(/broke off/) },
    });
    expect(last.error.cost).toBeLessThanOrEqual(worst);
  });
});

it("an answer that lost nothing but its end is whole, and the call that says so costs nothing", async () => {
  provider.script = async (response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    if (provider.calls.length > 1) return void response.end('{"done":true}\n');
    await new Promise((resolve) => response.write(`${JSON.stringify({ delta: STORY })}\n`, resolve));
    response.socket?.destroy();
  };
  provider.calls.length = 0;
  const answer = await service.call("POST", "/v1/stream", request, { key: customer.key });
  const lines = answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const last = lines.at(-1);
  expect(lines.map(({ delta }) => delta ?? "").join("")).toBe(STORY);
  expect(last).toMatchObject({ done: true, model: "operator/narrator" });
  expect(provider.calls).toHaveLength(2);
  const path = `/v1/requests/${answer.headers.get("x-request-id")}`;
  const { json } = await service.call("GET", path, undefined, { key: customer.key });
  expect(json.legs).toBeUndefined();
  expect(json.attempts).toMatchObject([{ outcome: "cut-off" }, { outcome: "answered" }]);
  expect(json.input_tokens * 0.001 + json.output_tokens * 0.002).toBeCloseTo(last.cost * 1000, 9);
});
