import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { auditLedger } from "../../src/store/audit.ts";
import { openDatabase } from "../../src/store/database.ts";
import { balanceOf, type Customer, openCustomer } from "../customer.ts";
import { expectRefusal } from "../expect-refusal.ts";
import {
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
  USAGE,
} from "../scripted-provider.ts";
import { type Answer, type StartedService, startService } from "../started-service.ts";

/** What ten tokens in and twenty out cost. */
const CHEAP = 0.000_05;
const DEAR = 0.000_5;
/** The worst case of the dear one at a hundred tokens out, and a little more for its input; and what the cheap one costs beside it. */
const DEAR_WORST = 0.002_08;
const BOTH_AT_WORST = 0.002_13;

let service: StartedService;
let cheap: ScriptedProvider;
let dear: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  cheap = await startProvider();
  dear = await startProvider();
  const register = (provider: ScriptedProvider, name: string, factor: number, accuracy_score: number) =>
    service.call(
      "POST",
      "/v1/provider/models",
      registrationOf(provider, name, {
        streaming: true,
        performance: { accuracy_score },
        pricing: { input_per_1k_tokens: 0.001 * factor, output_per_1k_tokens: 0.002 * factor },
      }),
    );
  for (const { status, text } of [
    await register(cheap, "cheap", 1, 0.4),
    await register(dear, "dear", 10, 0.9),
  ])
    expect(status, text).toBe(201);
});

beforeEach(async () => {
  cheap.script = says("It is Paris.");
  dear.script = says('{"city":"Paris"}');
  cheap.calls.length = 0;
  dear.calls.length = 0;
  customer = await openCustomer(service, 1);
});

afterAll(async () => {
  const database = openDatabase(service.address, () => undefined);
  const { findings } = await auditLedger(database);
  await database.close();
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  await service.stop();
  await cheap.stop();
  await dear.stop();
});

/** An answer in our own form, whole or as it comes. */
function says(output: string): Script {
  return (response, call) => {
    if (call.body.stream !== true) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ output, usage: USAGE, latency_ms: 5 }));
      return;
    }
    response.setHeader("content-type", "application/x-ndjson");
    for (const delta of output.match(/.{1,4}/gs) ?? []) response.write(`${JSON.stringify({ delta })}\n`);
    response.end(`${JSON.stringify({ done: true, usage: USAGE })}\n`);
  };
}

const fails: Script = (response) => void response.writeHead(500).end("{}");
/** Dies in the middle of its answer, whole or streamed. */
const breaksOff: Script = (response, call) => {
  response.setHeader("content-type", call.body.stream === true ? "application/x-ndjson" : "application/json");
  response.write(call.body.stream === true ? '{"delta":"It is "}\n' : '{"output":"It is ');
  setImmediate(() => response.socket?.resetAndDestroy());
};

const CITY = {
  type: "object",
  required: ["city"],
  properties: { city: { type: "string", pattern: "^[A-Z]" } },
};
const BODY = { input: "What is the capital of France?", route: "cascade", parameters: { max_tokens: 100 } };

const ask = (more: Record<string, unknown>, path = "/v1/generate", headers: Record<string, string> = {}) =>
  service.call("POST", path, { ...BODY, ...more }, { key: customer.key, headers });
const recordOf = async (answer: Answer) =>
  (
    await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`, undefined, {
      key: customer.key,
    })
  ).json;
const spent = async () => Math.round((1 - (await balanceOf(service, customer.key)).balance) * 1e9) / 1e9;
const linesOf = (answer: Answer) =>
  answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a cascade", () => {
  it("stops at the cheapest model whose answer passes", async () => {
    const answer = await ask({ check: { regex: "Paris" } });
    expect(answer.json).toMatchObject({ output: "It is Paris.", model: "operator/cheap" });
    expect(dear.calls).toHaveLength(0);
    expect(await spent()).toBe(CHEAP);
    const record = await recordOf(answer);
    expect(record.legs).toBeUndefined();
    expect(record.routing).toMatchObject({ strategy: "cost-optimized", chosen_by: "request" });
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ["is not JSON", "It is Paris.", { json_schema: CITY }, "it is not JSON"],
    [
      "does not meet the schema",
      '{"town":"Paris"}',
      { json_schema: CITY },
      'it does not meet the schema: it lacks "city"',
    ],
    [
      "does not match a pattern of the schema",
      '{"city":"paris"}',
      { json_schema: CITY },
      'it does not meet the schema: "/city" does not match its pattern',
    ],
    ["is too short", "Paris", { min_length: 10 }, "it has fewer than 10 characters"],
    ["does not match", "I don't know.", { regex: "Paris|London" }, "it does not match the pattern"],
    ["is blank", " ", { non_empty: true }, "it is empty"],
  ])(
    "goes on to the better model where the answer %s, and each is charged by its own price",
    async (_what, output, check, reason) => {
      cheap.script = says(output);
      const answer = await ask({ check, preferences: { max_cost: BOTH_AT_WORST } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json).toMatchObject({ output: '{"city":"Paris"}', model: "operator/dear" });
      expect(answer.headers.get("x-trunkline-cost")).toBe("0.00055");
      expect(await spent()).toBe(CHEAP + DEAR);
      const record = await recordOf(answer);
      expect(record).toMatchObject({
        model: "operator/dear",
        cost: CHEAP + DEAR,
        price_version: "legs",
        input_tokens: 20,
        output_tokens: 40,
        legs: [
          {
            model: "operator/cheap",
            outcome: "failed-check",
            input_tokens: 10,
            output_tokens: 20,
            cost: CHEAP,
          },
          { model: "operator/dear", outcome: "answered", input_tokens: 10, output_tokens: 20, cost: DEAR },
        ],
        attempts: [
          { model: "operator/cheap", outcome: "failed-check", reason, input_tokens: 10, output_tokens: 20 },
          { model: "operator/dear", outcome: "answered", reason: "ok", input_tokens: 10, output_tokens: 20 },
        ],
      });
    },
  );

  it("pays nothing for an answer that is empty, and goes on", async () => {
    cheap.script = says("");
    const answer = await ask({});
    expect(answer.json.model).toBe("operator/dear");
    expect(await spent()).toBe(DEAR);
    expect((await recordOf(answer)).attempts).toMatchObject([
      { outcome: "failed-check", reason: "it is empty", input_tokens: null },
      { outcome: "answered" },
    ]);
  });

  it("says what it cost and why each answer failed where none passes", async () => {
    dear.script = says("I would say Paris.");
    const answer = await ask({ check: { json_schema: CITY } });
    expectRefusal(answer, 422, "check_failed", {
      attempts: [
        { model: "operator/cheap", reason: "it is not JSON", ms: expect.any(Number) },
        { model: "operator/dear", reason: "it is not JSON", ms: expect.any(Number) },
      ],
      cost: CHEAP + DEAR,
    });
    expect(await spent()).toBe(CHEAP + DEAR);
    expect(await recordOf(answer)).toMatchObject({
      status: 422,
      error_type: "check_failed",
      legs: [{ outcome: "failed-check" }, { outcome: "failed-check" }],
    });
  });

  it("begins no step whose worst case is above what the first has left of `max_cost`", async () => {
    const answer = await ask({ check: { json_schema: CITY }, preferences: { max_cost: DEAR_WORST } });
    expectRefusal(answer, 422, "check_failed", {
      attempts: [
        { model: "operator/cheap", reason: "it is not JSON", ms: expect.any(Number) },
        { model: "operator/dear", reason: expect.stringMatching(/max_cost/), ms: 0 },
      ],
      cost: CHEAP,
    });
    expect(dear.calls).toHaveLength(0);
    expect(await spent()).toBe(CHEAP);
    expect(await recordOf(answer)).toMatchObject({
      model: "operator/cheap",
      cost: CHEAP,
      attempts: [{ outcome: "failed-check", input_tokens: 10 }],
    });
  });

  it("begins no step that the balance does not cover beside the first", async () => {
    customer = await openCustomer(service, DEAR_WORST);
    const answer = await ask({ check: { json_schema: CITY } });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.json.error.attempts[1].reason).toMatch(/credits do not cover/);
    expect((await balanceOf(service, customer.key)).held).toBe(0);
  });

  it("goes on where a provider fails, before or in the middle of its answer, and pays only for what was whole", async () => {
    for (const script of [fails, breaksOff])
      for (const path of ["/v1/generate", "/v1/stream"]) {
        cheap.script = script;
        const before = await spent();
        const answer = await ask({ check: { json_schema: CITY } }, path);
        expect(answer.status, answer.text).toBe(200);
        expect((await spent()) - before).toBeCloseTo(DEAR, 9);
        expect((await recordOf(answer)).legs).toBeUndefined();
        // The breaker must not open for the tests that follow.
        cheap.script = says("It is Paris.");
        for (let round = 0; round < 4; round++) await ask({});
      }
  });

  it("is answered as ever where no provider answers at all", async () => {
    cheap.script = fails;
    dear.script = fails;
    const answer = await ask({ check: { json_schema: CITY } });
    expect(answer.status).toBe(502);
    expect(answer.json.error).toMatchObject({
      type: "provider_error",
      attempts: [{ model: "operator/cheap" }, { model: "operator/dear" }],
    });
    expect(await spent()).toBe(0);
  });

  it("streams an answer only once it has passed", async () => {
    const answer = await ask({ check: { json_schema: CITY } }, "/v1/stream");
    const lines = linesOf(answer);
    expect(lines.map(({ delta }) => delta ?? "").join("")).toBe('{"city":"Paris"}');
    expect(lines.at(-1)).toEqual({
      done: true,
      model: "operator/dear",
      usage: { input_tokens: 20, output_tokens: 40 },
      cost: CHEAP + DEAR,
    });
    dear.script = says("No.");
    expectRefusal(await ask({ check: { json_schema: CITY } }, "/v1/stream"), 422, "check_failed", {
      attempts: expect.any(Array),
      cost: CHEAP + DEAR,
    });
  });

  it("is charged for the answers that were thrown away where the client leaves before one passes", async () => {
    const leaving = new AbortController();
    dear.script = () => leaving.abort();
    await expect(
      service.call(
        "POST",
        "/v1/stream",
        { ...BODY, check: { json_schema: CITY } },
        { key: customer.key, signal: leaving.signal },
      ),
    ).rejects.toThrow();
    await vi.waitFor(async () => expect(await spent()).toBe(CHEAP), { timeout: 10_000 });
    expect((await balanceOf(service, customer.key)).held).toBe(0);
  });

  it("keeps to the models that the client names", async () => {
    const answer = await ask({ model: "dear", check: { json_schema: CITY } });
    expect(answer.json.model).toBe("operator/dear");
    expect(cheap.calls).toHaveLength(0);
    const back = await ask({ model: "dear", fallbacks: ["cheap"], check: { regex: "^It is" } });
    expect(back.json.model).toBe("operator/cheap");
  });

  it("is run once for one idempotency key, and its failure is told again", async () => {
    dear.script = says("No.");
    const headers = { "idempotency-key": "cascade-1" };
    const first = await ask({ check: { json_schema: CITY } }, "/v1/generate", headers);
    const again = await ask({ check: { json_schema: CITY } }, "/v1/generate", headers);
    expect(again.json).toEqual(first.json);
    expect(await spent()).toBe(CHEAP + DEAR);
  });

  it("is another question to the cache under another check", async () => {
    const cache = { ttl: 60 };
    await ask({ cache, check: { regex: "Paris" } });
    expect((await ask({ cache, check: { regex: "Paris" } })).headers.get("x-trunkline-cache")).toMatch(
      /^hit/,
    );
    expect((await ask({ cache, check: { regex: "is" } })).headers.get("x-trunkline-cache")).toBe("miss");
  });

  it("is shown in the preview from the cheapest on, whatever the account's strategy", async () => {
    await service.call("PUT", "/v1/routing", { strategy: "quality-optimized" }, { key: customer.key });
    const preview = await service.call("POST", "/v1/routing/preview", BODY, { key: customer.key });
    expect(preview.status, preview.text).toBe(200);
    expect(preview.json.candidates.map(({ model }: { model: string }) => model)).toEqual([
      "operator/cheap",
      "operator/dear",
    ]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ route: "cost", check: { min_length: 1 } }, "check"],
    [{ check: [] }, "check"],
    [{ check: { jsonschema: {} } }, "check.jsonschema"],
    [{ check: { json_schema: { $ref: "https://example.test/a" } } }, "check.json_schema"],
    [{ check: { regex: "(a" } }, "check.regex"],
    [{ check: { min_length: 0 } }, "check.min_length"],
    [{ task: "image" }, "route"],
  ])("is refused by the field that is wrong: %j", async (more, param) => {
    expectRefusal(await ask(more), 400, "invalid_request", { param });
    expect(cheap.calls).toHaveLength(0);
  });

  it("is not held up by a pattern made to hold it up", async () => {
    cheap.script = says(`${"a".repeat(5_000)}!`);
    const schema = { type: "object", properties: { city: { pattern: "^(a+)+$" } } };
    const started = performance.now();
    const answer = await ask({ check: { regex: "^(a+)+$", json_schema: schema } });
    expect(answer.status).toBe(422);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe("on other wires, a cascade", () => {
  const messages = [{ role: "user", content: "What is the capital of France?" }];
  const form = { type: "json_schema", json_schema: { name: "city", schema: CITY } };
  const own = { model: "auto", route: "cascade", max_tokens: 100 };

  it("holds the answer to the form that OpenAI's clients ask for, too, whole and streamed", async () => {
    const path = "/openai/v1/chat/completions";
    const whole = await service.call(
      "POST",
      path,
      { ...own, messages, response_format: form },
      { key: customer.key },
    );
    expect(whole.status, whole.text).toBe(200);
    expect(whole.json.choices[0].message.content).toBe('{"city":"Paris"}');
    expect(whole.headers.get("x-trunkline-dropped")).toBeNull();
    expect(await spent()).toBe(CHEAP + DEAR);
    const streamed = await service.call(
      "POST",
      path,
      { ...own, messages, check: { json_schema: CITY }, stream: true },
      { key: customer.key },
    );
    expect(streamed.headers.get("content-type")).toMatch(/event-stream/);
    expect(streamed.text).toMatch(/\[DONE\]/);
    expect(await spent()).toBe(Math.round(2 * (CHEAP + DEAR) * 1e9) / 1e9);
  });

  it.each([
    ["/anthropic/v1/messages", { ...own, messages }],
    [
      "/gemini/v1beta/models/auto:generateContent",
      { route: "cascade", contents: [{ parts: [{ text: "Hello?" }] }] },
    ],
    ["/openai/v1/responses", { model: "auto", route: "cascade", input: "Hello?" }],
  ])("is taken at %s", async (path, body) => {
    const answer = await service.call(
      "POST",
      path,
      { ...body, check: { json_schema: CITY } },
      { key: customer.key },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("x-trunkline-model")).toBe("operator/dear");
    expect(await spent()).toBe(CHEAP + DEAR);
    dear.script = says("No.");
    const failed = await service.call(
      "POST",
      path,
      { ...body, check: { json_schema: CITY } },
      { key: customer.key },
    );
    expect(failed.status).toBe(422);
    expect(failed.text).toMatch(/check_failed/);
  });
});
