import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPrivateData } from "./private-data.ts";
import { redactOut } from "./redact-out.ts";
import { UtteranceRedactor } from "./utterance-redactor.ts";

const find = (text: string) => findPrivateData(text).filter(({ weight }) => weight >= 0.5);

function utter(pieces: readonly string[]) {
  const kinds: string[] = [];
  const redactor = new UtteranceRedactor(find, (kind) => kinds.push(kind));
  const given = pieces.map((piece) => redactor.read(piece));
  return { text: given.join("") + redactor.flush(), kinds, given };
}

const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

describe("redactOut", () => {
  it("puts a mark for each value", () => {
    const text = "Write to jo.doe@firma.de or call +44 20 7946 0958.";
    expect(redactOut(text, find(text))).toBe("Write to [REDACTED_EMAIL] or call [REDACTED_PHONE].");
    expect(redactOut("nothing", [])).toBe("nothing");
  });
});

describe("UtteranceRedactor", () => {
  const value = fc.constantFrom(
    "jo.doe@firma.de",
    "4111 1111 1111 1111",
    "+44 20 7946 0958",
    `ghp_${"aB3x9Kq7Zm".repeat(4).slice(0, 36)}`,
  );
  const words = fc.constantFrom("and", "The", "12", "so\n", "é😀", "A B", "NASA", "x,");
  const aText = fc.array(fc.oneof(value, words), { maxLength: 14 }).map((pieces) => pieces.join(" "));

  it("gives the same, in whatever pieces the answer comes", () => {
    fc.assert(
      fc.property(aText, fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(utter(cut(text, size)).text).toBe(redactOut(text, find(text)));
      }),
      { numRuns: 300 },
    );
  });

  it("counts what it took out", () => {
    expect(utter(cut("to jo.doe@firma.de and x.y@firma.de", 3)).kinds).toEqual(["email", "email"]);
  });

  it("lets go of plain words at once, and holds back no more than a line", () => {
    let held = 0;
    const redactor = new UtteranceRedactor(find, () => {});
    for (const piece of cut(`The fox. ${"4111 ".repeat(60)}${"abc".repeat(60)} end. `, 4)) {
      held += piece.length - redactor.read(piece).length;
      expect(held).toBeLessThanOrEqual(68);
    }
    expect(new UtteranceRedactor(find, () => {}).read("Plain words ")).toBe("Plain words ");
  });

  it("never lets go of the end of a value that is longer than what is held", () => {
    const body = Array.from({ length: 30 }, (_, line) =>
      `${line}aB3x9Kq7Zm${line}pLwQ5vT2`.padEnd(64, "x7Rk"),
    ).join("\n");
    const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
    for (const size of [1, 5, 16, 64, 500]) {
      const { text, kinds } = utter(cut(`Here: ${key}\nDone.`, size));
      expect(text).toMatch(/\[REDACTED_PRIVATE_KEY\]\s*Done\.$/);
      expect(text).not.toContain("aB3x9Kq7Zm");
      expect(kinds).toEqual(["private_key"]);
    }
  });

  it("looks at every character a bounded number of times", () => {
    let read = 0;
    const counting = new UtteranceRedactor(
      (text) => {
        read += text.length;
        return find(text);
      },
      () => {},
    );
    for (const piece of cut("All is well. ".repeat(2_000), 13)) counting.read(piece);
    expect(read / 26_000).toBeLessThan(24);
  });
});
