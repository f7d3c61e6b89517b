import type { Part } from "@trunkline/core/parts.ts";
import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { AnswerScreen } from "./screen-output.ts";

const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

/** All parts that are released, and those released before the end. */
function screen(source: readonly Part[]) {
  const answerScreen = new AnswerScreen(guard, sampleAnswerContext({}));
  const before = source.flatMap((part) => answerScreen.read(part).safe);
  return { before, all: [...before, ...answerScreen.end().safe] };
}

function textOfType(parts: readonly Part[], type: "text" | "thinking"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}

const THINKING = "Let me see where this may be written down, and whether anybody has said it before. ";
const KEY = `ghp_${"aB3x9Kq7Zm".repeat(4).slice(0, 36)}`;
const [HEADER, FOOTER] = ["BEGIN", "END"].map((word) => `-----${word} PRIVATE KEY-----`);

const VALUES = [
  ["Key: ", KEY.slice(0, 20), KEY.slice(20), "[REDACTED_API_KEY]"],
  ["Mail ", "jo.doe.longname", "@firma.de", "[REDACTED_EMAIL]"],
  ["Card: ", "4111 1111 ", "1111 1111", "[REDACTED_CARD]"],
  ["Write to ", "jo at ", "firma dot com", "[REDACTED_EMAIL]"],
  ["So:\n", `${HEADER}\nMIIEvQIB`, `ADANBgkqhkiG9w0BAQEFAASCBKcw\n${FOOTER}`, "[REDACTED_PRIVATE_KEY]"],
  ["Call ", "+44 20 ", "7946 0958", "[REDACTED_PHONE]"],
] as const;

describe("a value split by thinking", () => {
  for (const [length, times] of [
    ["short", 2],
    ["long", 60],
    ["very long", 400],
  ] as const)
    it.each(VALUES)(`leaves no part of it readable if the thinking is ${length}: %s%s`, (lead, half, rest, marker) => {
      const thinking = Array.from({ length: times }, (): Part => ({ type: "thinking", text: THINKING }));
      for (const signed of [[], [{ type: "thinking", text: "", signature: "abc" } satisfies Part]]) {
        const { all } = screen([
          { type: "text", text: lead + half },
          ...thinking,
          ...signed,
          { type: "text", text: `${rest}, as I said. ` },
        ]);
        expect(textOfType(all, "text")).toBe(`${lead}${marker}, as I said. `);
        expect(textOfType(all, "thinking")).toBe(THINKING.repeat(times));
      }
    });
});

describe("thinking between redacted text", () => {
  const thinking = (times: number) => Array.from({ length: times }, (): Part => ({ type: "thinking", text: THINKING }));

  it("does not wait after a complete sentence", () => {
    const { before } = screen([{ type: "text", text: "I look it up. " }, ...thinking(2)]);
    expect(textOfType(before, "text")).toBe("I look it up. ");
    expect(textOfType(before, "thinking").length).toBeGreaterThan(THINKING.length);
  });

  it("waits long for an incomplete word and then overtakes it", () => {
    const words: Part = { type: "text", text: "I see. It is jo.doe" };
    expect(textOfType(screen([words, ...thinking(40)]).before, "thinking")).toBe("");
    const { before, all } = screen([words, ...thinking(60), { type: "finish", reason: "stop" }]);
    expect(textOfType(before, "thinking").length).toBeGreaterThan(THINKING.length * 58);
    expect(all.map(({ type }) => type).filter((type, index, types) => type !== types[index - 1])).toEqual([
      "text",
      "thinking",
      "text",
      "finish",
    ]);
    expect(textOfType(all, "text")).toBe("I see. It is jo.doe");
  });

  it("keeps its position if there is less of it", () => {
    const { all } = screen([
      { type: "text", text: "It is jo" },
      ...thinking(3),
      { type: "text", text: "hn. " },
      { type: "finish", reason: "stop" },
    ]);
    const texts = all.filter((part) => part.type === "text").map(({ text }) => text);
    expect(texts).toEqual(["It is jo", "hn. "]);
    expect(all[0]?.type).toBe("text");
  });
});
