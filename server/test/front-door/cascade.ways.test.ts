import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import type { Script } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BOTH, CascadeTrial, CHEAP, CITY, DEAR, QUESTION, says } from "../support/cascade-trial.ts";
import { balanceOf } from "../support/customer.ts";
import type { Answer } from "../support/started-service.ts";

let trial: CascadeTrial;

beforeAll(async () => {
  trial = await CascadeTrial.start();
});
beforeEach(() => trial.begin());
afterAll(() => trial.stop());

const fails: Script = (response) => void response.writeHead(500).end("{}");
/** Dies in the middle of its answer, whole or streamed. */
const breaksOff: Script = (response, call) => {
  response.setHeader("content-type", call.body.stream === true ? "application/x-ndjson" : "application/json");
  response.write(call.body.stream === true ? '{"delta":"It is "}\n' : '{"output":"It is ');
  setImmediate(() => response.socket?.resetAndDestroy());
};

const linesOf = (answer: Answer) =>
  answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a cascade", () => {
  it("goes on where a provider fails, before or in the middle of its answer, and pays only for what was whole", async () => {
    for (const script of [fails, breaksOff])
      for (const path of ["/v1/generate", "/v1/stream"]) {
        trial.cheap.script = script;
        const before = await trial.spent();
        const answer = await trial.ask({ check: { json_schema: CITY } }, path);
        expect(answer.status, answer.text).toBe(200);
        expect((await trial.spent()) - before).toBeCloseTo(DEAR, 9);
        expect((await trial.recordOf(answer)).legs).toBeUndefined();
        // The breaker must not open for the tests that follow.
        trial.cheap.script = says("It is Paris.");
        for (let round = 0; round < 4; round++) await trial.ask({});
      }
  });

  it("is answered as ever where no provider answers at all", async () => {
    trial.cheap.script = fails;
    trial.dear.script = fails;
    const answer = await trial.ask({ check: { json_schema: CITY } });
    expect(answer.status).toBe(502);
    expect(answer.json.error).toMatchObject({
      type: "provider_error",
      attempts: [{ model: "operator/cheap" }, { model: "operator/dear" }],
    });
    expect(await trial.spent()).toBe(0);
  });

  it("streams an answer only once it has passed", async () => {
    const answer = await trial.ask({ check: { json_schema: CITY } }, "/v1/stream");
    const lines = linesOf(answer);
    expect(lines.map(({ delta }) => delta ?? "").join("")).toBe('{"city":"Paris"}');
    expect(lines.at(-1)).toEqual({
      done: true,
      model: "operator/dear",
      usage: { input_tokens: 20, output_tokens: 40 },
      cost: BOTH,
    });
    trial.dear.script = says("No.");
    expectRefusal(await trial.ask({ check: { json_schema: CITY } }, "/v1/stream"), 422, "check_failed", {
      attempts: expect.any(Array),
      cost: BOTH,
    });
  });

  it("is charged for the answers that were thrown away where the client leaves before one passes", async () => {
    const leaving = new AbortController();
    trial.dear.script = () => leaving.abort();
    await expect(
      trial.service.call(
        "POST",
        "/v1/stream",
        { ...QUESTION, check: { json_schema: CITY } },
        { key: trial.customer.key, signal: leaving.signal },
      ),
    ).rejects.toThrow();
    await expect.poll(() => trial.spent()).toBe(CHEAP);
    expect((await balanceOf(trial.service, trial.customer.key)).held).toBe(0);
  });

  it("keeps to the models that the client names", async () => {
    const answer = await trial.ask({ model: "dear", check: { json_schema: CITY } });
    expect(answer.json.model).toBe("operator/dear");
    expect(trial.cheap.calls).toHaveLength(0);
    const back = await trial.ask({ model: "dear", fallbacks: ["cheap"], check: { regex: "^It is" } });
    expect(back.json.model).toBe("operator/cheap");
  });

  it("is run once for one idempotency key, and its failure is repeated", async () => {
    trial.dear.script = says("No.");
    const headers = { "idempotency-key": "cascade-1" };
    const first = await trial.ask({ check: { json_schema: CITY } }, "/v1/generate", headers);
    const again = await trial.ask({ check: { json_schema: CITY } }, "/v1/generate", headers);
    expect(again.json).toEqual(first.json);
    expect(await trial.spent()).toBe(BOTH);
  });

  it("is another question to the cache under another check", async () => {
    const cache = { ttl: 60 };
    await trial.ask({ cache, check: { regex: "Paris" } });
    expect((await trial.ask({ cache, check: { regex: "Paris" } })).headers.get("x-trunkline-cache")).toMatch(/^hit/);
    expect((await trial.ask({ cache, check: { regex: "is" } })).headers.get("x-trunkline-cache")).toBe("miss");
  });

  it("is shown in the preview from the cheapest on, whatever the account's strategy", async () => {
    await trial.service.call("PUT", "/v1/routing", { strategy: "quality-optimized" }, { key: trial.customer.key });
    const preview = await trial.service.call("POST", "/v1/routing/preview", QUESTION, {
      key: trial.customer.key,
    });
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
    expectRefusal(await trial.ask(more), 400, "invalid_request", { param });
    expect(trial.cheap.calls).toHaveLength(0);
  });

  it("is not held up by a pattern made to hold it up", async () => {
    // A backtracking matcher would try 2^5000 ways, and the test would never end.
    trial.cheap.script = says(`${"a".repeat(5_000)}!`);
    const schema = { type: "object", properties: { city: { pattern: "^(a+)+$" } } };
    const answer = await trial.ask({ check: { regex: "^(a+)+$", json_schema: schema } });
    expect(answer.status).toBe(422);
  });
});

describe("on other wires, a cascade", () => {
  const messages = [{ role: "user", content: "What is the capital of France?" }];
  const form = { type: "json_schema", json_schema: { name: "city", schema: CITY } };
  const own = { model: "auto", route: "cascade", max_tokens: 100 };

  it("holds the answer to the form that OpenAI's clients ask for, too, whole and streamed", async () => {
    const path = "/openai/v1/chat/completions";
    const whole = await trial.service.call(
      "POST",
      path,
      { ...own, messages, response_format: form },
      { key: trial.customer.key },
    );
    expect(whole.status, whole.text).toBe(200);
    expect(whole.json.choices[0].message.content).toBe('{"city":"Paris"}');
    expect(whole.headers.get("x-trunkline-dropped")).toBeNull();
    expect(await trial.spent()).toBe(BOTH);
    const streamed = await trial.service.call(
      "POST",
      path,
      { ...own, messages, check: { json_schema: CITY }, stream: true },
      { key: trial.customer.key },
    );
    expect(streamed.headers.get("content-type")).toMatch(/event-stream/);
    expect(streamed.text).toMatch(/\[DONE\]/);
    expect(await trial.spent()).toBe(Math.round(2 * BOTH * 1e9) / 1e9);
  });

  it.each([
    ["/anthropic/v1/messages", { ...own, messages }],
    ["/gemini/v1beta/models/auto:generateContent", { route: "cascade", contents: [{ parts: [{ text: "Hello?" }] }] }],
    ["/openai/v1/responses", { model: "auto", route: "cascade", input: "Hello?" }],
  ])("is taken at %s", async (path, body) => {
    const answer = await trial.service.call(
      "POST",
      path,
      { ...body, check: { json_schema: CITY } },
      { key: trial.customer.key },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("x-trunkline-model")).toBe("operator/dear");
    expect(await trial.spent()).toBe(BOTH);
    trial.dear.script = says("No.");
    const failed = await trial.service.call(
      "POST",
      path,
      { ...body, check: { json_schema: CITY } },
      { key: trial.customer.key },
    );
    expect(failed.status).toBe(422);
    expect(failed.text).toMatch(/check_failed/);
  });
});
