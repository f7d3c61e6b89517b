import { createOpenAI } from "@ai-sdk/openai";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { APICallError, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream, type UpstreamRequest } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: ["Good ", "morning."] }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const bern = { id: "call_1", name: "weather", arguments: '{"city":"Bern"}' };
const city = z.object({ city: z.string() });
const forecast = z.object({ city: z.string(), degrees: z.number() });

/** Calls the tool, and once it has the result says it. */
const callsThenTells = (request: UpstreamRequest) =>
  request.json.messages.some(({ role }: { role: string }) => role === "tool")
    ? answerChat({ text: "Sunny." })(request)
    : answerChat({ calls: [bern], finish: "tool_calls" })(request);

describe("the AI SDK", () => {
  const model = () => createOpenAI({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/openai/v1` }).chat("talker");

  it("generates text", async () => {
    const { text, usage, finishReason } = await generateText({
      model: model(),
      system: "Be brief.",
      prompt: "Hello",
    });
    expect(text).toBe("Good morning.");
    expect(finishReason).toBe("stop");
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 20 });
  });

  it("streams text", async () => {
    const { textStream, usage } = streamText({ model: model(), prompt: "Hello" });
    let text = "";
    for await (const piece of textStream) text += piece;
    expect(text).toBe("Good morning.");
    expect(await usage).toMatchObject({ inputTokens: 10, outputTokens: 20 });
  });

  it.each(["whole", "streamed"])("runs tools in steps, %s", async (way) => {
    upstream.answer(callsThenTells);
    const asked: string[] = [];
    const weather = tool({
      description: "Tells the weather of a city.",
      inputSchema: city,
      execute: async (input) => {
        asked.push(input.city);
        return "Sunny";
      },
    });
    const options = {
      model: model(),
      prompt: "How is the weather?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    };
    const text = way === "whole" ? (await generateText(options)).text : await streamText(options).text;
    expect(text).toBe("Sunny.");
    expect(asked).toEqual(["Bern"]);
  });

  it("generates an object by its schema", async () => {
    upstream.answer(answerChat({ text: '{"city":"Bern","degrees":21}' }));
    const { object } = await generateObject({ model: model(), schema: forecast, prompt: "Weather?" });
    expect(object).toEqual({ city: "Bern", degrees: 21 });
    expect(upstream.requests[0]?.json.response_format.type).toBe("json_schema");
  });

  it("raises what is refused, with its status and its words", async () => {
    const asking = generateText({ model: model(), prompt: "Hello", temperature: 7, maxRetries: 0 });
    const error = await asking.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, message: "`temperature` must be from 0 to 2." });
  });
});

describe("LangChain", () => {
  const model = () =>
    new ChatOpenAI({
      model: "talker",
      apiKey: OPERATOR_KEY,
      configuration: { baseURL: `${service.url}/openai/v1` },
      maxRetries: 0,
    });

  it("invokes", async () => {
    const answer = await model().invoke("Hello");
    expect(answer.text).toBe("Good morning.");
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 20 });
  });

  it("streams", async () => {
    let text = "";
    for await (const chunk of await model().stream("Hello")) text += chunk.text;
    expect(text).toBe("Good morning.");
  });

  it("binds tools and takes their results", async () => {
    upstream.answer(callsThenTells);
    const weather = langChainTool(async (input: z.infer<typeof city>) => `Sunny in ${input.city}`, {
      name: "weather",
      description: "Tells the weather of a city.",
      schema: city,
    });
    const bound = model().bindTools([weather]);
    const question = new HumanMessage("How is the weather?");
    const called = await bound.invoke([question]);
    expect(called.tool_calls).toMatchObject([{ id: "call_1", name: "weather", args: { city: "Bern" } }]);
    const result = new ToolMessage({ tool_call_id: "call_1", content: "Sunny" });
    expect((await bound.invoke([question, called, result])).text).toBe("Sunny.");
  });

  it("gives structured output", async () => {
    upstream.answer(answerChat({ text: '{"city":"Bern","degrees":21}' }));
    const structured = model().withStructuredOutput(forecast, { name: "forecast", method: "jsonSchema" });
    expect(await structured.invoke("Weather?")).toEqual({ city: "Bern", degrees: 21 });
  });
});
