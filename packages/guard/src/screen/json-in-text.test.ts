import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { TextScreen } from "./text-screen.ts";

const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

function utter(pieces: readonly string[]): string {
  const watch = new TextScreen(guard, guard.createStreamDetectors());
  return pieces.map((piece) => runToEnd(watch.read(piece))).join("") + watch.flush();
}

function escaped(character: string): string {
  return character === "/" ? "\\/" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const KEY = `ghp_${"aB3x9Kq7Zm".repeat(4).slice(0, 36)}`;

describe("JSON within plain words", () => {
  it.each([
    [
      String.raw`Sure: {"to": "jo\u0040firma.de", "n": 1} as asked.`,
      `Sure: {"to": "[REDACTED_EMAIL]", "n": 1} as asked.`,
    ],
    [
      `\`\`\`json\n{"mail": "jo.doe@firma.de", "card": 4111111111111111}\n\`\`\`\nDone.`,
      `\`\`\`json\n{"mail": "[REDACTED_EMAIL]", "card": "[REDACTED_CARD]"}\n\`\`\`\nDone.`,
    ],
    [
      String.raw`{"url": "postgres:\/\/bob:hunter2!x@db.firma.de\/x"}`,
      String.raw`{"url": "postgres:\/\/bob:[REDACTED_PASSWORD]\/x"}`,
    ],
    [
      String.raw`["Hi\njo@firma.de\n", "so \"it\" is"]`,
      String.raw`["Hi\n[REDACTED_EMAIL]\n", "so \"it\" is"]`,
    ],
    [String.raw`{"password": "Tr0ub\"4dor&3", "next": 1}`, `{"password": "[REDACTED_PASSWORD]", "next": 1}`],
    [`Pay [4111111111111111] or (4111111111111111).`, `Pay ["[REDACTED_CARD]"] or ([REDACTED_CARD]).`],
    [`It is jo@firma.de [see jo@firma.de].`, `It is [REDACTED_EMAIL] [see [REDACTED_EMAIL]].`],
  ])("stays so without its values, written as they are or not: %s", (text, without) => {
    for (const size of [1, 7, 1_000])
      expect(utter(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])).toBe(without);
  });

  it("stays so in whatever pieces it comes and however its values are written", () => {
    const value = fc.constantFrom(
      "jo.doe@firma.de",
      "4111 1111 1111 1111",
      KEY,
      "so it is",
      'say "x"\n',
      "a/b",
    );
    const leaf = fc.oneof(value, fc.constantFrom(4_111_111_111_111_111, 12, true, null));
    const object = fc
      .array(
        fc.tuple(
          fc.constantFrom("to", "note", "n", "list"),
          fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })),
        ),
        { maxLength: 4 },
      )
      .map((fields) => Object.fromEntries(fields));
    const frame = fc.constantFrom(
      ["Here it is: ", " As asked."],
      ["```json\n", "\n```"],
      ["", ""],
      ['She "said" {so}: ', ""],
    );
    const written = fc.tuple(
      object,
      frame,
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }),
    );
    fc.assert(
      fc.property(
        written,
        fc.integer({ min: 1, max: 23 }),
        ([fields, [before = "", after = ""], escapes], size) => {
          let count = 0;
          const isEscaped = () => escapes[count++ % escapes.length] === 0;
          const json = JSON.stringify(fields).replace(/"(?:[^"\\]|\\.)*"/g, (string) =>
            string.replace(/(?<!\\)[a-z@./]/g, (character) => (isEscaped() ? escaped(character) : character)),
          );
          const text = before + json + after;
          const whole = utter([text]);
          expect(utter(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])).toBe(whole);
          expect(whole.startsWith(before) && whole.endsWith(after)).toBe(true);
          const read = JSON.stringify(JSON.parse(whole.slice(before.length, whole.length - after.length)));
          for (const secret of ["firma", "4111 1111", "4111111111111111", KEY])
            expect(read).not.toContain(secret);
        },
      ),
      { seed: 6, numRuns: 150 },
    );
  });
});
