import type { BodyOf } from "@trunkline/sdk";
import { APICallError, embedMany, generateImage, generateText, Output, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { answerChat } from "../../server/test/support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../../server/test/support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../../server/test/support/started-service.ts";
import { createTrunkline, type TrunklineChatOptions, type TrunklineProvider } from "../src/trunkline-provider.ts";

let service: StartedService;
let upstream: Upstream;
let trunkline: TrunklineProvider;

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream()]);
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
  trunkline = createTrunkline({ baseURL: `${service.url}/`, apiKey: OPERATOR_KEY });
});
beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: ["Good ", "morning."] }));
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const charged = { model: "operator/talker", cost: expect.any(Number) };

/** The newest request as the service recorded it. */
async function lastRequest() {
  const { json } = await service.call("GET", "/v1/requests?limit=1");
  return (await service.call("GET", `/v1/requests/${json.data[0].id}`)).json;
}

describe("a chat model", () => {
  it("generates text, and says which model answered and what it cost", async () => {
    const { text, usage, providerMetadata } = await generateText({ model: trunkline("talker"), prompt: "Hello" });
    expect(text).toBe("Good morning.");
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 20 });
    expect(providerMetadata?.trunkline).toEqual(charged);
    expect(providerMetadata?.trunkline?.cost).toBe((await lastRequest()).cost);
  });

  it("streams text, and says the same at its end", async () => {
    const result = streamText({ model: trunkline.languageModel("talker"), prompt: "Hello" });
    let text = "";
    for await (const piece of result.textStream) text += piece;
    expect(text).toBe("Good morning.");
    expect(await result.usage).toMatchObject({ inputTokens: 10, outputTokens: 20 });
    expect((await result.providerMetadata)?.trunkline).toEqual(charged);
  });

  it("lets the service choose without a name", async () => {
    const { providerMetadata } = await generateText({ model: trunkline(), prompt: "Hello" });
    expect(providerMetadata?.trunkline).toEqual(charged);
  });

  it("calls tools in steps", async () => {
    const bern = { id: "call_1", name: "weather", arguments: '{"city":"Bern"}' };
    upstream.answer((request) =>
      request.json.messages.some(({ role }: { role: string }) => role === "tool")
        ? answerChat({ text: "Sunny." })(request)
        : answerChat({ calls: [bern], finish: "tool_calls" })(request),
    );
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "Sunny" });
    const { text, steps } = await generateText({
      model: trunkline("talker"),
      prompt: "How is the weather?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe("Sunny.");
    expect(steps).toHaveLength(2);
  });

  it("gives an object by its schema", async () => {
    upstream.answer(answerChat({ text: '{"degrees":21}' }));
    const schema = z.object({ degrees: z.number() });
    const { output } = await generateText({
      model: trunkline("talker"),
      output: Output.object({ schema }),
      prompt: "Weather?",
    });
    expect(output).toEqual({ degrees: 21 });
    expect(upstream.requests[0]?.json.response_format.type).toBe("json_schema");
  });

  it("passes on an image by its address", async () => {
    const image = new URL("https://example.com/a.png");
    const messages = [{ role: "user" as const, content: [{ type: "image" as const, image }] }];
    await generateText({ model: trunkline("talker"), messages });
    expect(JSON.stringify(upstream.requests[0]?.json.messages)).toContain(image.href);
  });

  it("takes strategy, fallbacks, bounds and tags as provider options", async () => {
    const options: TrunklineChatOptions = {
      fallbacks: ["talker"],
      tags: { team: "web" },
      session: "talk-1",
      preferences: { max_cost: 1 },
    };
    upstream.answer(answerChat({ text: "Hello." }));
    await generateText({ model: trunkline("guide"), prompt: "Hi", providerOptions: { trunkline: options } });
    expect(await lastRequest()).toMatchObject({ tags: { team: "web" }, model: "builtin/guide" });
    const dear = generateText({
      model: trunkline("auto"),
      prompt: "Hi",
      providerOptions: { trunkline: { route: "quality", preferences: { max_cost: 0.000_000_001 } } },
      maxRetries: 0,
    });
    await expect(dear).rejects.toThrow(/max_cost/);
  });

  it("has the options of the API and no others", () => {
    expectTypeOf<TrunklineChatOptions>().toExtend<Partial<BodyOf<"POST /openai/v1/chat/completions">>>();
  });

  it("throws what is refused, with its status and its words", async () => {
    const asking = generateText({ model: trunkline("nobody"), prompt: "Hello", maxRetries: 0 });
    const error: unknown = await asking.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 404, message: expect.stringContaining('no model "nobody"') });
  });
});

describe("the other models", () => {
  it("make embeddings", async () => {
    const { embeddings, responses, providerMetadata } = await embedMany({
      model: trunkline.embeddingModel("embed"),
      values: ["One", "Two"],
    });
    expect(embeddings).toHaveLength(2);
    expect(responses).toHaveLength(1);
    expect(providerMetadata?.trunkline).toEqual({ model: "builtin/embed", cost: 0 });
  });

  it("make images", async () => {
    const { image, providerMetadata } = await generateImage({
      model: trunkline.imageModel("sketch"),
      prompt: "A boat",
      size: "64x64",
    });
    expect(image.mediaType).toBe("image/png");
    expect(providerMetadata.trunkline).toEqual({ images: [{ model: "builtin/sketch", cost: 0 }] });
  });
});
