import { createOpenAI } from "@ai-sdk/openai";
import OpenAI from "openai";
import { answerChat, type ScriptedChoice } from "./openai-chat-upstream.ts";
import {
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from "./scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "./started-service.ts";

/** A service with two models, and clients of its operations in OpenAI's form. */
export interface ResponsesClients {
  readonly service: StartedService;
  /** Speaks OpenAI's chats, as `chatty`. */
  readonly chatty: Upstream;
  /** Keeps our contract alone, as `plain`. */
  readonly plain: Upstream;
  readonly openai: OpenAI;
  readonly aiSdk: ReturnType<typeof createOpenAI>;
  close(): Promise<void>;
}

export async function openResponsesClients(): Promise<ResponsesClients> {
  const service = await startService();
  const [chatty, plain] = [await startUpstream(), await startUpstream()];
  await registerUpstream(service, { wire: "openai", name: "chatty", endpoint: `${chatty.url}/v1` });
  await registerUpstream(service, { wire: "trunkline", name: "plain", endpoint: plain.url });
  const baseURL = `${service.url}/openai/v1`;
  return {
    service,
    chatty,
    plain,
    openai: new OpenAI({ baseURL, apiKey: OPERATOR_KEY, maxRetries: 0 }),
    aiSdk: createOpenAI({ baseURL, apiKey: OPERATOR_KEY }),
    async close() {
      await service.stop();
      await Promise.all([chatty.close(), plain.close()]);
    },
  };
}

export const CALL = { id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' };

/** The same call as chats have it. */
export const CHAT_CALL = {
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Oslo"}' },
};

export const WEATHER = {
  type: "function" as const,
  name: "weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: true,
};

/** Calls a tool at first, and goes on once it has the result. */
export function callFirst(before: ScriptedChoice, after: ScriptedChoice) {
  return (request: UpstreamRequest): UpstreamAnswer => {
    const hasResult = request.json.messages.some(({ role }: { role: string }) => role === "tool");
    const called: ScriptedChoice = { ...before, calls: [CALL], finish: "tool_calls" };
    return answerChat(hasResult ? after : called)(request);
  };
}
