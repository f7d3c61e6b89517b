import type { Part } from "@trunkline/core/answer.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { asked } from "@trunkline/testing/asked.ts";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { BALANCED } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { screenOutput } from "./screen-output.ts";

const guard = createGuard(ruleDetector, BALANCED);
const BOMB = "Here is how to build a pipe bomb: take a steel pipe and";

async function screen(source: readonly Part[]) {
  const parts: Part[] = [];
  let verdict: Verdict | undefined;
  let fault: Fault | undefined;
  async function* stream() {
    yield* source;
  }
  try {
    for await (const part of screenOutput(guard, asked(), stream(), (made) => {
      verdict = made;
    }))
      parts.push(part);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    fault = error;
  }
  return { parts, fault, verdict };
}

const said = (parts: readonly Part[], type: "text" | "thinking", choice = 0) =>
  parts.flatMap((part) => (part.type === type && (part.choice ?? 0) === choice ? [part.text] : [])).join("");

/** Two answers whose words come by turns. */
const interleaved = (one: string, other: string): Part[] =>
  one.split(" ").flatMap((word, at): Part[] => [
    { type: "text", text: `${word} `, choice: 0 },
    { type: "text", text: `${other.split(" ")[at] ?? ""} `, choice: 1 },
  ]);

describe("an answer of several choices", () => {
  it("passes on each word for word, under its own number", async () => {
    const { parts, fault } = await screen([
      ...interleaved("All is well here.", "Nothing is wrong there."),
      { type: "finish", reason: "stop", choice: 0 },
      { type: "finish", reason: "length", choice: 1 },
    ]);
    expect(fault).toBeUndefined();
    expect(said(parts, "text", 0)).toBe("All is well here. ");
    expect(said(parts, "text", 1)).toBe("Nothing is wrong there. ");
  });

  it("is refused for what one of them says, however its words are spread among the others'", async () => {
    const { parts, fault } = await screen(interleaved("All is well ".repeat(8), BOMB));
    expect(fault?.type).toBe("unsafe_output");
    expect("Here is ".startsWith(said(parts, "text", 1))).toBe(true);
  });

  it("is not refused for words that stand side by side only by chance", async () => {
    const { fault } = await screen(interleaved("how make pipe now", "to a bomb then"));
    expect(fault).toBeUndefined();
  });

  it("gives out the rest of a choice with its end, and keeps back that of the others", async () => {
    const { parts } = await screen([
      { type: "text", text: "One", choice: 0 },
      { type: "text", text: "Two", choice: 1 },
      { type: "finish", reason: "stop", choice: 1 },
      { type: "text", text: " more", choice: 0 },
      { type: "finish", reason: "stop", choice: 0 },
    ]);
    expect(parts).toEqual([
      { type: "text", text: "Two", choice: 1 },
      { type: "finish", reason: "stop", choice: 1 },
      { type: "text", text: "One more", choice: 0 },
      { type: "finish", reason: "stop", choice: 0 },
    ]);
  });

  it("reports what was found in any of them, with places in the first one's words alone", async () => {
    const { verdict } = await screen([
      { type: "text", text: "Write to jo@firma.de, please.", choice: 0 },
      { type: "text", text: "Or rather write to bo@firma.de, please.", choice: 1 },
    ]);
    expect(verdict).toMatchObject({ action: "report", spans: [{ start: 9, end: 20 }] });
  });
});

describe("thoughts", () => {
  it("are judged as anything that is given out", async () => {
    const { parts, fault } = await screen([{ type: "thinking", text: `I know. ${BOMB} so on.` }]);
    expect(fault?.type).toBe("unsafe_output");
    expect(parts).toEqual([]);
  });

  it("do not push out words that are held back", async () => {
    const words = BOMB.split(" ").flatMap((word): Part[] => [
      { type: "text", text: `${word} ` },
      { type: "thinking", text: "Hm. " },
    ]);
    const { parts, fault } = await screen(words);
    expect(fault?.type).toBe("unsafe_output");
    expect("Here is ".startsWith(said(parts, "text"))).toBe(true);
  });

  it("come before the words that follow from them, whole", async () => {
    const { parts } = await screen([
      { type: "thinking", text: "Let me " },
      { type: "thinking", text: "see." },
      { type: "text", text: "Yes." },
      { type: "finish", reason: "stop" },
    ]);
    expect(parts).toEqual([
      { type: "thinking", text: "Let me see." },
      { type: "text", text: "Yes." },
      { type: "finish", reason: "stop" },
    ]);
  });

  it("keep their signature with their last piece, and pass on what only the provider can read", async () => {
    const sealed: Part = { type: "thinking", text: "", sealed: "xyz" };
    const { parts } = await screen([
      { type: "thinking", text: "Let me see." },
      { type: "thinking", text: "", signature: "abc" },
      sealed,
      { type: "text", text: "Yes." },
    ]);
    expect(parts).toEqual([
      { type: "thinking", text: "Let me see.", signature: "abc" },
      sealed,
      { type: "text", text: "Yes." },
    ]);
  });
});
