import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let contract: ScriptedProvider;
let client: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  contract = await startProvider();
  await registerUpstream(service, { wire: "openai", name: "talker:8b", endpoint: `${upstream.url}/v1` });
  await service.call("POST", "/v1/provider/models", registrationOf(contract, "plain"));
  client = new OpenAI({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: "Good morning." }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await contract.stop();
});

const sent = () => upstream.requests[0]?.json;

describe("the old completions", () => {
  it("answer one prompt", async () => {
    const completion = await client.completions.create({
      model: "talker:8b",
      prompt: "Say hello",
      max_tokens: 30,
      user: "someone",
    });
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: "text_completion",
      choices: [{ index: 0, text: "Good morning.", logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, cost: 0.00003 },
    });
    expect(sent().messages).toEqual([{ role: "user", content: "Say hello" }]);
  });

  it("come as a stream, with what was used where that is asked for", async () => {
    upstream.answer(answerChat({ text: ["Good ", "morning."] }));
    const stream = await client.completions.create({
      model: "talker:8b",
      prompt: ["Say hello"],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let finish: string | null = null;
    let cost: unknown;
    for await (const { choices, usage } of stream) {
      text += choices[0]?.text ?? "";
      finish = choices[0]?.finish_reason ?? finish;
      cost = usage === null || usage === undefined ? cost : Reflect.get(usage, "cost");
    }
    expect({ text, finish, cost }).toEqual({ text: "Good morning.", finish: "stop", cost: 0.00003 });
  });

  it("tell likelihoods in their own old form", async () => {
    const content = [
      { token: "Good", logprob: -0.1, top_logprobs: [{ token: "Good", logprob: -0.1 }] },
      { token: " day", logprob: -0.5, top_logprobs: [] },
    ];
    upstream.answer(answerChat({ text: "Good day", logprobs: content }));
    const { choices } = await client.completions.create({ model: "talker:8b", prompt: "Hi", logprobs: 1 });
    expect(choices[0]?.logprobs).toEqual({
      tokens: ["Good", " day"],
      token_logprobs: [-0.1, -0.5],
      top_logprobs: [{ Good: -0.1 }, {}],
      text_offset: [0, 4],
    });
  });

  it("list what they leave out", async () => {
    const { response } = await client.completions
      .create({ model: "talker:8b", prompt: "Hi", suffix: "!", echo: true, best_of: 2 })
      .withResponse();
    expect(response.headers.get("x-trunkline-dropped")?.split(", ").toSorted()).toEqual(["best_of", "echo", "suffix"]);
  });

  it.each([
    [["one", "two"], /several requests/],
    [[1, 2, 3], /must be text/],
    [[[1], [2]], /must be text/],
  ])("refuse %j as a prompt", async (prompt, message) => {
    await expect(client.completions.create({ model: "talker:8b", prompt })).rejects.toMatchObject({
      status: 400,
      param: "prompt",
      message: expect.stringMatching(message),
    });
  });
});

describe("the list of models", () => {
  it("has every model by the name that is unique, and the names that leave the choice to us", async () => {
    const models = await client.models.list();
    const ids = models.data.map(({ id }) => id);
    expect(ids.slice(0, 4)).toEqual(["auto", "auto:cost", "auto:speed", "auto:quality"]);
    expect(ids).toContain("builtin/guide");
    const talker = models.data.find(({ id }) => id.endsWith("/talker:8b"));
    expect(talker).toMatchObject({ object: "model", created: expect.any(Number) });
    expect(`${talker?.owned_by}/talker:8b`).toBe(talker?.id);
    const { choices } = await client.chat.completions.create({
      model: talker?.id ?? "",
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(choices[0]?.message.content).toBe("Good morning.");
  });

  it("has no more than the key may use", async () => {
    const { key } = await openCustomer(service, 1, { scopes: ["inference"], models: ["plain"] });
    const narrow = new OpenAI({ apiKey: key, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
    const { data } = await narrow.models.list();
    expect(data.filter(({ owned_by }) => owned_by !== "trunkline").map(({ id }) => id.split("/")[1])).toEqual([
      "plain",
    ]);
    await expect(narrow.models.retrieve("talker:8b")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("tells of one model, by either of its names", async () => {
    const short = await client.models.retrieve("talker:8b");
    expect(short).toMatchObject({ id: "talker:8b", object: "model" });
    const full = `${short.owned_by}/talker:8b`;
    expect(await client.models.retrieve(full)).toEqual({ ...short, id: full });
    expect(await client.models.retrieve("auto:cost")).toMatchObject({ id: "auto:cost" });
    await expect(client.models.retrieve("nobody/nothing")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });
});
