import { afterAll, beforeAll, expect, it } from "vitest";
import { answerMessage } from "../support/anthropic-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "anthropic", name: "thinker", endpoint: upstream.url });
  upstream.answer(
    answerMessage([
      { type: "text", text: "I look it up." },
      { type: "thinking", thinking: "Where, then?", signature: "c2lnbmVk" },
      { type: "text", text: "It rains there." },
      { type: "thinking", thinking: "Is that all?", signature: "YWdhaW4=" },
      { type: "redacted_thinking", data: "c2VhbGVk" },
      { type: "text", text: "Take a coat." },
    ]),
  );
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

/** The objects of a stream in any of our formats. */
function eventsOf({ text }: Answer) {
  return text
    .split("\n")
    .map((line) => line.replace(/^data: /, ""))
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

const messages = [{ role: "user", content: "Weather?" }];
const GEMINI = "/gemini/v1beta/models/thinker:streamGenerateContent?alt=sse";

type Told = (event: Answer["json"]) => unknown;

it.each<readonly [wire: string, path: string, body: object, told: Told]>([
  [
    "OpenAI's chat",
    "/openai/v1/chat/completions",
    { model: "thinker", messages, stream: true },
    ({ choices: [choice] }) => choice?.delta.reasoning_content ?? choice?.delta.content,
  ],
  [
    "OpenAI's responses",
    "/openai/v1/responses",
    { model: "thinker", input: "Weather?", stream: true },
    ({ type, delta }) => (/^response\.(?:output|reasoning(?:_summary)?)_text\.delta$/.test(type) ? delta : undefined),
  ],
  [
    "Anthropic's",
    "/anthropic/v1/messages",
    { model: "thinker", messages, max_tokens: 100, stream: true },
    ({ delta }) => delta?.thinking ?? delta?.text,
  ],
  [
    "Gemini's",
    GEMINI,
    { contents: [{ parts: [{ text: "Weather?" }] }] },
    (event) => event.candidates[0].content.parts[0].text,
  ],
])(
  "words and signed thoughts come in the order in which they were said, in %s form",
  async (_wire, path, body, told) => {
    const answer = await service.call("POST", path, body);
    expect(answer.status).toBe(200);
    const words = eventsOf(answer)
      .map(told)
      .filter((piece) => typeof piece === "string");
    expect(words.join("")).toBe("I look it up.Where, then?It rains there.Is that all?Take a coat.");
  },
);

it("signatures stay with their thoughts, and what is sealed in its place", async () => {
  const answer = await service.call("POST", "/anthropic/v1/messages", {
    model: "thinker",
    messages,
    max_tokens: 100,
    stream: true,
  });
  const blocks = eventsOf(answer).filter(({ type }) => type === "content_block_start");
  expect(blocks.map((event) => event.content_block.type)).toEqual([
    "text",
    "thinking",
    "text",
    "thinking",
    "redacted_thinking",
    "text",
  ]);
  const signed = eventsOf(answer).filter(({ delta }) => delta?.type === "signature_delta");
  expect(signed.map(({ index, delta }) => [index, delta.signature])).toEqual([
    [1, "c2lnbmVk"],
    [3, "YWdhaW4="],
  ]);
});

it("our own form tells the words alone, whole", async () => {
  const answer = await service.call("POST", "/v1/stream", {
    task: "text",
    model: "thinker",
    input: "Weather?",
  });
  const words = eventsOf(answer).map(({ delta }) => delta ?? "");
  expect(words.join("")).toBe("I look it up.It rains there.Take a coat.");
});
