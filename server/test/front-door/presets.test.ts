import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerUpstream, startUpstream, type Upstream, type UpstreamRequest } from "../support/scripted-upstream.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let customer: Customer;

const answerTo = ({ json }: UpstreamRequest) =>
  json.model === "dead"
    ? { status: 500, body: "{}" }
    : {
        body: JSON.stringify({
          id: "a",
          object: "chat.completion",
          created: 1,
          model: json.model,
          choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
        }),
      };

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream(answerTo)]);
  for (const name of ["one", "two", "dead"])
    await registerUpstream(service, { wire: "openai", name, endpoint: `${upstream.url}/v1` });
  customer = await openCustomer(service, 10);
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const call = (method: string, path: string, body?: unknown) => service.call(method, path, body, { key: customer.key });
const set = async (name: string, preset: object) => {
  const answer = await call("PUT", `/v1/presets/${name}`, preset);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};
const messages = [{ role: "user" as const, content: "Hi there" }];

/** What the last model was sent. */
async function sentFor(body: object, path = "/v1/chat/completions") {
  upstream.requests.length = 0;
  const { status, text } = await call("POST", path, body);
  expect(status, text).toBe(200);
  return upstream.requests.at(-1)?.json;
}

describe("a preset", () => {
  it("stands for a model, instructions and parameters, over which a request's own go", async () => {
    const preset = {
      description: "For the support desk.",
      models: ["two"],
      system: "Answer kindly.",
      parameters: { max_tokens: 77, temperature: 0.25, top_p: 0.5, stop: ["END"] },
    };
    expect(await set("support", preset)).toEqual({ name: "support", ...preset });
    expect(await sentFor({ model: "support", messages })).toMatchObject({
      model: "two",
      messages: [{ role: "system", content: "Answer kindly." }, messages[0]],
      temperature: 0.25,
      top_p: 0.5,
      stop: "END",
    });
    const own = [{ role: "system", content: "Be brief." }, ...messages];
    const sent = await sentFor({ model: "support", messages: own, temperature: 1, max_tokens: 5 });
    expect(sent).toMatchObject({ model: "two", temperature: 1 });
    expect(sent.max_tokens ?? sent.max_completion_tokens).toBe(5);
    expect(JSON.stringify(sent.messages)).toMatch(/Answer kindly.*Be brief.*Hi there/);
  });

  it("works in every format, and is on record", async () => {
    await set("everywhere", { models: ["one"], system: "Rhyme." });
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    for (const [path, body] of [
      ["/v1/generate", { model: "everywhere", input: "Hi" }],
      ["/v1/responses", { model: "everywhere", input: "Hi" }],
      ["/v1/messages", { model: "everywhere", max_tokens: 9, messages }],
      ["/v1beta/models/everywhere:generateContent", { contents }],
    ] as const) {
      const sent = await sentFor(body, path);
      expect([path, sent.model, sent.messages[0].content]).toEqual([path, "one", "Rhyme."]);
    }
    const { json } = await call("GET", "/v1/requests?limit=1");
    expect((await call("GET", `/v1/requests/${json.data[0].id}`)).json.preset).toBe("everywhere");
  });

  it("lists models to try one after the other", async () => {
    await set("robust", { models: ["dead", "two"] });
    expect(await sentFor({ model: "robust", messages })).toMatchObject({ model: "two" });
  });

  it("may leave the choice to the service, by a strategy and bounds", async () => {
    await set("cheap", { route: "cost-optimized", preferences: { max_cost: 0.000000001 } });
    const { status, json } = await call("POST", "/v1/chat/completions", { model: "cheap", messages });
    expect([status, json.error.message]).toEqual([503, expect.stringContaining("max_cost")]);
    const preview = await call("POST", "/v1/routing/preview", { model: "robust", input: "Hi" });
    expect(preview.json.candidates[0].model).toMatch(/\/dead$/);
  });

  it("of a model's name goes before the model, and is changed on every instance without a restart", async () => {
    const sibling = await startSibling(service);
    try {
      expect(await sentFor({ model: "one", messages })).toMatchObject({ model: "one" });
      await set("one", { models: ["two"] });
      expect(await sentFor({ model: "one", messages })).toMatchObject({ model: "two" });
      await expect
        .poll(async () => {
          upstream.requests.length = 0;
          await sibling.call("POST", "/v1/chat/completions", { model: "one", messages }, { key: customer.key });
          return upstream.requests.at(-1)?.json.model;
        })
        .toBe("two");
      expect((await call("DELETE", "/v1/presets/one")).status).toBe(204);
      expect(await sentFor({ model: "one", messages })).toMatchObject({ model: "one" });
    } finally {
      await sibling.stop();
    }
  });

  it("is listed to clients that offer a choice of models", async () => {
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: customer.key });
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["auto", "support", "robust"]));
    expect((await openai.models.retrieve("support")).id).toBe("support");
    const anthropic = await service.call("GET", "/anthropic/v1/models", undefined, { key: customer.key });
    expect(anthropic.json.data.map(({ id }: { id: string }) => id)).toContain("support");
  });

  it("gives a key no model that it may not use", async () => {
    const { json } = await call("POST", "/v1/keys", { name: "k", scopes: ["inference"], models: ["one"] });
    const answer = await service.call(
      "POST",
      "/v1/chat/completions",
      { model: "support", messages },
      { key: json.key },
    );
    expect(answer.status).toBe(403);
  });

  it("is allowed to a key by its name, with all that it leads to and nothing else", async () => {
    await set("only", { models: ["dead", "two"] });
    await set("any", { route: "cost-optimized" });
    const terms = { name: "k", scopes: ["inference", "read", "manage"], models: ["only"] };
    const { key } = (await call("POST", "/v1/keys", terms)).json;
    const ask = (model: string, more: object = {}) =>
      service.call("POST", "/v1/chat/completions", { model, messages, ...more }, { key });
    upstream.requests.length = 0;
    expect((await ask("only")).status).toBe(200);
    expect(upstream.requests.at(-1)?.json.model).toBe("two");
    for (const model of ["one", "two", "support"]) expect((await ask(model)).status, model).toBe(403);
    expect((await ask("only", { fallbacks: ["one"] })).status).toBe(403);
    const preview = await service.call("POST", "/v1/routing/preview", { model: "only", input: "Hi" }, { key });
    expect(preview.json.candidates.map(({ model }: { model: string }) => model)).toEqual([
      expect.stringMatching(/dead$/),
      expect.stringMatching(/two$/),
    ]);
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: key });
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toContain("only");
    expect(ids).not.toContain("support");
    // Neither the preset nor one of that name can be made to lead elsewhere.
    for (const [method, body] of [
      ["PUT", { models: ["one"] }],
      ["DELETE", undefined],
    ] as const)
      expectRefusal(await service.call(method, "/v1/presets/only", body, { key }), 403, "insufficient_scope");
    const anyTerms = { name: "a", scopes: ["inference"], models: ["any"] };
    const free = (await call("POST", "/v1/keys", anyTerms)).json.key;
    const answer = await service.call("POST", "/v1/chat/completions", { model: "any", messages }, { key: free });
    expect(answer.status, answer.text).toBe(200);
  });

  it("is read, listed by name, replaced and deleted, by its account alone", async () => {
    await set("b.x", { models: ["one"] });
    await set("a_y", { system: "One." });
    expect(await set("a_y", { system: "Two." })).toEqual({ name: "a_y", system: "Two." });
    expect((await call("GET", "/v1/presets/a_y")).json).toEqual({ name: "a_y", system: "Two." });
    const names = (await call("GET", "/v1/presets")).json.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(["a_y", "b.x"]));
    const other = await openCustomer(service, 1);
    const foreign = await service.call("GET", "/v1/presets/a_y", undefined, { key: other.key });
    expectRefusal(foreign, 404, "not_found");
    const used = await service.call("POST", "/v1/chat/completions", { model: "a_y", messages }, { key: other.key });
    expect(used.status).toBe(404);
    expect((await call("DELETE", "/v1/presets/a_y")).status).toBe(204);
    expectRefusal(await call("DELETE", "/v1/presets/a_y"), 404, "not_found");
  });

  it.each([
    ["name", "auto", {}],
    ["name", "-a", {}],
    ["name", "a%20b", {}],
    ["name", "a".repeat(65), {}],
    ["models", "x", { models: [] }],
    ["models[0]", "x", { models: [""] }],
    ["route", "x", { route: "best" }],
    ["parameters.temperature", "x", { parameters: { temperature: 3 } }],
    ["modles", "x", { modles: ["one"] }],
    ["preferences.max_cost", "x", { preferences: { max_cost: -1 } }],
    ["system", "x", { system: "a\u0000b" }],
  ])("is refused for a wrong %s: %s %j", async (param, name, preset) => {
    expectRefusal(await call("PUT", `/v1/presets/${name}`, preset), 400, "invalid_request", { param });
  });

  it("is refused where all of them would be too long together, and a shorter one takes its place", async () => {
    const long = await openCustomer(service, 1);
    const put = (name: string, length: number) =>
      service.call("PUT", `/v1/presets/${name}`, { system: "x".repeat(length) }, { key: long.key });
    expect((await put("a", 99_000)).status).toBe(200);
    expect((await put("b", 99_000)).status).toBe(200);
    expectRefusal(await put("c", 99_000), 400, "invalid_request", { param: "name" });
    expect((await put("b", 10)).status).toBe(200);
    expect((await put("c", 99_000)).status).toBe(200);
  });

  it("is refused after the two hundredth", async () => {
    const many = await openCustomer(service, 1);
    await service.database.query(
      "UPDATE accounts SET presets = (SELECT jsonb_object_agg('p' || n, '{}'::jsonb) FROM generate_series(1, 200) n) WHERE id = (SELECT account_id FROM api_keys WHERE id = $1)",
      [many.keyId],
    );
    const put = (name: string) => service.call("PUT", `/v1/presets/${name}`, {}, { key: many.key });
    expectRefusal(await put("one-more"), 400, "invalid_request", { param: "name" });
    expect((await put("p7")).status).toBe(200);
  });
});
