import { conversationOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { AnswerSoFar, continuationRequest } from "./continuation.ts";

const plain = sampleInference({ conversation: conversationOf("Tell me a story.") });
const text = (words: string): Part => ({ type: "text", text: words });
const withParameters = (changes: Partial<Inference["parameters"]>) => ({
  ...plain,
  parameters: { ...plain.parameters, ...changes },
});

describe("the request for the rest of an answer", () => {
  it("has the conversation, the exact answer so far, and the instruction to continue", () => {
    const { messages } = continuationRequest(plain, "Once upon a ", undefined).conversation;
    expect(messages).toMatchObject([
      { role: "user", content: [{ text: "Tell me a story." }] },
      { role: "assistant", content: [{ type: "text", text: "Once upon a " }] },
      { role: "user", content: [{ text: expect.stringMatching(/exactly where it stopped/) }] },
    ]);
  });

  it("subtracts the tokens so far from the maximum, and keeps the stop sequences", () => {
    const answer = new AnswerSoFar(withParameters({ maxTokens: 100, stop: ["END"] }));
    answer.add({ type: "thinking", text: "1234567890" });
    answer.add(text("1234567890".repeat(3)));
    const { parameters } = answer.requestForRemainder((words) => words.length) ?? plain;
    expect(parameters).toMatchObject({ maxTokens: 60, stop: ["END"] });
  });

  it("is undefined if the answer has reached its maximum length", () => {
    const answer = new AnswerSoFar(withParameters({ maxTokens: 10 }));
    answer.add(text("1234567890"));
    expect(answer.requestForRemainder((words) => words.length)).toBeUndefined();
  });

  it.each(["", " \n\t", "\u00a0"])("is the same request if the answer has no words: %j", (blank) => {
    expect(continuationRequest(plain, blank, undefined)).toEqual(plain);
  });

  it("describes the answer form in words, as the rest of an object is not one", () => {
    const schema = { type: "object", required: ["name"] };
    const conversation = {
      ...plain.conversation,
      answerForm: { type: "schema", name: "n", schema },
    } as const;
    const asked = continuationRequest({ ...plain, conversation }, '{"na', undefined).conversation;
    expect(asked.answerForm).toBeUndefined();
    expect(JSON.stringify(asked.messages.at(-1))).toContain("required");
  });
});

describe("an answer can be continued", () => {
  it.each<[string, boolean, Inference, readonly Part[]]>([
    ["of words", true, plain, [text("Hello")]],
    ["of thoughts and words", true, plain, [{ type: "thinking", text: "Hm." }, text("Hello")]],
    ["of 256 KiB", true, plain, [text("é".repeat(128 * 1024))]],
    ["of more than 256 KiB", false, plain, [text("é".repeat(128 * 1024)), text("!")]],
    ["in the middle of a thought", false, plain, [{ type: "thinking", text: "Hm." }]],
    ["after a signed thought", true, plain, [{ type: "thinking", text: "Hm.", signature: "s" }]],
    ["after a sealed thought", true, plain, [{ type: "thinking", text: "", sealed: "s" }]],
    ["in a later thought", true, plain, [text("Hello"), { type: "thinking", text: "Hm." }]],
    ["that the client wants from one model", false, { ...plain, continues: false }, [text("Hello")]],
    ["with several choices", false, withParameters({ choices: 2 }), [text("Hello")]],
    ["with how likely its words are", false, withParameters({ logprobs: 0 }), [text("Hello")]],
    ["of a transcript", false, { ...plain, task: normaliseTask("transcription") }, [text("Hello")]],
    ["with a call of a tool", false, plain, [{ type: "tool-call", id: "1", name: "f", arguments: "{}" }]],
    ["of a picture", false, plain, [{ type: "media", kind: "image", url: "https://x.test/", source: {} }]],
    ["of vectors", false, plain, [{ type: "embedding", index: 0, vector: [1] }]],
  ])("%s: %s", (_what, can, inference, parts) => {
    const answer = new AnswerSoFar(inference);
    for (const part of parts) answer.add(part);
    expect(answer.canBeContinued).toBe(can);
  });
});
