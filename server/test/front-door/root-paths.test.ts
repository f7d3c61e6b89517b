import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatAnswer } from "../support/openai-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream(() => chatAnswer("Hello."))]);
  await registerUpstream(service, { wire: "openai", name: "rooted", endpoint: `${upstream.url}/v1` });
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const QUESTION = { model: "rooted", messages: [{ role: "user" as const, content: "Hi" }] };

describe("at the root,", () => {
  it("OpenAI's library chats, lists models and makes embeddings", async () => {
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY });
    const { choices } = await openai.chat.completions.create(QUESTION);
    expect(choices[0]?.message.content).toBe("Hello.");
    const { output_text } = await openai.responses.create({ model: "rooted", input: "Hi" });
    expect(output_text).toBe("Hello.");
    const models = await openai.models.list();
    expect(models.data.map(({ id }) => id)).toContainEqual(expect.stringMatching(/\/rooted$/));
    const { data } = await openai.embeddings.create({ model: "builtin/embed", input: "A text" });
    expect(data[0]?.embedding.length).toBeGreaterThan(10);
  });

  it("Anthropic's library chats and lists models", async () => {
    const anthropic = new Anthropic({ baseURL: service.url, apiKey: OPERATOR_KEY });
    const message = await anthropic.messages.create({ ...QUESTION, max_tokens: 50 });
    expect(message.content).toMatchObject([{ type: "text", text: "Hello." }]);
    const models = await anthropic.models.list();
    expect(models.data.map(({ id }) => id)).toContainEqual(expect.stringMatching(/\/rooted$/));
  });

  it("Google's requests are answered", async () => {
    const answer = await fetch(`${service.url}/v1beta/models/rooted:generateContent`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-goog-api-key": OPERATOR_KEY },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] }),
    });
    expect(await answer.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "Hello." }] } }] });
  });

  it("Azure's paths name the model where the body does not", async () => {
    const path = `/openai/deployments/${QUESTION.model}/chat/completions?api-version=2024-10-21`;
    const { status, text } = await service.call("POST", path, { messages: QUESTION.messages });
    expect(status, text).toBe(200);
    const unknown = await service.call("POST", path.replace(QUESTION.model, "no-such%2Fmodel"), {
      messages: QUESTION.messages,
    });
    expect(unknown).toMatchObject({ status: 404, json: { error: { code: "model_not_found" } } });
    const bare = await service.call("POST", `/openai/deployments/${QUESTION.model}/chat/completions`, QUESTION);
    expect(bare.status).toBe(200);
  });

  it("Azure's library finds its paths", async () => {
    const azure = new AzureOpenAI({ endpoint: service.url, apiKey: OPERATOR_KEY, apiVersion: "2024-10-21" });
    const { choices } = await azure.chat.completions.create(QUESTION);
    expect(choices[0]?.message.content).toBe("Hello.");
  });

  it("the list of models stays the specification's for everyone else", async () => {
    const { json } = await service.call("GET", "/v1/models");
    expect(Array.isArray(json)).toBe(true);
    const inOpenAisForm = await service.call("GET", "/v1/models?format=openai");
    expect(inOpenAisForm.json).toMatchObject({ object: "list" });
  });

  it("errors have the form of the path", async () => {
    const openai = await service.call("POST", "/v1/chat/completions", { model: "rooted" });
    expect(openai.json).toMatchObject({ error: { type: "invalid_request_error", param: "messages" } });
    const anthropic = await service.call("POST", "/v1/messages", { model: "rooted" });
    expect(anthropic.json).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });
});

it.each(["x-api-key", "api-key", "x-goog-api-key", "authorization"])(
  "takes a key in %s, for every format",
  async (name) => {
    for (const path of ["/v1/balance", "/openai/v1/models", "/anthropic/v1/models", "/gemini/v1beta/models"]) {
      const right = await service.call("GET", path, undefined, { key: null, headers: { [name]: OPERATOR_KEY } });
      expect(right.status).toBe(200);
      const wrong = await service.call("GET", path, undefined, { key: null, headers: { [name]: "tk_wrong" } });
      expect(wrong.status).toBe(401);
    }
  },
);
