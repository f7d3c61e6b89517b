import { afterAll, beforeAll, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "trunkline", name: "writer", endpoint: upstream.url });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const CALL = '{"tool_calls":[{"name":"weather","arguments":{"city":"Oslo"}}]}';
const ask = (more: object = {}) =>
  service.call("POST", "/openai/v1/chat/completions", {
    model: "writer",
    messages: [{ role: "user", content: "Will it rain in Oslo?" }],
    tools: [
      {
        type: "function",
        function: { name: "weather", description: "Tells the weather.", parameters: { type: "object" } },
      },
    ],
    ...more,
  });

it("lets a model that can only write call a tool, and charges what it counted", async () => {
  upstream.answer(() => ({
    body: JSON.stringify({
      output: `\`\`\`json\n${CALL}\n\`\`\``,
      usage: { input_tokens: 90, output_tokens: 20 },
    }),
  }));
  const { status, json } = await ask({ tool_choice: "required" });
  expect(status).toBe(200);
  expect(json.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
  });
  expect(json.usage).toMatchObject({ prompt_tokens: 90, completion_tokens: 20 });
  const { input } = upstream.requests.at(-1)?.json ?? {};
  expect(input).toContain("- weather: Tells the weather.");
  expect(input).toContain("You must call at least one tool now.");
});

it("does so in a stream, and keeps an answer in words as it is", async () => {
  const streamed = (words: string) => [
    ...(words.match(/.{1,5}/gs)?.map((delta) => `${JSON.stringify({ delta })}\n`) ?? []),
    '{"done":true}\n',
  ];
  upstream.answer(() => ({ body: streamed(CALL) }));
  const called = await ask({ stream: true });
  expect(called.text).toContain('"finish_reason":"tool_calls"');
  expect(called.text).toContain('"name":"weather"');
  expect(called.text).not.toContain('tool_calls\\"');
  upstream.answer(() => ({ body: streamed("{No} rain.") }));
  const said = await ask({ stream: true });
  expect(said.text).toContain('"finish_reason":"stop"');
  expect(said.text).not.toContain('"tool_calls"');
});
