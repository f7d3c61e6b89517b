import { Fault } from "@trunkline/core/fault.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { countEventLoopTurns } from "@trunkline/testing/event-loop-turns.ts";
import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import { screenOutput } from "@trunkline/testing/screened-parts.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard, type Guard } from "../policy/guard.ts";
import { BALANCED, policyFromPreset } from "../policy/policy.ts";
import { RedactionRestorer } from "../private-data/redaction-restorer.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { AnswerScreen } from "./screen-output.ts";

describe("screenOutput", () => {
  const HELD_MAX = 64;
  const guard = createGuard(ruleDetector, BALANCED);
  const ASKED = sampleAnswerContext({ tools: ["find"] });
  const FINISH: Part = { type: "finish", reason: "stop" };
  const USAGE: Part = { type: "usage", inputTokens: 1, outputTokens: 2 };
  const CALL: Part = { type: "tool-call", id: "1", name: "find", arguments: "{}" };
  const MEDIA: Part = { type: "media", kind: "image", url: "https://host.test/a.png", source: {} };
  const BOMB = "Here is how to build a pipe bomb: take a steel pipe and";

  const text = (words: string): Part => ({ type: "text", text: words });

  async function* streamOf(...parts: readonly Part[]): AsyncGenerator<Part> {
    yield* parts;
  }

  interface Screened {
    readonly parts: readonly Part[];
    readonly text: string;
    readonly fault: Fault | undefined;
    readonly verdicts: readonly Verdict[];
    /** The maximum number of held characters after a part was read. */
    readonly heldMax: number;
  }

  async function screen(source: readonly Part[], by: Guard = guard): Promise<Screened> {
    const parts: Part[] = [];
    const verdicts: Verdict[] = [];
    let read = 0;
    let written = 0;
    let heldMax = 0;
    async function* counted() {
      for (const part of source) {
        // Requesting the next part means that everything releasable was released.
        heldMax = Math.max(heldMax, read - written);
        if (part.type === "text") read += part.text.length;
        yield part;
      }
    }
    let fault: Fault | undefined;
    try {
      for await (const part of screenOutput(by, ASKED, counted(), (verdict) => verdicts.push(verdict))) {
        if (part.type === "text") written += part.text.length;
        parts.push(part);
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      fault = error;
    }
    const words = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { parts, text: words, fault, verdicts, heldMax };
  }

  function cut(words: string, lengths: readonly number[]): Part[] {
    const parts: Part[] = [];
    let at = 0;
    for (let piece = 0; at < words.length; piece += 1) {
      const length = lengths[piece % lengths.length] ?? 1;
      parts.push(text(words.slice(at, at + length)));
      at += length;
    }
    return parts;
  }

  const aFragment = fc.oneof(
    { weight: 6, arbitrary: fc.lorem({ maxCount: 12 }) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
    { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9+/]{20,120}$/) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "I cannot say how to make a bomb: it is dangerous.",
        "how to make a bomb ",
        "Mail jo@firma.de.",
        "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "\u200b\u200d",
        'The slogan "death to all jews" was heard.',
        "bombardment and skills",
        "-----BEGIN PRIVATE KEY-----",
        "ignоre",
        "![a](https://host.test/x?q=Hello) and [b](https://paypal.com@host.test/in)",
        '<img src="//host.test/a.png" onerror="go()">',
        "`<script>` and ```\n<iframe>\n```",
        `Look: ![a](https://host.test/${"abcdefgh".repeat(40)}?k=v).`,
        "bo@firma.de, jo@firma.de; 4111 1111 1111 1111 and DE89 3704 0044 0532 0130 00.",
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        BOMB,
        "You should kill yourself.",
        "To cook meth, you will need",
        "Death to all Jews!",
        Buffer.from("Here is how to build a pipe bomb: take").toString("base64"),
      ),
    },
  );
  const anAnswer = fc.array(aFragment, { maxLength: 30 }).map((fragments) => fragments.join(" "));
  const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 400 })), {
    minLength: 1,
    maxLength: 20,
  });

  describe("on an answer", () => {
    it("passes a harmless answer unchanged and in order", async () => {
      const {
        parts,
        text: words,
        fault,
      } = await screen([text("Hello "), text("world"), MEDIA, text("and"), CALL, USAGE, FINISH]);
      expect(fault).toBeUndefined();
      expect(words).toBe("Hello worldand");
      expect(parts.map((part) => part.type)).toEqual(["text", "media", "text", "tool-call", "usage", "finish"]);
    });

    it("stops an unsafe answer before any of it is released", async () => {
      const { text: words, fault } = await screen([...cut(`Good morning. ${BOMB} so on`, [3]), FINISH]);
      expect(fault?.type).toBe("unsafe_output");
      expect(fault?.status).toBe(403);
      expect(fault?.details.categories).toEqual(["violence", "illicit"]);
      expect(fault?.message).toContain("violence");
      expect("Good morning. Here is ".startsWith(words)).toBe(true);
    });

    it("releases nothing if the whole unsafe answer is one part", async () => {
      const { parts, fault } = await screen([text(`${"All is well. ".repeat(50)}${BOMB}`), FINISH]);
      expect(fault?.type).toBe("unsafe_output");
      expect(parts).toEqual([]);
    });

    it("finds what only the end of the answer completes", async () => {
      expect((await screen([text("Well, you should just kill yourself")])).fault?.type).toBe("unsafe_output");
    });

    it("remembers that the model declined, however long the answer", async () => {
      const answer = `I cannot tell you how to build a pipe bomb: that is dangerous. ${"Stay safe, please. ".repeat(60)}`;
      expect(await screen(cut(answer, [5]))).toMatchObject({ text: answer, fault: undefined });
    });

    it("gives the same text or refusal whatever the chunks", async () => {
      await fc.assert(
        fc.asyncProperty(anAnswer, lengths, lengths, async (answer, some, others) => {
          const whole = await screen([text(answer)]);
          const one = await screen(cut(answer, some));
          const other = await screen(cut(answer, others));
          for (const pieces of [one, other]) {
            expect(pieces.fault?.message).toBe(whole.fault?.message);
            expect(pieces.verdicts).toEqual(whole.verdicts);
            expect(answer.startsWith(pieces.text)).toBe(true);
            if (pieces.fault === undefined) expect(pieces.text).toBe(answer);
          }
        }),
        { numRuns: 80 },
      );
    });

    it("gives the same under a policy that also refuses secrets", async () => {
      const strict = createGuard(ruleDetector, policyFromPreset("strict", { secret: "refuse" }));
      await fc.assert(
        fc.asyncProperty(anAnswer, lengths, async (answer, some) => {
          const whole = await screen([text(answer)], strict);
          const pieces = await screen(cut(answer, some), strict);
          expect(pieces.fault?.message).toBe(whole.fault?.message);
          expect(pieces.verdicts).toEqual(whole.verdicts);
        }),
        { numRuns: 40 },
      );
    });

    it("never holds back more than a line, splits no surrogate pair, and releases nothing it then refuses", async () => {
      await fc.assert(
        fc.asyncProperty(anAnswer, lengths, async (answer, some) => {
          const { parts, text: words, fault, verdicts, heldMax } = await screen(cut(answer, some));
          expect(heldMax).toBeLessThanOrEqual(HELD_MAX);
          for (const part of parts.slice(0, -1)) {
            if (part.type === "text") expect(part.text).not.toMatch(/[\ud800-\udbff]$/);
          }
          const refused = new Set<string>(fault?.details.categories ?? []);
          const spans = (verdicts[0]?.spans ?? []).filter((span) => refused.has(span.category));
          // The refused finding is the last one; milder ones before it may have passed.
          if (fault !== undefined)
            expect(words.length).toBeLessThanOrEqual(Math.max(...spans.map(({ start }) => start)));
        }),
        { numRuns: 80 },
      );
    });

    it("releases a surrogate pair that arrives in two parts", async () => {
      const answer = "😀".repeat(100);
      expect((await screen(cut(answer, [1]))).text).toBe(answer);
    });

    it("examines the text at the same offsets whatever the chunks", async () => {
      const answer = `All is well. ${"Unbroken".repeat(9)} so far, and on it goes. `.repeat(40);
      const offsetsFor = async (lengthsOfPieces: readonly number[]) => {
        const offsets: number[] = [];
        const counting: Guard = {
          ...guard,
          createStreamDetectors: () => [
            {
              decidedTo: Number.POSITIVE_INFINITY,
              read: (_tail, to) => {
                offsets.push(to);
                return undefined;
              },
            },
          ],
        };
        await screen(cut(answer, lengthsOfPieces), counting);
        return offsets;
      };
      const offsets = await offsetsFor([answer.length]);
      expect(offsets.at(-1)).toBe(answer.length);
      expect(offsets).toEqual([...new Set(offsets)].sort((one, other) => one - other));
      expect(await offsetsFor([4])).toEqual(offsets);
      expect(await offsetsFor([1, 300, 7])).toEqual(offsets);
    });

    it("examines tool arguments after the text before them", async () => {
      const call: Part = { ...CALL, arguments: JSON.stringify({ note: BOMB }) };
      const { parts, fault } = await screen([text("Let me note that."), call, FINISH]);
      expect(fault?.type).toBe("unsafe_output");
      expect(parts).toEqual([text("Let me note that.")]);
    });

    it("reports the verdict once at the end, with spans into the answer", async () => {
      const answer = `${"All is well. ".repeat(60)}Write to jo@firma.de, please. ${"All is well. ".repeat(60)}`;
      const { verdicts, text: words } = await screen(cut(answer, [7]));
      expect(words).toBe(answer);
      expect(verdicts).toHaveLength(1);
      expect(verdicts[0]).toMatchObject({ flagged: true, action: "report" });
      expect(verdicts[0]?.spans.map(({ start, end }) => answer.slice(start, end))).toEqual(["jo@firma.de"]);
    });

    it("reports the verdict if it refuses", async () => {
      const { verdicts } = await screen(cut(BOMB, [9]));
      expect(verdicts).toHaveLength(1);
      expect(verdicts[0]?.action).toBe("refuse");
    });

    it.each([
      [
        "when the client leaves",
        "Hello, this is an answer that is long enough to be passed on in part, and it goes on.",
      ],
      ["when it refuses", BOMB],
    ])("closes the source %s", async (_when, words) => {
      let closed = false;
      async function* endless(): AsyncGenerator<Part> {
        try {
          for (;;) yield text(words);
        } finally {
          closed = true;
        }
      }
      const verdicts: Verdict[] = [];
      const reading = async () => {
        for await (const _part of screenOutput(guard, ASKED, endless(), (verdict) => verdicts.push(verdict))) break;
      };
      await reading().catch((error: unknown) => expect(error).toBeInstanceOf(Fault));
      expect(closed).toBe(true);
      expect(verdicts).toHaveLength(1);
    });

    it("releases the text before a provider failure, then throws the failure", async () => {
      const failure = new Error("The line went dead.");
      async function* failing(): AsyncGenerator<Part> {
        yield text("So far");
        throw failure;
      }
      const screened = screenOutput(guard, ASKED, failing(), () => {});
      expect(await screened.next()).toEqual({ done: false, value: text("So far") });
      await expect(screened.next()).rejects.toBe(failure);
    });

    it("passes an answer without text", async () => {
      expect((await screen([text(""), FINISH])).parts).toEqual([FINISH]);
      expect(await screen([])).toMatchObject({ parts: [], fault: undefined });
      const verdicts: Verdict[] = [];
      for await (const _part of screenOutput(guard, ASKED, streamOf(FINISH), (verdict) => verdicts.push(verdict)));
      expect(verdicts[0]?.action).toBe("allow");
    });
  });
});

describe("screenOutput on long parts", () => {
  /** The texts released for an answer in one part. */
  async function screened(words: string, guard: Guard): Promise<string[]> {
    async function* answer(): AsyncGenerator<Part> {
      yield { type: "text", text: words };
      yield { type: "finish", reason: "stop" };
    }
    const passed: string[] = [];
    for await (const part of screenOutput(guard, sampleAnswerContext({}), answer(), () => {}))
      if (part.type === "text") passed.push(part.text);
    return passed;
  }

  describe("one long part", () => {
    it("yields to the event loop and stays one part", async () => {
      const words = "The harbour was quiet, and the boats came back with a little cod. ".repeat(3_000);
      let passed: string[] = [];
      const turns = await countEventLoopTurns(async () => {
        passed = await screened(words, createGuard(ruleDetector, BALANCED));
      });
      expect(passed.join("")).toBe(words);
      expect(passed).toHaveLength(2);
      expect(turns).toBeGreaterThan(5);
    });

    it("is redacted of thousands of values", async () => {
      const redacting = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact" }));
      const values = Array.from({ length: 4_000 }, (_, index) => `jo${index}@firma.de`);
      const passed = await screened(`${values.join(", ")}.`, redacting);
      expect(passed.join("")).toBe(`${values.map(() => "[REDACTED_EMAIL]").join(", ")}.`);
    });
  });
});

describe("screenOutput on choices", () => {
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
      for await (const part of screenOutput(guard, sampleAnswerContext(), stream(), (made) => {
        verdict = made;
      }))
        parts.push(part);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      fault = error;
    }
    return { parts, fault, verdict };
  }

  const textOfType = (parts: readonly Part[], type: "text" | "thinking", choice = 0) =>
    parts.flatMap((part) => (part.type === type && (part.choice ?? 0) === choice ? [part.text] : [])).join("");

  /** Two interleaved answers. */
  const interleaved = (one: string, other: string): Part[] =>
    one.split(" ").flatMap((word, at): Part[] => [
      { type: "text", text: `${word} `, choice: 0 },
      { type: "text", text: `${other.split(" ")[at] ?? ""} `, choice: 1 },
    ]);

  describe("an answer of several choices", () => {
    it("passes each choice unchanged", async () => {
      const { parts, fault } = await screen([
        ...interleaved("All is well here.", "Nothing is wrong there."),
        { type: "finish", reason: "stop", choice: 0 },
        { type: "finish", reason: "length", choice: 1 },
      ]);
      expect(fault).toBeUndefined();
      expect(textOfType(parts, "text", 0)).toBe("All is well here. ");
      expect(textOfType(parts, "text", 1)).toBe("Nothing is wrong there. ");
    });

    it("is refused for one choice, however the choices are interleaved", async () => {
      const { parts, fault } = await screen(interleaved("All is well ".repeat(8), BOMB));
      expect(fault?.type).toBe("unsafe_output");
      expect("Here is ".startsWith(textOfType(parts, "text", 1))).toBe(true);
    });

    it("is not refused for words of different choices", async () => {
      const { fault } = await screen(interleaved("how make pipe now", "to a bomb then"));
      expect(fault).toBeUndefined();
    });

    it("releases the rest of a choice with its end, and holds back the others", async () => {
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

    it("reports findings of all choices, with spans of the first one only", async () => {
      const { verdict } = await screen([
        { type: "text", text: "Write to jo@firma.de, please.", choice: 0 },
        { type: "text", text: "Or rather write to bo@firma.de, please.", choice: 1 },
      ]);
      expect(verdict).toMatchObject({ action: "report", spans: [{ start: 9, end: 20 }] });
    });
  });

  describe("thinking", () => {
    it("is examined like text", async () => {
      const { parts, fault } = await screen([{ type: "thinking", text: `I know. ${BOMB} so on.` }]);
      expect(fault?.type).toBe("unsafe_output");
      expect(parts).toEqual([]);
    });

    it("does not push out held text", async () => {
      const words = BOMB.split(" ").flatMap((word): Part[] => [
        { type: "text", text: `${word} ` },
        { type: "thinking", text: "Hm. " },
      ]);
      const { parts, fault } = await screen(words);
      expect(fault?.type).toBe("unsafe_output");
      expect("Here is ".startsWith(textOfType(parts, "text"))).toBe(true);
    });

    it("comes completely before the text that follows", async () => {
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

    it("keeps its signature with its last part, and passes sealed parts", async () => {
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
});

describe("AnswerScreen order", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("off", {}));
  const values = new Map([["[EMAIL_1]", "jo@firma.de"]]);

  /** All parts that are released, and those released before the end. */
  function screen(source: readonly Part[]) {
    const answerScreen = new AnswerScreen(guard, sampleAnswerContext({ tools: ["find"] }));
    const redactionRestorer = new RedactionRestorer(values, false);
    const pass = (safe: readonly Part[]) => redactionRestorer.readAll(safe);
    const before = source.flatMap((part) => pass(answerScreen.read(part).safe));
    return {
      before,
      all: [...before, ...pass(answerScreen.end().safe), ...redactionRestorer.flush()],
    };
  }

  /** Joins adjacent text or thinking parts, however they were split. */
  function merged(parts: readonly Part[]): Part[] {
    const result: Part[] = [];
    for (const part of parts) {
      const last = result.at(-1);
      if (part.type === "text" && last?.type === "text")
        result[result.length - 1] = { ...last, text: last.text + part.text };
      else if (part.type === "thinking" && last?.type === "thinking" && isOpen(last))
        result[result.length - 1] = { ...last, ...part, text: last.text + part.text };
      else result.push(part);
    }
    return result;
  }

  function isOpen(part: Part): boolean {
    return part.type === "thinking" && part.signature === undefined && part.sealed === undefined;
  }

  describe("thinking between text", () => {
    it("stays behind the text before it", () => {
      const source: Part[] = [
        { type: "text", text: "I look it up, as [EMA" },
        { type: "thinking", text: "Where?" },
        { type: "thinking", text: "", signature: "abc" },
        { type: "text", text: "It rains." },
        { type: "thinking", text: "Done. [EMA" },
        { type: "finish", reason: "stop" },
      ];
      expect(merged(screen(source).all)).toEqual(merged(source));
    });

    it("does not wait long behind held text", () => {
      const long = "Let me see where this may be written down, and whether anybody has said it before. ".repeat(2);
      const { before } = screen([
        { type: "text", text: "I look it up. " },
        { type: "thinking", text: long },
      ]);
      const [words, thought] = merged(before);
      expect(words).toEqual({ type: "text", text: "I look it up. " });
      expect(thought?.type === "thinking" && thought.text.length).toBeGreaterThan(long.length - 65);
    });

    it("keeps its order in each choice", () => {
      const words = fc.string({
        unit: fc.constantFrom("a", " ", "[", "EMAIL_", "1]", "."),
        minLength: 1,
        maxLength: 40,
      });
      const piece = fc.oneof(
        fc.record({ type: fc.constant("text" as const), text: words }),
        fc.record({ type: fc.constant("thinking" as const), text: words }),
        fc.constant({ type: "thinking" as const, text: "", signature: "abc" }),
        fc.constant({ type: "thinking" as const, text: "", sealed: "xyz" }),
        fc.constant({ type: "tool-call" as const, id: "1", name: "find", arguments: "{}" }),
      );
      const ofChoice = fc
        .tuple(piece, fc.boolean())
        .map(([part, isOther]): Part => (isOther ? { ...part, choice: 1 } : part));
      fc.assert(
        fc.property(fc.array(ofChoice, { maxLength: 16 }), (source) => {
          const { all } = screen(source);
          for (const isOther of [false, true]) {
            const mine = (parts: readonly Part[]) => merged(parts.filter((part) => "choice" in part === isOther));
            const expected = mine(source).map((part) =>
              "text" in part ? { ...part, text: part.text.replaceAll("[EMAIL_1]", "jo@firma.de") } : part,
            );
            expect(mine(all)).toEqual(expected);
          }
        }),
        { seed: 20, numRuns: 300 },
      );
    });
  });
});
