import { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import type { AnswerForm } from "@trunkline/core/conversation.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { describe, expect, it } from "vitest";
import { judgeAnswer } from "./judge-answer.ts";

const SCHEMA: AnswerForm = {
  type: "schema",
  name: "person",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", pattern: "(a+)+$" },
      age: { type: "integer" },
      kind: { enum: ["child", "adult"] },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["name"],
    additionalProperties: false,
  },
};
const STOP: Part = { type: "finish", reason: "stop" };

function judge(parts: readonly Part[], answerForm?: AnswerForm) {
  return judgeAnswer({ conversation: { messages: [], tools: [], answerForm } }, CollectedAnswer.of(parts));
}

const text = (...pieces: string[]): Part[] => [...pieces.map((piece): Part => ({ type: "text", text: piece })), STOP];

describe("an answer", () => {
  it("of plain text is unjudged", () => {
    expect(judge(text("Paris."))).toBe("unjudged");
  });

  it("that is empty, only reasoning, or refused is no answer", () => {
    expect(judge([STOP])).toBe("no answer");
    expect(judge(text(" ", "\n"))).toBe("no answer");
    expect(judge([{ type: "thinking", text: "Hm." }, STOP])).toBe("no answer");
    expect(
      judge([
        { type: "text", text: "I can't." },
        { type: "finish", reason: "refused" },
      ]),
    ).toBe("no answer");
  });

  it("that ended at the client's limit or stop word is unjudged", () => {
    expect(judge([{ type: "finish", reason: "length" }])).toBe("unjudged");
    expect(judge([{ type: "finish", reason: "stop", stopSequence: "END" }])).toBe("unjudged");
    const cut: Part[] = [
      { type: "text", text: '{"name": "A' },
      { type: "finish", reason: "length" },
    ];
    expect(judge(cut, SCHEMA)).toBe("unjudged");
  });

  it("with a tool call is not checked against the text form", () => {
    expect(judge([{ type: "tool-call", id: "1", name: "look", arguments: "{}" }, STOP], SCHEMA)).toBe("unjudged");
  });

  it("matches the requested form or breaks it", () => {
    expect(judge(text('{"name": ', '"Ada", "age": 3}'), SCHEMA)).toBe("kept its form");
    expect(judge(text("[1]"), { type: "json" })).toBe("kept its form");
    expect(judge(text("Sure! [1]"), { type: "json" })).toBe("broke its form");
    for (const wrong of [
      '{"age": 3}',
      '{"name": 7}',
      '{"name": "Ada", "age": 3.5}',
      '{"name": "Ada", "kind": "robot"}',
      '{"name": "Ada", "tags": ["a", 1]}',
      '{"name": "Ada", "more": true}',
      '["Ada"]',
      "Ada",
    ])
      expect(judge(text(wrong), SCHEMA), wrong).toBe("broke its form");
  });

  it("is judged by its first choice", () => {
    const parts: Part[] = [{ type: "text", text: "Sure!", choice: 1 }, ...text("[1]")];
    expect(judge(parts, { type: "json" })).toBe("kept its form");
  });

  it("that is very long, or whose schema has expensive patterns, is judged quickly", () => {
    expect(judge(text("x".repeat(300 * 1024)), SCHEMA)).toBe("unjudged");
    const choices = Array.from({ length: 20_000 }, (_, index) => `choice ${index}`);
    const many = Array.from({ length: 15_000 }, () => "choice 19999");
    const list: AnswerForm = { type: "schema", name: "list", schema: { items: { enum: choices } } };
    expect(judge(text(JSON.stringify(many)), list)).toBe("kept its form");
    const evil = JSON.stringify({ name: `${"a".repeat(50_000)}!` });
    expect(judge(text(evil), SCHEMA)).toBe("kept its form");
  });
});
