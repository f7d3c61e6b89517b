import {
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { events, registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const LONG = "All is well here and nothing is wrong with anything at all, so much can be said of it. ";

let service: StartedService;
let upstream: Upstream;
let contract: ScriptedProvider;
let customer: Customer;
let client: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  contract = await startProvider();
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
  await service.call("POST", "/v1/provider/models", registrationOf(contract, "plain", { streaming: true }));
});

beforeEach(async () => {
  customer = await openCustomer(service, 10);
  client = new OpenAI({ apiKey: customer.key, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
  upstream.requests.length = 0;
  contract.calls.length = 0;
  upstream.answer(answerChat({ text: ["Good ", "morning."] }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await contract.stop();
});

const messages = [{ role: "user", content: "Hello" }] as const;

async function collect(more: Partial<OpenAI.ChatCompletionCreateParamsStreaming> = {}) {
  const stream = await client.chat.completions.create({
    model: "talker",
    messages: [...messages],
    stream: true,
    ...more,
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const textOf = (chunks: readonly OpenAI.ChatCompletionChunk[], index = 0) =>
  chunks
    .flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
    .map(({ delta }) => delta.content ?? "")
    .join("");

describe("a chat that streams, with OpenAI's library", () => {
  it("begins with who speaks, goes on with what is said, and ends with why", async () => {
    const chunks = await collect();
    const [first] = chunks;
    expect(first).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f-]{36}$/),
      object: "chat.completion.chunk",
      created: expect.any(Number),
      model: expect.stringMatching(/\/talker$/),
      system_fingerprint: null,
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
    });
    expect(textOf(chunks)).toBe("Good morning.");
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    for (const chunk of chunks) expect(chunk).not.toHaveProperty("usage");
  });

  it("is framed as events, and the last of them says that it is over", async () => {
    const { text, headers } = await service.call(
      "POST",
      "/openai/v1/chat/completions",
      { model: "talker", messages, stream: true },
      { key: customer.key },
    );
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("x-trunkline-model")).toMatch(/\/talker$/);
    expect(text).toMatch(/^(data: \{.*\}\n\n)+data: \[DONE\]\n\n$/);
  });

  it("tells what was used in a last chunk without choices, where that is asked for", async () => {
    const chunks = await collect({ stream_options: { include_usage: true } });
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 20,
      total_tokens: 30,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 5 },
      cost: 0.00003,
    });
    for (const chunk of chunks.slice(0, -1)) expect(chunk.usage).toBeNull();
    expect((await balanceOf(service, customer.key)).balance).toBeCloseTo(10 - 0.00003, 9);
  });

  it("works with the library's own helper and its events", async () => {
    const stream = client.chat.completions.stream({ model: "talker", messages: [...messages] });
    const heard: string[] = [];
    stream.on("content.delta", ({ delta }) => heard.push(delta));
    stream.on("content.done", ({ content }) => heard.push(`done: ${content}`));
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      message: { role: "assistant", content: "Good morning." },
      finish_reason: "stop",
    });
    expect(heard.at(-1)).toBe("done: Good morning.");
    expect(heard.slice(0, -1).join("")).toBe("Good morning.");
  });

  it("streams thoughts, several choices and likelihoods, each choice by itself", async () => {
    const content = [{ token: "Two", logprob: -0.2, bytes: null, top_logprobs: [] }];
    upstream.answer(
      answerChat({ text: "One.", thoughts: "Hm." }, { text: "Two.", logprobs: content, finish: "length" }),
    );
    const chunks = await collect({ n: 2, logprobs: true });
    expect([textOf(chunks, 0), textOf(chunks, 1)]).toEqual(["One.", "Two."]);
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices.filter(({ delta }) => delta.role === "assistant").map(({ index }) => index)).toEqual([0, 1]);
    expect(choices.find(({ delta }) => "reasoning_content" in delta)).toMatchObject({
      index: 0,
      delta: { reasoning_content: "Hm." },
    });
    expect(choices.find(({ logprobs }) => logprobs !== null)).toMatchObject({
      index: 1,
      logprobs: { content },
    });
    expect(choices.filter((choice) => choice.finish_reason !== null).map((choice) => choice.finish_reason)).toEqual([
      "stop",
      "length",
    ]);
  });

  it("is repeated chunk for chunk under one idempotency key", async () => {
    const body: OpenAI.ChatCompletionCreateParamsStreaming = {
      model: "talker",
      messages: [...messages],
      stream: true,
    };
    const options = { headers: { "idempotency-key": "stream-1" } };
    const read = async () => {
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of await client.chat.completions.create(body, options)) chunks.push(chunk);
      return chunks;
    };
    const first = await read();
    expect(await read()).toEqual(first);
    expect(upstream.requests).toHaveLength(1);
  });

  it("comes from a provider that can't stream all the same", async () => {
    contract.script = (response) => void response.end('{"output":"All at once."}');
    expect(textOf(await collect({ model: "plain" }))).toBe("All at once.");
  });

  it("has an end even where the provider said nothing", async () => {
    upstream.answer(answerChat({}));
    const chunks = await collect();
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });
});

describe("a stream that breaks", () => {
  it("is raised as an error by the library, and what was delivered is charged", async () => {
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events(
        { id: "x", choices: [{ index: 0, delta: { content: LONG.repeat(3) } }] },
        { error: { message: "The machine is on fire.", type: "server_error" } },
      ),
    }));
    const heard: OpenAI.ChatCompletionChunk[] = [];
    const stream = await client.chat.completions.create({
      model: "talker",
      messages: [...messages],
      stream: true,
    });
    const reading = async () => {
      for await (const chunk of stream) heard.push(chunk);
    };
    const error = await reading().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ code: "provider_error", type: "server_error" });
    expect(textOf(heard)).toBe(LONG.repeat(3));
    const { balance, held } = await balanceOf(service, customer.key);
    expect(held).toBe(0);
    expect(balance).toBeLessThan(10);
  });

  it("is reported with its own status before the first piece", async () => {
    upstream.answer(() => ({ status: 500, body: "{}" }));
    await expect(collect()).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(collect()).rejects.toMatchObject({ status: 502, code: "provider_error" });
  });

  it("is cut off by the safety check in the same way", async () => {
    upstream.answer(answerChat({ text: [LONG, "Here is how to build a pipe bomb: take a steel pipe and fill it."] }));
    await expect(collect()).rejects.toMatchObject({ code: "unsafe_output", type: "invalid_request_error" });
  });

  it("that the client leaves stops the provider, and what was delivered is charged", async () => {
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const endless: Script = async (response, call) => {
      response.write(`${JSON.stringify({ delta: LONG.repeat(4) })}\n`);
      begun();
      await call.aborted;
    };
    contract.script = endless;
    const stream = await client.chat.completions.create({
      model: "plain",
      messages: [...messages],
      stream: true,
    });
    await hasBegun;
    for await (const { choices } of stream) {
      if ((choices[0]?.delta.content ?? "") !== "") break;
    }
    await contract.calls[0]?.aborted;
    await expect.poll(async () => (await balanceOf(service, customer.key)).held).toBe(0);
    const { balance } = await balanceOf(service, customer.key);
    expect(balance).toBeLessThan(10);
    const list = await service.call("GET", "/v1/requests?limit=1", undefined, { key: customer.key });
    const record = await service.call("GET", `/v1/requests/${list.json.data[0].id}`, undefined, {
      key: customer.key,
    });
    expect(record.json).toMatchObject({ client_hung_up: true, path: "/openai/v1/chat/completions" });
    expect(record.json.output_tokens).toBeGreaterThan(0);
  });
});
