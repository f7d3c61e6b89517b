import type { Part } from "@trunkline/core/parts.ts";
import { asked } from "@trunkline/testing/asked.ts";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { AnswerScreen } from "./screen-output.ts";

const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

/** All that a client is given of an answer, and what of it came before the end was known. */
function screen(source: readonly Part[]) {
  const watch = new AnswerScreen(guard, asked({}));
  const before = source.flatMap((part) => runToEnd(watch.read(part)).safe);
  return { before, all: [...before, ...runToEnd(watch.read(undefined)).safe] };
}

function said(parts: readonly Part[], type: "text" | "thinking"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}

const THOUGHT = "Let me see where this may be written down, and whether anybody has said it before. ";
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

describe("a value that thoughts cut in two", () => {
  for (const [length, times] of [
    ["short", 2],
    ["long", 60],
    ["very long", 400],
  ] as const)
    it.each(VALUES)(`leaves no half of it readable where they are ${length}: %s%s`, (lead, half, rest, mark) => {
      const thoughts = Array.from({ length: times }, (): Part => ({ type: "thinking", text: THOUGHT }));
      for (const signed of [[], [{ type: "thinking", text: "", signature: "abc" } satisfies Part]]) {
        const { all } = screen([
          { type: "text", text: lead + half },
          ...thoughts,
          ...signed,
          { type: "text", text: `${rest}, as I said. ` },
        ]);
        expect(said(all, "text")).toBe(`${lead}${mark}, as I said. `);
        expect(said(all, "thinking")).toBe(THOUGHT.repeat(times));
      }
    });
});

describe("thoughts between words of which values are taken out", () => {
  const thoughts = (times: number) => Array.from({ length: times }, (): Part => ({ type: "thinking", text: THOUGHT }));

  it("do not wait where a sentence is over", () => {
    const { before } = screen([{ type: "text", text: "I look it up. " }, ...thoughts(2)]);
    expect(said(before, "text")).toBe("I look it up. ");
    expect(said(before, "thinking").length).toBeGreaterThan(THOUGHT.length);
  });

  it("wait for long, and then pass a word by that is not over", () => {
    const words: Part = { type: "text", text: "I see. It is jo.doe" };
    expect(said(screen([words, ...thoughts(40)]).before, "thinking")).toBe("");
    const { before, all } = screen([words, ...thoughts(60), { type: "finish", reason: "stop" }]);
    expect(said(before, "thinking").length).toBeGreaterThan(THOUGHT.length * 58);
    expect(all.map(({ type }) => type).filter((type, index, types) => type !== types[index - 1])).toEqual([
      "text",
      "thinking",
      "text",
      "finish",
    ]);
    expect(said(all, "text")).toBe("I see. It is jo.doe");
  });

  it("keep their place where less of them comes", () => {
    const { all } = screen([
      { type: "text", text: "It is jo" },
      ...thoughts(3),
      { type: "text", text: "hn. " },
      { type: "finish", reason: "stop" },
    ]);
    const texts = all.filter((part) => part.type === "text").map(({ text }) => text);
    expect(texts).toEqual(["It is jo", "hn. "]);
    expect(all[0]?.type).toBe("text");
  });
});
