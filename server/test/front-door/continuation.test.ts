import { createSeededRandom } from "@trunkline/core/random.ts";
import { STORY, streamsStory } from "@trunkline/testing/resumable-story.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { expectSoundLedger } from "../support/ledger-state.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";

/** What each of the three takes for a thousand tokens in and out. */
const PRICES = [
  [0.001, 0.002],
  [0.003, 0.005],
  [0.007, 0.011],
] as const;

let service: StartedService;
let database: Database;
let providers: ScriptedProvider[];
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  database = openDatabase(service.address, () => undefined);
  providers = await Promise.all(PRICES.map(() => startProvider()));
  customer = await openCustomer(service, 100);
});

afterAll(async () => {
  await service.stop();
  await database.close();
  for (const provider of providers) await provider.stop();
});

let registered = 0;

/** Three models of their own, so that no breaker remembers what was before; all three tell the same story. */
async function register(script: ScriptedProvider["script"]): Promise<readonly [string, string, string]> {
  registered++;
  // As after many requests without trouble: the budget for retries is full.
  for (let request = 0; request < 100; request++) service.services.providers.retryBudget.noteRequest(customer.id);
  const names = ["first", "second", "third"].map((place) => `${place}-${registered}`);
  for (const [index, provider] of providers.entries()) {
    provider.script = script;
    provider.calls.length = 0;
    const [input_per_1k_tokens, output_per_1k_tokens] = PRICES[index] ?? [0, 0];
    const body = registrationOf(provider, names[index] ?? "", {
      streaming: true,
      pricing: { input_per_1k_tokens, output_per_1k_tokens },
    });
    expect((await service.call("POST", "/v1/provider/models", body)).status).toBe(201);
  }
  const [first = "", second = "", third = ""] = names;
  return [first, second, third];
}

const ask = (
  path: string,
  [model, ...fallbacks]: readonly string[],
  more: Record<string, unknown> = {},
  headers = {},
) =>
  service.call(
    "POST",
    path,
    { input: "Tell me the story.", model, fallbacks, ...more },
    { key: customer.key, headers },
  );

// biome-ignore lint/suspicious/noExplicitAny: the lines of a stream have several shapes.
const linesOf = ({ text }: Answer): any[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const deltasOf = (answer: Answer) =>
  linesOf(answer)
    .map(({ delta }) => delta ?? "")
    .join("");
const recordOf = async ({ headers }: Answer) =>
  (await service.call("GET", `/v1/requests/${headers.get("x-request-id")}`, undefined, { key: customer.key })).json;

/** What each leg costs by the price of its own model, in credits. */
function priceOfLegs(legs: readonly { model: string; input_tokens: number; output_tokens: number }[]): number {
  const places = ["operator/first", "operator/second", "operator/third"];
  return legs.reduce((sum, { model, input_tokens, output_tokens }) => {
    const [input, output] = PRICES[places.findIndex((place) => model.startsWith(place))] ?? [NaN, NaN];
    return sum + (input_tokens * input + output_tokens * output) / 1000;
  }, 0);
}

describe("where every stream is cut at a random byte", () => {
  it.each(Array.from({ length: 24 }, (_, at) => at))(
    "the client reads the whole story once, and pays each model for its part: %d",
    async (seed) => {
      const random = createSeededRandom(`cut ${seed}`);
      const names = await register(streamsStory(random, 1 + (seed % 3)));
      const before = await balanceOf(service, customer.key);
      const answer = await ask("/v1/stream", names);
      expect(answer.status, answer.text).toBe(200);
      expect(deltasOf(answer)).toBe(STORY);
      const last = linesOf(answer).at(-1);
      expect(last).toMatchObject({ done: true, model: expect.stringMatching(/^operator\//) });

      const record = await recordOf(answer);
      const legs = record.legs ?? [record];
      expect(record.cost).toBe(last.cost);
      expect(priceOfLegs(legs)).toBeCloseTo(last.cost, 9);
      const after = await balanceOf(service, customer.key);
      expect(before.balance - after.balance).toBeCloseTo(last.cost, 9);
      expect(after.held).toBe(0);
      const spoke = [...new Set(legs.map(({ model }: { model: string }) => model))];
      expect(last.models).toEqual(spoke.length > 1 ? spoke : undefined);
      expect(last.model).toBe(spoke.length > 1 ? legs.at(-1).model : record.model);
    },
  );

  it("also a whole answer is completed, and its headers name the models", async () => {
    for (let seed = 0; seed < 6; seed++) {
      const names = await register(streamsStory(createSeededRandom(`whole ${seed}`), 2));
      const answer = await ask("/v1/generate", names);
      expect(answer.json.output, answer.text).toBe(STORY);
      const { legs } = await recordOf(answer);
      const spoke = [...new Set(legs?.map(({ model }: { model: string }) => model))];
      expect(answer.headers.get("x-trunkline-models")).toBe(spoke.length > 1 ? spoke.join(", ") : null);
    }
  });

  it.each(["on the rock", "at the lamp"])("a model that is alone goes on with its own words: %s", async (where) => {
    const [alone] = await register(streamsStory(createSeededRandom(`alone ${where}`), 2));
    const answer = await ask("/v1/stream", [alone]);
    expect(deltasOf(answer)).toBe(STORY);
    expect(linesOf(answer).at(-1).models).toBeUndefined();
    expect(providers[0]?.calls).toHaveLength(3);
  });

  it("and the ledger is sound after all of it", async () => {
    await expectSoundLedger(database);
    const { findings } = await auditLedger(database);
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  });
});

describe("an answer that several models made", () => {
  it("is replayed as one for the same idempotency key, at no further cost", async () => {
    const names = await register(streamsStory(createSeededRandom("replayed"), 2));
    const headers = { "idempotency-key": "one story" };
    const delivered = await ask("/v1/stream", names, {}, headers);
    const calls = providers.map((provider) => provider.calls.length);
    const before = await balanceOf(service, customer.key);
    const again = await ask("/v1/stream", names, {}, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(deltasOf(again)).toBe(STORY);
    expect(linesOf(again).at(-1)).toEqual(linesOf(delivered).at(-1));
    expect(linesOf(again).at(-1).models.length).toBeGreaterThan(1);
    expect(providers.map((provider) => provider.calls.length)).toEqual(calls);
    expect(await balanceOf(service, customer.key)).toEqual(before);
  });

  it("is kept as one by the response cache", async () => {
    const names = await register(streamsStory(createSeededRandom("cached"), 2));
    const cache = { cache: { ttl: 60 } };
    expect(deltasOf(await ask("/v1/stream", names, cache))).toBe(STORY);
    const calls = providers.map((provider) => provider.calls.length);
    const again = await ask("/v1/stream", names, cache);
    expect(again.headers.get("x-trunkline-cache")).toMatch(/^hit/);
    expect(deltasOf(again)).toBe(STORY);
    expect(linesOf(again).at(-1).cost).toBe(0);
    expect(providers.map((provider) => provider.calls.length)).toEqual(calls);
  });

  const messages = [{ role: "user", content: "Tell me the story." }];

  it.each([
    [
      "OpenAI's chat",
      "/openai/v1/chat/completions",
      (model: string, fallbacks: string[]) => ({ model, fallbacks, messages, stream: true }),
    ],
    [
      "OpenAI's chat with its usage",
      "/openai/v1/chat/completions",
      (model: string, fallbacks: string[]) => ({
        model,
        fallbacks,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      }),
    ],
    [
      "OpenAI's responses",
      "/openai/v1/responses",
      (model: string, fallbacks: string[]) => ({
        model,
        fallbacks,
        input: "Tell me the story.",
        stream: true,
      }),
    ],
  ])("is one in %s, and its end says who spoke", async (_name, path, bodyOf) => {
    const [first, second, third] = await register(streamsStory(createSeededRandom("dialects"), 2));
    const answer = await service.call("POST", path, bodyOf(first, [second, third]), { key: customer.key });
    const events = answer.text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)));
    const text = events
      .map(
        (event) =>
          event.choices?.[0]?.delta?.content ?? (event.type === "response.output_text.delta" ? event.delta : ""),
      )
      .join("");
    expect(text).toBe(STORY);
    const { trunkline } = events.at(-1).response ?? events.at(-1);
    expect(trunkline.models.length).toBeGreaterThan(1);
    expect(trunkline.models[0]).toBe(`operator/${first}`);
  });

  it.each([
    [
      "Anthropic's",
      (model: string) => ["/anthropic/v1/messages", { model, messages, max_tokens: 4_000, stream: true }] as const,
    ],
    [
      "Google's",
      (model: string) =>
        [
          `/gemini/v1beta/models/${model}:streamGenerateContent?alt=sse`,
          { contents: [{ role: "user", parts: [{ text: "Tell me the story." }] }] },
        ] as const,
    ],
  ])("is one in %s format, from one model alone that goes on by itself", async (_name, requestOf) => {
    const [alone] = await register(streamsStory(createSeededRandom("alone again"), 1));
    const [path, body] = requestOf(alone);
    const answer = await service.call("POST", path, body, { key: customer.key });
    const events = answer.text
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice(6)));
    const text = events
      .map((event) => event.delta?.text ?? event.candidates?.[0]?.content?.parts?.[0]?.text ?? "")
      .join("");
    expect(text, answer.text.slice(0, 500)).toBe(STORY);
  });
});

describe("a client that wants its answer from one model", () => {
  it("gets the error, and pays for what it was given", async () => {
    const names = await register(streamsStory(createSeededRandom("never continued"), 3));
    const answer = await ask("/v1/stream", names, { continue: false });
    const last = linesOf(answer).at(-1);
    expect(last).toMatchObject({ done: true, error: { type: "provider_error", cost: expect.any(Number) } });
    const delivered = deltasOf(answer);
    expect(delivered.length).toBeGreaterThan(0);
    expect(STORY.startsWith(delivered)).toBe(true);
    expect((await recordOf(answer)).legs).toBeUndefined();
  });
});

it("where no model can go on, the client gets an error and pays for what it was given", async () => {
  const names = await register(streamsStory(createSeededRandom("for ever"), 1));
  const [first, ...others] = providers;
  for (const other of others) other.script = (response) => void response.writeHead(503).end("{}");
  const script = first?.script;
  if (first !== undefined && script !== undefined)
    first.script = (response, call) => {
      if (first.calls.length === 1) return script(response, call);
      response.writeHead(503).end("{}");
    };
  const answer = await ask("/v1/stream", names);
  expect(linesOf(answer).at(-1)).toMatchObject({
    error: { type: "provider_error", message: expect.stringMatching(/broke off/), cost: expect.any(Number) },
  });
  expect((await recordOf(answer)).attempts).toMatchObject([
    { model: `operator/${names[0]}`, outcome: "cut-off" },
    { model: `operator/${names[1]}`, outcome: "failed" },
    { model: `operator/${names[2]}`, outcome: "failed" },
    { model: `operator/${names[0]}`, outcome: "failed" },
  ]);
});
