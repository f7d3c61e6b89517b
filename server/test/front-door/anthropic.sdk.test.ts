import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { events, registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let client: Anthropic;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "trunkline", name: "plain", endpoint: upstream.url });
  client = clientOf(OPERATOR_KEY);
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const clientOf = (key: string) => new Anthropic({ apiKey: key, baseURL: `${service.url}/anthropic`, maxRetries: 0 });

const HELLO: Anthropic.MessageCreateParamsNonStreaming = {
  model: "plain",
  max_tokens: 64,
  messages: [{ role: "user", content: "Hello" }],
};

const answerWith = (output: string) =>
  upstream.answer(() => ({
    body: JSON.stringify({ output, usage: { input_tokens: 11, output_tokens: 3 } }),
  }));

describe("Anthropic's own library, with its base URL set to …/anthropic", () => {
  it("gets a message", async () => {
    answerWith("Good day.");
    const message = await client.messages.create(HELLO);
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      type: "message",
      role: "assistant",
      model: expect.stringMatching(/.\/plain$/),
      content: [{ type: "text", text: "Good day." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: 11,
        output_tokens: 3,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    });
    expect(upstream.requests.at(-1)?.json).toEqual({ input: "Hello", parameters: { max_tokens: 64 } });
  });

  it("knows the request by its id, from `request-id`", async () => {
    answerWith("Good day.");
    const { request_id, response } = await client.messages.create(HELLO).withResponse();
    expect(request_id).toBe(response.headers.get("x-request-id"));
    const record = await service.call("GET", `/v1/requests/${request_id}`);
    expect(record.json).toMatchObject({ status: 200, path: "/anthropic/v1/messages" });
  });

  it("may send its key as a bearer, too", async () => {
    answerWith("Good day.");
    const bearer = new Anthropic({
      apiKey: null,
      authToken: OPERATOR_KEY,
      baseURL: `${service.url}/anthropic`,
      maxRetries: 0,
    });
    await expect(bearer.messages.create(HELLO)).resolves.toMatchObject({ type: "message" });
  });

  it("leaves the choice to the service by the name auto and its kin", async () => {
    answerWith("Chosen.");
    for (const model of ["auto", "auto:cost", "auto:speed", "auto:quality"]) {
      expect(await client.messages.create({ ...HELLO, model })).toMatchObject({
        model: expect.stringMatching(/.\/plain$/),
      });
    }
    await expect(client.messages.create({ ...HELLO, model: "auto:best" })).rejects.toThrow(/auto:quality/);
  });

  it("reads a stream by its helper, with every event in its place", async () => {
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events(
        { delta: "Good " },
        { delta: "day." },
        { done: true, usage: { input_tokens: 12, output_tokens: 4 } },
      ),
    }));
    const stream = client.messages.stream(HELLO);
    const seen: string[] = [];
    const texts: string[] = [];
    stream.on("streamEvent", ({ type }) => seen.push(type)).on("text", (text) => texts.push(text));
    const message = await stream.finalMessage();
    expect(message).toMatchObject({
      content: [{ type: "text", text: "Good day." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 12, output_tokens: 4 },
    });
    expect(texts.join("")).toBe("Good day.");
    expect(seen.filter((type, index) => type !== seen[index - 1])).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  it("counts tokens without calling anybody or paying for it", async () => {
    const { key } = await openCustomer(service, 0);
    const before = upstream.requests.length;
    const { input_tokens: short } = await clientOf(key).messages.countTokens({
      model: "plain",
      messages: [{ role: "user", content: "Hello, how are you?" }],
    });
    const { input_tokens: long } = await clientOf(key).messages.countTokens({
      model: "plain",
      system: "Answer in rhymes, and in rhymes only.",
      messages: [{ role: "user", content: "Hello, how are you?" }],
      tools: [{ name: "look_up", description: "Looks up a word", input_schema: { type: "object" } }],
    });
    expect(short).toBeGreaterThan(3);
    expect(long).toBeGreaterThan(short + 10);
    expect(upstream.requests).toHaveLength(before);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0 });
  });

  it("lists models, page by page, and finds one by either of its names", async () => {
    const names: string[] = [];
    for await (const { id } of client.models.list({ limit: 2 })) names.push(id);
    expect(names).toEqual(
      expect.arrayContaining(["auto", "auto:cost", expect.stringMatching(/.\/plain$/), "builtin/guide"]),
    );
    expect(names).not.toContain("builtin/sketch");
    expect(new Set(names).size).toBe(names.length);
    expect(await client.models.retrieve("plain")).toMatchObject({ id: "plain", type: "model" });
    await expect(client.models.retrieve("nobody")).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  });
});

describe("an error", () => {
  it.each([
    [
      "a wrong key",
      () => clientOf("sk-ant-wrong").messages.create(HELLO),
      Anthropic.AuthenticationError,
      "authentication_error",
    ],
    [
      "a model that nobody has",
      () => client.messages.create({ ...HELLO, model: "nobody" }),
      Anthropic.NotFoundError,
      "not_found_error",
    ],
    [
      "a wrong field",
      () => client.messages.create({ ...HELLO, max_tokens: 0 }),
      Anthropic.BadRequestError,
      "invalid_request_error",
    ],
  ])("for %s has the class and the type that its library knows", async (_, act, errorClass, type) => {
    const error = await act().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ type, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it("for an empty balance is a billing error, with our own type as its code", async () => {
    const { key } = await openCustomer(service, 0);
    const error = await clientOf(key)
      .messages.create(HELLO)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ status: 402, type: "billing_error", errorCode: "insufficient_balance" });
  });

  it("for a key that asks too often is a rate limit, with when to come back", async () => {
    const { key } = await openCustomer(service, 1, { requests_per_minute: 1 });
    answerWith("Once.");
    await clientOf(key).messages.create(HELLO);
    const error = await clientOf(key)
      .messages.create(HELLO)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(Number((error as InstanceType<typeof Anthropic.RateLimitError>).headers.get("retry-after"))).toBeGreaterThan(
      0,
    );
  });

  it("of a provider keeps its status, and the request's id", async () => {
    upstream.answer(() => ({ status: 500, body: JSON.stringify({ error: "out of order" }) }));
    const error = await client.messages.create(HELLO).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    expect(error).toMatchObject({ status: 502, type: "api_error" });
  });

  it("in the middle of a stream ends it as an error", async () => {
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events(
        { delta: "A beginning that is long enough to be let go of before the end comes, " },
        { delta: "and more of it than is ever held back. " },
        { error: "broke" },
      ),
    }));
    const stream = client.messages.stream(HELLO);
    const error = await stream.finalMessage().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ type: "api_error", requestID: expect.any(String) });
  });

  it.each([
    ["POST", "/anthropic/v1/nothing", 404, "not_found_error"],
    ["GET", "/anthropic/v1/messages", 405, "invalid_request_error"],
  ])("%s %s is refused in the same form", async (method, path, status, type) => {
    const answer = await service.call(method, path, method === "POST" ? {} : undefined);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({
      type: "error",
      error: { type },
      request_id: answer.headers.get("request-id"),
    });
    const otherAccount = await service.call(method, path, method === "POST" ? {} : undefined, { key: null });
    expect(otherAccount.status).toBe(401);
    expect(otherAccount.json).toMatchObject({ type: "error", error: { type: "authentication_error" } });
  });
});

describe("what is dropped", () => {
  it("is listed, and what a cache mark, a system and a document say arrives in words", async () => {
    answerWith("Read.");
    const { response } = await client.messages
      .create({
        ...HELLO,
        service_tier: "auto",
        system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        messages: [
          {
            role: "user",
            content: [
              {
                type: "document",
                title: "Notes",
                source: { type: "text", media_type: "text/plain", data: "The cat sat." },
                citations: { enabled: true },
              },
              { type: "text", text: "Who sat?" },
            ],
          },
        ],
      })
      .withResponse();
    const dropped = response.headers.get("x-trunkline-dropped") ?? "";
    expect(dropped.split(", ")).toEqual(
      expect.arrayContaining(["service_tier", "tools.web_search_20250305", "citations"]),
    );
    const { input } = upstream.requests.at(-1)?.json ?? {};
    for (const words of ["Be brief.", "Notes\nThe cat sat.", "Who sat?"]) expect(input).toContain(words);
  });

  it("is refused where it was the point of the request", async () => {
    await expect(
      client.messages.create({
        ...HELLO,
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        tool_choice: { type: "tool", name: "web_search" },
      }),
    ).rejects.toThrow(/tool_choice\.name/);
  });
});
