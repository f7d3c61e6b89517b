import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { events, registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let client: GoogleGenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "trunkline", name: "plain", endpoint: upstream.url });
  await registerUpstream(service, { wire: "trunkline", name: "small:8b", endpoint: upstream.url });
  const embedding = { type: "embedding", pricing: { input_per_1k_tokens: 0.5 } };
  await registerUpstream(service, { wire: "trunkline", name: "vectors", endpoint: upstream.url }, embedding);
  client = clientOf(OPERATOR_KEY);
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const clientOf = (apiKey: string, apiVersion = "v1beta") =>
  new GoogleGenAI({ apiKey, apiVersion, httpOptions: { baseUrl: `${service.url}/gemini` } });

const USAGE = { input_tokens: 11, output_tokens: 3 };

const answerWith = (output: string) => upstream.answer(() => ({ body: JSON.stringify({ output, usage: USAGE }) }));

const streamWith = (...deltas: readonly string[]) =>
  upstream.answer(() => ({
    headers: { "content-type": "text/event-stream" },
    body: events(...deltas.map((delta) => ({ delta })), { done: true, usage: USAGE }),
  }));

const thrownBy = (act: Promise<unknown>) => act.catch((thrown: unknown) => thrown);

describe("Google's own library, with its base URL set to …/gemini", () => {
  it.each(["v1beta", "v1"])("generates content under %s", async (version) => {
    answerWith("Good day.");
    const response = await clientOf(OPERATOR_KEY, version).models.generateContent({
      model: "plain",
      contents: "Hello",
      config: { maxOutputTokens: 64, temperature: 0.5, topK: 40, seed: 7, stopSequences: ["END"] },
    });
    expect(response.text).toBe("Good day.");
    expect(response).toMatchObject({
      candidates: [{ content: { role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3, totalTokenCount: 14 },
      modelVersion: expect.stringMatching(/.\/plain$/),
      responseId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(upstream.requests.at(-1)?.json).toEqual({
      input: "Hello",
      parameters: { max_tokens: 64, temperature: 0.5, top_k: 40, seed: 7, stop: "END" },
    });
  });

  it("reads a stream to its end", async () => {
    streamWith("Good ", "day.");
    const stream = await client.models.generateContentStream({ model: "plain", contents: "Hello" });
    let text = "";
    let last: unknown;
    for await (const chunk of stream) {
      text += chunk.text ?? "";
      last = chunk;
    }
    expect(text).toBe("Good day.");
    expect(last).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3 },
    });
  });

  it("keeps up a chat, streamed and not", async () => {
    const chat = client.chats.create({ model: "plain", config: { systemInstruction: "Be brief." } });
    streamWith("I am ", "listening.");
    for await (const chunk of await chat.sendMessageStream({ message: "Hello" })) void chunk;
    answerWith("Still here.");
    const second = await chat.sendMessage({ message: "And now?" });
    expect(second.text).toBe("Still here.");
    const { input } = upstream.requests.at(-1)?.json ?? {};
    for (const words of ["Be brief.", "Hello", "I am", "listening.", "And now?"]) expect(input).toContain(words);
    expect(chat.getHistory(true).at(-1)).toEqual({ role: "model", parts: [{ text: "Still here." }] });
  });

  it("names models that hold slashes and colons, and leaves the choice to the service", async () => {
    answerWith("Named.");
    const [{ provider }] = (await service.call("GET", "/v1/models/plain")).json.providers;
    for (const model of ["small:8b", `${provider}/small:8b`]) {
      const { modelVersion } = await client.models.generateContent({ model, contents: "Hello" });
      expect(modelVersion).toBe(`${provider}/small:8b`);
    }
    for (const model of ["auto", "auto:cost", "auto:speed", "auto:quality"]) {
      const { text } = await client.models.generateContent({ model, contents: "Hello" });
      expect(text).toBe("Named.");
    }
  });

  it("counts tokens without calling anybody or paying for it", async () => {
    const { key } = await openCustomer(service, 0);
    const before = upstream.requests.length;
    const { totalTokens } = await clientOf(key).models.countTokens({
      model: "plain",
      contents: "Hello, how are you?",
    });
    expect(totalTokens).toBeGreaterThan(3);
    expect(upstream.requests).toHaveLength(before);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0 });
  });

  it("lists models, page by page, and finds one", async () => {
    const names: (string | undefined)[] = [];
    for await (const { name } of await client.models.list({ config: { pageSize: 2 } })) names.push(name);
    expect(names).toEqual(
      expect.arrayContaining([
        "models/auto",
        expect.stringMatching(/.\/plain$/),
        expect.stringMatching(/.\/small:8b$/),
      ]),
    );
    expect(names).not.toContain("models/builtin/sketch");
    expect(await client.models.get({ model: "small:8b" })).toMatchObject({ name: "models/small:8b" });
    expect(await thrownBy(client.models.get({ model: "nobody" }))).toMatchObject({ status: 404 });
  });

  it("asks for JSON by Google's own form of a schema", async () => {
    answerWith('{"name": "Ada", "age": null}');
    const { text } = await client.models.generateContent({
      model: "plain",
      contents: "Who?",
      config: {
        responseMimeType: "application/json",
        responseSchema: {
          type: Type.OBJECT,
          properties: { name: { type: Type.STRING }, age: { type: Type.INTEGER, nullable: true } },
          propertyOrdering: ["name", "age"],
          required: ["name"],
        },
      },
    });
    expect(JSON.parse(text ?? "")).toEqual({ name: "Ada", age: null });
    const { input } = upstream.requests.at(-1)?.json ?? {};
    expect(input).toContain('"age":{"type":["integer","null"]}');
    expect(input).not.toContain("propertyOrdering");
  });
});

describe("a stream without alt=sse", () => {
  it("is one JSON list", async () => {
    streamWith("Good ", "day.");
    const answer = await service.call("POST", "/gemini/v1beta/models/plain:streamGenerateContent", {
      contents: [{ parts: [{ text: "Hello" }] }],
    });
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    const texts = answer.json.map(
      (piece: { candidates: { content: { parts: { text: string }[] } }[] }) =>
        piece.candidates[0]?.content.parts[0]?.text,
    );
    expect(texts.join("")).toBe("Good day.");
    expect(answer.json.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }] });
  });

  it("that breaks off ends with the error, and is a list all the same", async () => {
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events(
        { delta: "A beginning that is long enough to be let go of before the end comes, " },
        { delta: "and more of it than is ever held back. " },
        { error: "broke" },
      ),
    }));
    const answer = await service.call("POST", "/gemini/v1beta/models/plain:streamGenerateContent", {
      contents: [{ parts: [{ text: "Hello" }] }],
    });
    expect(answer.json.at(-1)).toMatchObject({ error: { code: 502, status: "UNAVAILABLE" } });
  });
});

describe("a key", () => {
  it.each([
    ["as x-goog-api-key", { "x-goog-api-key": OPERATOR_KEY }],
    ["as a bearer", { authorization: `Bearer ${OPERATOR_KEY}` }],
  ])("is taken %s, and never written down", async (_, headers) => {
    answerWith("Let in.");
    const body = { contents: [{ parts: [{ text: "Hello" }] }] };
    const path = "/gemini/v1beta/models/plain:generateContent";
    expect((await service.call("POST", path, body, { key: null, headers })).status).toBe(200);
    expect(service.logged()).not.toContain(OPERATOR_KEY);
  });

  it("in the address gives no access", async () => {
    const path = `/gemini/v1beta/models/plain:generateContent?key=${OPERATOR_KEY}`;
    const body = { contents: [{ parts: [{ text: "Hello" }] }] };
    expect((await service.call("POST", path, body, { key: null })).status).toBe(401);
    expect(service.logged()).not.toContain(OPERATOR_KEY);
  });
});

describe("an error", () => {
  it("has the class of Google's library, and Google's word for it", async () => {
    const error = await thrownBy(clientOf("wrong").models.generateContent({ model: "plain", contents: "Hello" }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 401, message: expect.stringContaining("UNAUTHENTICATED") });
  });

  it.each([
    [
      "/gemini/v1beta/models/nobody:generateContent",
      { contents: [{ parts: [{ text: "Hi" }] }] },
      404,
      "NOT_FOUND",
      "model_not_found",
    ],
    ["/gemini/v1beta/models/plain:generateContent", {}, 400, "INVALID_ARGUMENT", "invalid_request"],
    [
      "/gemini/v1beta/models/plain:generateContent",
      { contents: [{ parts: [{ text: "Hi" }] }], cachedContent: "cachedContents/1" },
      400,
      "INVALID_ARGUMENT",
      "invalid_request",
    ],
    ["/gemini/v1beta/models/plain:paint", {}, 405, "UNIMPLEMENTED", "method_not_allowed"],
    ["/gemini/v1beta/nothing", {}, 404, "NOT_FOUND", "not_found"],
  ])("at %s says what to do: %j", async (path, body, status, word, reason) => {
    const answer = await service.call("POST", path, body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json.error).toMatchObject({
      code: status,
      status: word,
      message: expect.stringMatching(/\.$/),
      details: [{ reason, metadata: { request_id: answer.headers.get("x-request-id") } }],
    });
    expect((await service.call("POST", path, body, { key: null })).json.error.status).toBe("UNAUTHENTICATED");
  });

  it("for a wrong method lists the right one", async () => {
    const answer = await service.call("PUT", "/gemini/v1beta/models/plain:generateContent", {});
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });
});

describe("one Idempotency-Key", () => {
  it("is one request: the same body to another model is another", async () => {
    answerWith("Once.");
    const body = { contents: [{ parts: [{ text: "Hello" }] }] };
    const headers = { "idempotency-key": "gemini-once" };
    const ask = (model: string) =>
      service.call("POST", `/gemini/v1beta/models/${model}:generateContent`, body, { headers });
    const first = await ask("plain");
    answerWith("Twice.");
    const again = await ask("plain");
    expect(again.json).toEqual(first.json);
    expect((await ask("small:8b")).status).toBe(422);
  });
});

describe("what is dropped", () => {
  it("is listed", async () => {
    answerWith("Dropped.");
    const answer = await service.call("POST", "/gemini/v1beta/models/plain:generateContent", {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      safety_settings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      tools: [{ google_search: {} }],
      generation_config: { speech_config: {}, max_output_tokens: 5 },
      "größe in cm": 7,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("x-trunkline-dropped")?.split(", ")).toEqual(
      expect.arrayContaining(["safetySettings", "tools.googleSearch", "generationConfig.speechConfig", "..."]),
    );
    expect(upstream.requests.at(-1)?.json.parameters).toEqual({ max_tokens: 5 });
  });

  it("is refused where it was the point of the request", async () => {
    const config = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };
    const asked = {
      model: "plain",
      contents: "Hi",
      config: { tools: [{ googleSearch: {} }], toolConfig: config },
    };
    expect(await thrownBy(client.models.generateContent(asked))).toMatchObject({ status: 400 });
  });
});

describe("embedContent of Google's library", () => {
  it.each(["v1beta", "v1"])("makes a vector of each text under %s", async (version) => {
    upstream.answer(({ json }) => ({
      body: JSON.stringify({
        output: [json.inputs ?? json.input].flat().map((text: string) => [text.length, 0.5]),
        usage: { input_tokens: 7, output_tokens: 0 },
      }),
    }));
    const { embeddings } = await clientOf(OPERATOR_KEY, version).models.embedContent({
      model: "vectors",
      contents: ["One", "Two words"],
      config: { outputDimensionality: 2 },
    });
    expect(embeddings?.map(({ values }) => values)).toEqual([
      [3, 0.5],
      [9, 0.5],
    ]);
    expect(upstream.requests.at(-1)?.json).toMatchObject({ parameters: { dimensions: 2 } });
  });

  it("passes on what only Gemini's models know", async () => {
    const gemini = { wire: "gemini", name: "gemini-vectors", endpoint: `${upstream.url}/v1beta` } as const;
    await registerUpstream(service, gemini, { type: "embedding", pricing: { input_per_1k_tokens: 0.5 } });
    upstream.answer(() => ({ body: JSON.stringify({ embeddings: [{ values: [1, 2] }] }) }));
    const ask = (body: object, action = "embedContent") =>
      service.call("POST", `/gemini/v1beta/models/gemini-vectors:${action}`, body);
    const content = { parts: [{ text: "Hello " }, { text: "there" }] };
    const answer = await ask({ content, task_type: "RETRIEVAL_QUERY" });
    expect(answer.json).toEqual({
      embedding: { values: [1, 2] },
      usageMetadata: { promptTokenCount: expect.any(Number), totalTokenCount: expect.any(Number) },
    });
    expect(upstream.requests.at(-1)?.json.requests).toEqual([
      {
        taskType: "RETRIEVAL_QUERY",
        model: "models/gemini-vectors",
        content: { parts: [{ text: "Hello there" }] },
      },
    ]);
    for (const [body, action] of [
      [{}, "embedContent"],
      [{ content: { parts: [] } }, "embedContent"],
      [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: "" } }] } }, "embedContent"],
      [{ content, outputDimensionality: 0 }, "embedContent"],
      [{ requests: [] }, "batchEmbedContents"],
      [{ requests: [{ content }, { content, taskType: "CLUSTERING" }] }, "batchEmbedContents"],
    ] as const)
      expect((await ask(body, action)).status, JSON.stringify(body)).toBe(400);
  });
});
