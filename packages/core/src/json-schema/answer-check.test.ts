import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import type { AnswerForm } from "../conversation.ts";
import type { AnswerCheck } from "../inference.ts";
import type { Part } from "../parts.ts";
import { createAnswerChecker } from "./answer-check.ts";

const text = (words: string, choice?: number): Part => ({ type: "text", text: words, choice });
const PICTURE: Part = { type: "media", kind: "image", url: "https://example.test/i.png", source: {} };
const TOOL_CALL: Part = { type: "tool-call", id: "1", name: "look", arguments: "{}" };

function judge(check: AnswerCheck, parts: readonly Part[], answerForm?: AnswerForm) {
  const inference = sampleInference();
  return createAnswerChecker({ ...inference, conversation: { ...inference.conversation, answerForm } }, check)(parts);
}

describe("an answer", () => {
  it.each<[string, AnswerCheck, readonly Part[], string | undefined]>([
    ["with words", {}, [text("He"), text("llo")], undefined],
    ["without any", {}, [], "it is empty"],
    ["of thinking only", {}, [{ type: "thinking", text: "Hm." }], "it is empty"],
    ["of spaces", {}, [text(" \n")], "it is empty"],
    ["that is long enough", { minLength: 5 }, [text("Hello")], undefined],
    ["that is too short", { minLength: 6 }, [text("Hello")], "it has fewer than 6 characters"],
    ["whose characters are two units each", { minLength: 3 }, [text("😀😀")], "it has fewer than 3 characters"],
    ["that matches", { pattern: "l+o$" }, [text("Hel"), text("lo")], undefined],
    ["that does not", { pattern: "^l" }, [text("Hello")], "it does not match the pattern"],
    ["that is not JSON", { schema: {} }, [text("```json\n{}\n```")], "it is not JSON"],
    ["that meets the schema", { schema: { type: "object" } }, [text(' {"a": 1}\n')], undefined],
    [
      "that does not meet the schema",
      { schema: { required: ["b"] } },
      [text('{"a": 1}')],
      'it does not meet the schema: it lacks "b"',
    ],
    [
      "of which another choice fails",
      { minLength: 3 },
      [text("Hello", 0), text("Oh", 1)],
      "it has fewer than 3 characters",
    ],
    ["that is too long to parse", { schema: {} }, [text(`[${"1,".repeat(2_000_000)}1]`)], "it takes too long to check"],
    ["that is long, and matches", { pattern: "\\bend\\.$" }, [text(`${"word ".repeat(20_000)}end.`)], undefined],
    ["that calls a tool", { minLength: 3 }, [TOOL_CALL], undefined],
    ["that is an image", {}, [PICTURE], undefined],
    ["that is an image where text is required", { minLength: 3 }, [PICTURE], "it is empty"],
    [
      "that is too long for its pattern",
      { pattern: "a[ab]{200}c" },
      [text("ab".repeat(50_000))],
      "it takes too long to check",
    ],
  ])("%s", (_what, check, parts, reason) => {
    expect(judge(check, parts)).toBe(reason);
  });

  it.each<[string, AnswerForm, string, string | undefined]>([
    ["JSON, and is", { type: "json" }, "{}", undefined],
    ["JSON, and is a list", { type: "json" }, "[]", "it is no JSON object"],
    ["JSON, and is none", { type: "json" }, "Sure!", "it is not JSON"],
    [
      "of a schema, and is not",
      { type: "schema", name: "a", schema: { required: ["a"] } },
      "{}",
      'it does not meet the schema: it lacks "a"',
    ],
    ["of an unsupported schema", { type: "schema", name: "a", schema: { pattern: "(?=a)" } }, "{}", undefined],
    [
      "of a schema that is too large",
      { type: "schema", name: "a", schema: { required: ["a"], description: "a".repeat(70_000) } },
      "{}",
      undefined,
    ],
    [
      "of such a schema, and is not JSON",
      { type: "schema", name: "a", schema: { pattern: "(?=a)" } },
      "a",
      "it is not JSON",
    ],
  ])("must also have the format that the request asks for: %s", (_what, form, words, reason) => {
    expect(judge({}, [text(words)], form)).toBe(reason);
  });
});
