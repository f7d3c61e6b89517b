import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type Answer, type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let cheap: ScriptedProvider;
let dear: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  sibling = await startSibling(service);
  cheap = await startProvider();
  dear = await startProvider();
  const dearly = { pricing: { input_per_1k_tokens: 0.01, output_per_1k_tokens: 0.01 } };
  const better = { ...dearly, performance: { accuracy_score: 0.95 } };
  await service.call("POST", "/v1/provider/models", registrationOf(cheap, "cheap"));
  await service.call("POST", "/v1/provider/models", registrationOf(dear, "dear", better));
});

beforeEach(async () => {
  cheap.script = answerPlainly;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await cheap.stop();
  await dear.stop();
});

const ask = (more: Record<string, unknown>, at = service, key = customer.key) =>
  at.call("POST", "/v1/generate", { task: "chat", input: "one two", ...more }, { key });
const modelOf = async (answer: Answer) => {
  expect(answer.status, answer.text).toBe(200);
  return (await recordOf(answer)).model as string;
};
const recordOf = async (answer: Answer) => {
  const path = `/v1/requests/${answer.headers.get("x-request-id")}`;
  return (await service.call("GET", path, undefined, { key: customer.key })).json;
};
/** What is written behind a request's back is there when nothing runs any more. */
const written = () => service.services.lifecycle.backgroundWork.whenIdle();

describe("a session", () => {
  it("stays with the model that answered last in it, whatever the strategy would take, and the record says so", async () => {
    const first = await ask({ session: "talk", route: "quality" });
    expect(await modelOf(first)).toBe("operator/dear");
    expect((await recordOf(first)).routing).not.toHaveProperty("sticky_to");
    const second = await ask({ session: "talk" });
    const { model, routing } = await recordOf(second);
    expect(model).toBe("operator/dear");
    expect(routing.sticky_to).toBe("operator/dear");
    expect(routing.candidates[0].reasons).toContain("stays with its session's model");
    expect(await modelOf(await ask({ session: "another" }))).toBe("operator/cheap");
    expect(await modelOf(await ask({}))).toBe("operator/cheap");
  });

  it("is its account's own", async () => {
    await ask({ session: "shared word", route: "quality" });
    customer = await openCustomer(service, 10);
    expect(await modelOf(await ask({ session: "shared word" }))).toBe("operator/cheap");
  });

  it("goes with the model that answers when its own fails, and stays there", async () => {
    expect(await modelOf(await ask({ session: "moving" }))).toBe("operator/cheap");
    cheap.script = (response) => {
      response.statusCode = 500;
      response.end();
    };
    expect(await modelOf(await ask({ session: "moving" }))).toBe("operator/dear");
    cheap.script = answerPlainly;
    expect(await modelOf(await ask({ session: "moving" }))).toBe("operator/dear");
  });

  it("keeps to what the request demands: its model is passed over where it is out of bounds", async () => {
    await ask({ session: "bounded", route: "quality" });
    const bounded = await ask({ session: "bounded", preferences: { max_cost: 0.02 } });
    expect(await modelOf(bounded)).toBe("operator/cheap");
    expect((await recordOf(bounded)).routing).not.toHaveProperty("sticky_to");
  });

  it("is known to every instance", async () => {
    await ask({ session: "roaming \u0000 🚀", route: "quality" });
    await written();
    const elsewhere = await ask({ session: "roaming \u0000 🚀" }, sibling);
    expect(elsewhere.json.model).toBe("operator/dear");
  });

  it("is shown by a preview, which does not move it", async () => {
    await ask({ session: "looked at", route: "quality" });
    const body = { task: "chat", input: "one two", session: "looked at" };
    const { json } = await service.call("POST", "/v1/routing/preview", body, { key: customer.key });
    expect(json.candidates[0].model).toBe("operator/dear");
    await service.call("POST", "/v1/routing/preview", { ...body, session: "only looked at" }, { key: customer.key });
    expect(await modelOf(await ask({ session: "only looked at" }))).toBe("operator/cheap");
  });

  it.each([[""], ["x".repeat(257)], [7]])("is refused where it is no word for one: %j", async (session) => {
    expectRefusal(await ask({ session }), 400, "invalid_request", { param: "session" });
  });
});

describe("in other formats", () => {
  const hello = [{ role: "user", content: "one two" }];

  it.each<[string, string, Record<string, unknown>]>([
    ["session of a chat", "/openai/v1/chat/completions", { messages: hello, session: "word", prompt_cache_key: "no" }],
    ["session of a message", "/anthropic/v1/messages", { messages: hello, max_tokens: 10, session: "word" }],
  ])("the %s is the session", async (_, path, body) => {
    const send = (model: string) => service.call("POST", path, { model, ...body }, { key: customer.key });
    expect(await modelOf(await send("auto:quality"))).toBe("operator/dear");
    const second = await send("auto");
    expect(await modelOf(second)).toBe("operator/dear");
    expect(second.headers.get("x-trunkline-dropped") ?? "").not.toContain("session");
    expect(await modelOf(await ask({ session: "word" }))).toBe("operator/dear");
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["a chat", "/openai/v1/chat/completions", { messages: hello }],
    ["a response", "/openai/v1/responses", { input: "one two" }],
  ])("the prompt_cache_key of %s is a session that keeps to no dear model", async (_, path, body) => {
    const send = (model: string, key: string) =>
      service.call("POST", path, { model, ...body, prompt_cache_key: key }, { key: customer.key });
    expect(await modelOf(await send("auto", "cheap"))).toBe("operator/cheap");
    expect(await modelOf(await send("auto", "cheap"))).toBe("operator/cheap");
    // A strategy that the request names comes before its session.
    expect(await modelOf(await ask({ session: "cheap", route: "quality" }))).toBe("operator/dear");
    expect(await modelOf(await send("auto:quality", "dear"))).toBe("operator/dear");
    expect(await modelOf(await send("auto", "dear"))).toBe("operator/cheap");
  });

  it("the session of Google's contents is the session", async () => {
    const send = (model: string) =>
      service.call(
        "POST",
        `/gemini/v1beta/models/${model}:generateContent`,
        { contents: [{ parts: [{ text: "one two" }] }], session: "word" },
        { key: customer.key },
      );
    expect(await modelOf(await send("auto:quality"))).toBe("operator/dear");
    expect(await modelOf(await send("auto"))).toBe("operator/dear");
  });
});
