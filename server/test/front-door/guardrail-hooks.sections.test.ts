import { registrationOf, startProvider, USAGE } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerChat } from "../support/openai-chat-upstream.ts";
import {
  events,
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from "../support/scripted-upstream.ts";
import { type Answer, OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let hook: Upstream;
let hookId: string;

const FIRST = "The first sentence is about a long river in the north of the country. ";
const SECOND = "The second sentence is about the town that stands where it meets the sea. ";
const THIRD = "And that is all.";
const ANSWER = [FIRST, SECOND, THIRD];

beforeAll(async () => {
  [service, upstream, hook] = await Promise.all([startService(), startUpstream(), startUpstream()]);
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
  const made = await service.call("POST", "/v1/guardrail-hooks", {
    url: `${hook.url}/judge`,
    sides: ["output"],
    timeout_ms: 20_000,
    stream: "sections",
    section_characters: 60,
  });
  expect(made.json).toMatchObject({ stream: "sections", section_characters: 60 });
  hookId = made.json.id;
});
afterAll(async () => {
  await service.stop();
  await Promise.all([upstream.close(), hook.close()]);
});
beforeEach(() => {
  hook.requests.length = 0;
  upstream.answer(answerChat({ text: ANSWER }));
  hook.answer(() => decide({ action: "allow" }));
});

const decide = (decision: unknown): UpstreamAnswer => ({ body: JSON.stringify(decision) });
/** Decides by the text of a section. */
const byText = (decisionOf: (text: string) => unknown) => (request: UpstreamRequest) =>
  decide(decisionOf(request.json.data.texts.map(({ text }: { text: string }) => text).join("|")));
const change = (body: unknown) => service.call("PATCH", `/v1/guardrail-hooks/${hookId}`, body);
const stream = (more: Record<string, unknown> = {}) =>
  service.call("POST", "/v1/stream", { input: "Tell me about the river.", model: "talker", ...more });
const linesOf = (answer: Answer) =>
  answer.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const deltasOf = (answer: Answer) => linesOf(answer).flatMap(({ delta }) => (delta === undefined ? [] : [delta]));
const asked = () => hook.requests.map(({ json }) => json.data);

describe("guardrail hooks that are asked about the sections of a stream", () => {
  it("refuse settings that make no sense", async () => {
    for (const wrong of [{ stream: "pieces" }, { section_characters: 10 }, { section_characters: 20_001 }])
      expect((await change(wrong)).json.error.type).toBe("invalid_request");
  });

  it("see one section after the other, numbered, with what came before, and let each go to the client", async () => {
    hook.answer(
      byText((text) => ({ action: "allow", annotations: text.includes("town") ? { topic: "town" } : { long: "yes" } })),
    );
    const answer = await stream();
    expect(answer.status).toBe(200);
    expect(deltasOf(answer)).toEqual(ANSWER);
    expect(asked().map(({ section, texts }) => ({ section, texts }))).toEqual([
      { section: { number: 1, last: false }, texts: [{ role: "assistant", type: "text", text: FIRST, before: "" }] },
      {
        section: { number: 2, last: false },
        texts: [{ role: "assistant", type: "text", text: SECOND, before: FIRST }],
      },
      {
        section: { number: 3, last: true },
        texts: [{ role: "assistant", type: "text", text: THIRD, before: FIRST + SECOND }],
      },
    ]);
    const { annotations } = (await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`)).json;
    expect(annotations).toEqual({ long: "yes", topic: "town" });
  });

  it("let nothing of a section go before it is judged", async () => {
    let read = () => {};
    const isRead = new Promise<void>((resolve) => (read = resolve));
    hook.answer(byText((text) => (text.includes("town") ? { action: "refuse" } : { action: "allow" })));
    // The provider goes on only when the client has the first section: it could not, if the gateway waited for the end.
    const provider = await startProvider(async (response) => {
      // The safety check holds back the last words of what it has seen.
      response.write(`${JSON.stringify({ delta: FIRST.repeat(5) })}\n`);
      await isRead;
      response.end(`${JSON.stringify({ delta: SECOND })}\n${JSON.stringify({ done: true, usage: USAGE })}\n`);
    });
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "slow", { streaming: true }));
    const response = await fetch(`${service.url}/v1/stream`, {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ input: "Tell me about the river.", model: "slow" }),
    });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(FIRST)) read();
    }
    await provider.stop();
    expect(text).toContain(FIRST);
    expect(text).not.toContain("town");
    expect(text).toContain("unsafe_output");
  });

  it("end a stream by a refusal, which is charged as the provider did the work", async () => {
    hook.answer(
      byText((text) => (text.includes("town") ? { action: "refuse", reason: "no towns" } : { action: "allow" })),
    );
    const answer = await stream();
    const last = linesOf(answer).at(-1);
    expect(deltasOf(answer)).toEqual([FIRST]);
    expect(last).toMatchObject({ done: true, error: { type: "unsafe_output", categories: ["guardrail"] } });
    expect(last.error.message).toContain("no towns");
    expect(last.error.cost).toBeGreaterThan(0);
    expect(hook.requests).toHaveLength(2);
    const record = (await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`)).json;
    expect(record).toMatchObject({ status: 403, cost: last.error.cost });
  });

  it("refuse the first section with the status of a refusal", async () => {
    hook.answer(() => decide({ action: "refuse" }));
    const answer = await stream();
    expect(answer.status).toBe(403);
    expect(answer.json.error.type).toBe("unsafe_output");
  });

  it("replace the text of a section, show the next one what was sent, and leave out probabilities", async () => {
    upstream.answer(
      answerChat({ text: ANSWER, logprobs: [{ token: "The", logprob: -0.1, bytes: null, top_logprobs: [] }] }),
    );
    hook.answer(byText((text) => (text === FIRST ? { action: "redact", texts: ["[removed] "] } : { action: "allow" })));
    const answer = await chat({ logprobs: true });
    expect(answer.text).toContain("[removed] ");
    expect(answer.text).not.toContain("north of the country");
    expect(answer.text).not.toContain("-0.1");
    expect(asked()[1].texts[0]).toMatchObject({ text: SECOND, before: "[removed] " });
  });

  it("see reasoning before the text, and a tool call whole with the last section", async () => {
    const call = { id: "call_1", name: "look_up", arguments: '{"town":"Aberdeen"}' };
    upstream.answer(
      answerChat({ thoughts: "I think.", text: [FIRST, "I look it up."], calls: [call], finish: "tool_calls" }),
    );
    hook.answer((request) => {
      const texts = request.json.data.texts.map(({ type, text }: { type: string; text: string }) =>
        type === "tool_call" ? '{"town":"[town]"}' : text,
      );
      return decide({ action: "redact", texts });
    });
    const answer = await chat({ tools: TOOLS });
    expect(
      asked().map(({ texts }) => texts.map(({ type, text }: { type: string; text: string }) => [type, text])),
    ).toEqual([
      [
        ["reasoning", "I think."],
        ["text", FIRST],
      ],
      [
        ["text", "I look it up."],
        ["tool_call", call.arguments],
      ],
    ]);
    expect(answer.text).toContain("[town]");
    expect(answer.text).not.toContain("Aberdeen");
  });

  it("are asked once about an answer that is not streamed", async () => {
    await service.call("POST", "/v1/generate", { input: "Tell me about the river.", model: "talker" });
    expect(asked()).toMatchObject([{ texts: [{ text: ANSWER.join("") }] }]);
    expect(asked()[0]).not.toHaveProperty("section");
  });

  it("are asked once about a stream beside a hook that wants the whole", async () => {
    const url = `${hook.url}/whole`;
    const { id } = (await service.call("POST", "/v1/guardrail-hooks", { url, sides: ["output"] })).json;
    expect(deltasOf(await stream()).join("")).toBe(ANSWER.join(""));
    expect(hook.requests.map(({ path }) => path)).toEqual(["/judge", "/whole"]);
    await service.call("DELETE", `/v1/guardrail-hooks/${id}`);
  });

  it("judge and deliver what was held back where the provider breaks off", async () => {
    const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events(chunk(FIRST), chunk("Half a"), { error: { message: "broken", type: "server_error" } }),
    }));
    const answer = await stream({ route: "auto" });
    expect(deltasOf(answer)).toEqual([FIRST, "Half a"]);
    expect(linesOf(answer).at(-1).error.type).toBe("provider_error");
    expect(asked().at(-1).texts[0].text).toBe("Half a");
  });

  describe("that fail", () => {
    beforeEach(() => hook.answer(() => ({ status: 500, body: "" })));

    it("end the stream, where they are to refuse", async () => {
      const answer = await stream();
      expect(answer.json.error).toMatchObject({ type: "unsafe_output" });
      expect(hook.requests).toHaveLength(1);
    });

    it("let it pass, where they are to allow, and are not asked again after three times", async () => {
      await change({ on_failure: "allow" });
      upstream.answer(answerChat({ text: Array.from({ length: 6 }, () => FIRST) }));
      const answer = await stream();
      expect(deltasOf(answer).join("")).toBe(FIRST.repeat(6));
      expect(hook.requests).toHaveLength(3);
      await change({ on_failure: "refuse" });
    });
  });

  const TOOLS = [
    {
      type: "function",
      function: { name: "look_up", parameters: { type: "object", properties: { town: { type: "string" } } } },
    },
  ];
  const chat = (more: Record<string, unknown>) =>
    service.call("POST", "/openai/v1/chat/completions", {
      model: "talker",
      messages: [{ role: "user", content: "Tell me about the river." }],
      stream: true,
      ...more,
    });
});
