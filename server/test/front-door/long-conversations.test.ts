import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

const ANSWER = JSON.stringify({
  id: "a",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Read." }, finish_reason: "stop" }],
});

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream(() => ({ body: ANSWER }))]);
  const endpoint = `${upstream.url}/v1`;
  await registerUpstream(service, { wire: "openai", name: "large", endpoint }, { context_window: 2_000_000 });
  await registerUpstream(service, { wire: "openai", name: "small", endpoint }, { context_window: 1_000 });
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const SENTENCE = "The harbour opens at six and the first boat leaves at seven. ";
/** 1.5 million characters. */
const LONG = SENTENCE.repeat(25_000);
const PICTURE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };

/** The same text in each format, for a model. */
function asking(model: string, text: string): readonly [path: string, body: object][] {
  const messages = [{ role: "user", content: text }];
  return [
    ["/openai/v1/chat/completions", { model, messages }],
    ["/openai/v1/responses", { model, input: text }],
    ["/openai/v1/completions", { model, prompt: text }],
    ["/anthropic/v1/messages", { model, messages, max_tokens: 50 }],
    [`/gemini/v1beta/models/${model}:generateContent`, { contents: [{ role: "user", parts: [{ text }] }] }],
  ];
}

describe("a text is as long as the model's context window allows", () => {
  it.each(asking("large", LONG).map(([path, body]) => ({ path, body })))("$path", async ({ path, body }) => {
    upstream.requests.length = 0;
    const { status } = await service.call("POST", path, body);
    expect(status).toBe(200);
    expect(JSON.stringify(upstream.requests[0]?.json.messages)).toContain(LONG);
  });

  it("and a chat holds more than 16 pictures and 2,048 messages", async () => {
    const turns = Array.from({ length: 3_000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: index === 0 ? Array.from({ length: 40 }, () => PICTURE) : "More.",
    }));
    upstream.requests.length = 0;
    const body = { model: "large", messages: [...turns, { role: "user", content: "And?" }] };
    const { status } = await service.call("POST", "/openai/v1/chat/completions", body);
    expect(status).toBe(200);
    expect(upstream.requests[0]?.json.messages[0].content).toHaveLength(40);
  });
});

describe("a text that no model's window holds is refused, without a time to try again:", () => {
  it.each(asking("small", SENTENCE.repeat(200)).map(([path, body]) => ({ path, body })))(
    "$path",
    async ({ path, body }) => {
      const { status, json, headers } = await service.call("POST", path, body);
      expect(status).toBe(400);
      expect(json.error.message).toMatch(/the input has about [\d]+ tokens and its context window is 1000/);
      if (path.startsWith("/openai")) expect(json.error.code).toBe("context_length_exceeded");
      if (path.startsWith("/anthropic")) expect(json.error.message).toMatch(/^prompt is too long/);
      expect(headers.get("retry-after")).toBeNull();
    },
  );

  it("in our own format as 503", async () => {
    const body = { task: "chat", input: SENTENCE.repeat(200), model: "small" };
    const { status, json } = await service.call("POST", "/v1/ai/request", body);
    expect(status).toBe(503);
    expect(json.error.type).toBe("no_model_available");
  });
});
