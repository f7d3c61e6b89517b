import { Ollama } from "ollama";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let service: StartedService;
let upstream: Upstream;
let ollama: Ollama;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const endpoint = `${upstream.url}/v1`;
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint }, { context_window: 8_192 });
  await registerUpstream(service, { wire: "openai", name: "vectors", endpoint }, { type: "embedding" });
  ollama = clientOf(OPERATOR_KEY);
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: ["Good ", "morning."], thoughts: "Greet." }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const clientOf = (key: string, host = service.url) => new Ollama({ host, headers: { authorization: `Bearer ${key}` } });
const MESSAGES = [{ role: "user", content: "Hello" }];
const sent = () => upstream.requests.at(-1)?.json;

async function collect<Piece>(stream: AsyncIterable<Piece>): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

describe("Ollama's own library", () => {
  it("chats, at the root or under the format's own prefix", async () => {
    for (const host of [service.url, `${service.url}/ollama`]) {
      const answer = await clientOf(OPERATOR_KEY, host).chat({ model: "talker", messages: MESSAGES });
      expect(answer).toMatchObject({
        model: expect.stringMatching(/.\/talker$/),
        message: { role: "assistant", content: "Good morning.", thinking: "Greet." },
        done: true,
        done_reason: "stop",
        prompt_eval_count: 10,
        eval_count: 20,
      });
      expect(answer.total_duration).toBeGreaterThan(0);
    }
  });

  it("reads a stream to its end", async () => {
    const pieces = await collect(await ollama.chat({ model: "talker", messages: MESSAGES, stream: true }));
    expect(pieces.map(({ message }) => message.content).join("")).toBe("Good morning.");
    expect(pieces.map(({ message }) => message.thinking ?? "").join("")).toBe("Greet.");
    expect(pieces.map(({ done }) => done)).toEqual([...pieces.slice(1).map(() => false), true]);
    expect(pieces.at(-1)).toMatchObject({ done_reason: "stop", prompt_eval_count: 10, eval_count: 20 });
  });

  it("sends its options, format, thoughts and images to the model", async () => {
    await ollama.chat({
      model: "talker",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "What is it?", images: [PIXEL] },
      ],
      format: { type: "object", properties: { answer: { type: "string" } } },
      options: { temperature: 0.5, num_predict: 64, top_p: 0.9, seed: 7, stop: ["END"], num_ctx: 4_096 },
      think: "high",
      keep_alive: "5m",
    });
    expect(sent()).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
      ],
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: "END",
      reasoning_effort: "high",
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
    });
    const { headers } = await service.call("POST", "/api/chat", {
      model: "talker",
      messages: MESSAGES,
      stream: false,
      options: { num_ctx: 4_096, num_predict: -1 },
      keep_alive: 0,
    });
    expect(headers.get("x-trunkline-dropped")).toBe("options.num_ctx");
    expect(sent().max_completion_tokens).toBeUndefined();
  });

  it("calls tools and returns their results", async () => {
    upstream.answer(
      answerChat({ calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Bern"}' }], finish: "tool_calls" }),
    );
    const tools = [
      {
        type: "function",
        function: {
          name: "weather",
          description: "The weather",
          parameters: { type: "object", properties: { city: { type: "string" } } },
        },
      },
    ];
    const { message } = await ollama.chat({ model: "talker", messages: MESSAGES, tools });
    expect(message.tool_calls).toEqual([{ id: "call_1", function: { name: "weather", arguments: { city: "Bern" } } }]);
    upstream.answer(answerChat({ text: "Sunny." }));
    // Its older versions send no ids.
    const call = { function: { name: "weather", arguments: { city: "Bern" } } };
    const again = await ollama.chat({
      model: "talker",
      messages: [
        ...MESSAGES,
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", content: "20 degrees", tool_name: "weather" },
      ],
      tools,
    });
    expect(again.message.content).toBe("Sunny.");
    const [, asked, result] = sent().messages;
    expect(asked.tool_calls[0]).toMatchObject({ function: { name: "weather", arguments: '{"city":"Bern"}' } });
    expect(result).toMatchObject({ role: "tool", tool_call_id: asked.tool_calls[0].id, content: "20 degrees" });
  });

  it("generates, whole and streamed, and hides thoughts where they are not wanted", async () => {
    const whole = await ollama.generate({ model: "talker", prompt: "Hello", system: "Be brief.", think: false });
    expect(whole).toMatchObject({ response: "Good morning.", done: true });
    expect(whole.thinking).toBeUndefined();
    expect(sent().messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
    const pieces = await collect(await ollama.generate({ model: "talker", prompt: "Hello", stream: true }));
    expect(pieces.map(({ response }) => response).join("")).toBe("Good morning.");
  });

  it("makes embeddings", async () => {
    upstream.answer(({ json }) => ({
      body: JSON.stringify({
        data: json.input.map((text: string, index: number) => ({ index, embedding: [text.length] })),
        usage: { prompt_tokens: 4, total_tokens: 4 },
      }),
    }));
    const answer = await ollama.embed({ model: "vectors", input: ["One", "Two words"] });
    expect(answer).toMatchObject({ embeddings: [[3], [9]], prompt_eval_count: 4 });
  });

  it("lists and shows models, and knows the version", async () => {
    const { models } = await ollama.list();
    const names = models.map(({ name }) => name);
    expect(names).toContain("auto");
    expect(names.some((name) => name.endsWith("/talker"))).toBe(true);
    const shown = await ollama.show({ model: "talker" });
    expect(shown).toMatchObject({
      capabilities: ["completion", "tools", "vision"],
      model_info: { "trunkline.context_length": 8_192 },
    });
    expect((await ollama.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("reads errors", async () => {
    await expect(ollama.chat({ model: "nobody", messages: MESSAGES })).rejects.toThrow('no model "nobody"');
    await expect(ollama.show({ model: "nobody" })).rejects.toThrow("There is no model");
    await expect(clientOf("nobody").list()).rejects.toThrow(/key/);
    const events = answerChat({ text: "Good " })({ json: { stream: true } } as never).body as string[];
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: [...events.slice(0, 2), 'data: {"error":{"message":"Gone."}}\n\n'],
    }));
    const stream = await ollama
      .chat({ model: "talker", messages: MESSAGES, stream: true })
      .catch((error: Error) => error);
    const failure = stream instanceof Error ? stream : await collect(stream).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
  });
});

describe("a request in Ollama's form", () => {
  it.each([
    ["/api/chat", {}],
    ["/api/chat", { model: "talker" }],
    ["/api/chat", { model: "talker", messages: [] }],
    ["/api/chat", { model: "talker", messages: [{ role: "robot", content: "Hello" }] }],
    ["/api/chat", { model: "talker", messages: [{ role: "user", content: "Hello", images: ["not base64!"] }] }],
    ["/api/chat", { model: "talker", messages: MESSAGES, format: "yaml" }],
    ["/api/chat", { model: "talker", messages: MESSAGES, options: { temperature: "warm" } }],
    ["/api/chat", { model: "talker", messages: MESSAGES, think: "hard" }],
    ["/api/generate", { model: "talker", prompt: "" }],
    ["/api/embed", { model: "vectors", input: [] }],
  ])("is refused at %s as %j", async (path, body) => {
    const { status, json } = await service.call("POST", path, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.any(String), code: "invalid_request", param: expect.any(String) });
    expect(upstream.requests).toEqual([]);
  });
});
