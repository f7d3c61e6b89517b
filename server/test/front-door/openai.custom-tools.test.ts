import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { events, registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const PATCH = "*** Begin Patch\n*** End Patch";

let service: StartedService;
let upstream: Upstream;
let openai: OpenAI;
/** The tool that the model calls, by the name that it was told. */
let called = "patch";

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream()]);
  await registerUpstream(service, { wire: "openai", name: "editor", endpoint: `${upstream.url}/v1` });
  openai = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY });
  upstream.answer(({ json }) => {
    const call = {
      id: "call_1",
      type: "function",
      function: { name: called, arguments: JSON.stringify({ input: PATCH }) },
    };
    const frame = { id: "chatcmpl-1", created: 1, model: "m" };
    const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
    if (json.stream !== true) {
      const message = { role: "assistant", content: null, tool_calls: [call] };
      const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
      return { body: JSON.stringify({ ...frame, object: "chat.completion", choices, usage }) };
    }
    const chunk = (delta: object, finish_reason: string | null) => ({
      ...frame,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    return {
      headers: { "content-type": "text/event-stream" },
      body: events(
        chunk({ role: "assistant", tool_calls: [{ index: 0, ...call }] }, null),
        chunk({}, "tool_calls"),
        { ...frame, object: "chat.completion.chunk", choices: [], usage },
        "[DONE]",
      ),
    };
  });
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const chat = {
  model: "editor",
  messages: [{ role: "user" as const, content: "Edit the file." }],
  tools: [{ type: "custom" as const, custom: { name: "patch", description: "Edits." } }],
};
const response = {
  model: "editor",
  input: "Edit the file.",
  tools: [{ type: "custom" as const, name: "patch", description: "Edits." }],
};

describe("a custom tool is a function to the model, and its call comes back as the client's own", () => {
  it("in a chat, whole and streamed", async () => {
    const shown = { id: "call_1", type: "custom", custom: { name: "patch", input: PATCH } };
    const { choices } = await openai.chat.completions.create(chat);
    expect(choices[0]?.message.tool_calls).toEqual([shown]);
    expect(upstream.requests.at(-1)?.json.tools[0]).toMatchObject({ type: "function", function: { name: "patch" } });
    const calls: unknown[] = [];
    for await (const { choices: some } of await openai.chat.completions.create({ ...chat, stream: true }))
      calls.push(...(some[0]?.delta.tool_calls ?? []));
    expect(calls).toEqual([{ index: 0, ...shown }]);
  });

  it("in a response, whole and streamed", async () => {
    const shown = { type: "custom_tool_call", call_id: "call_1", name: "patch", input: PATCH, status: "completed" };
    expect((await openai.responses.create(response)).output).toMatchObject([shown]);
    const seen: { type: string; input?: string; item?: unknown }[] = [];
    for await (const event of await openai.responses.create({ ...response, stream: true })) seen.push(event as never);
    expect(seen.find(({ type }) => type === "response.custom_tool_call_input.done")?.input).toBe(PATCH);
    expect(seen.find(({ type }) => type === "response.output_item.done")?.item).toMatchObject(shown);
  });

  it("and a tool in a namespace keeps its name there", async () => {
    called = "team__patch";
    const tools = [{ type: "namespace", name: "team", description: "", tools: [{ type: "function", name: "patch" }] }];
    const { output } = await openai.responses.create({ ...response, tools: tools as never });
    expect(output).toMatchObject([{ type: "function_call", name: "patch", namespace: "team" }]);
  });
});
