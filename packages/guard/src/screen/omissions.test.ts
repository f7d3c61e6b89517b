import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { findPrivateData } from "../private-data/private-data.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { OutputRedactions } from "./omissions.ts";
import { redactText } from "./redact-out.ts";
import { TextScreen } from "./text-screen.ts";

const find = (text: string) => findPrivateData(text).filter(({ weight }) => weight >= 0.5);

const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));
const watchOf = () => new TextScreen(guard, guard.createStreamDetectors());

function utter(pieces: readonly string[]) {
  const watch = watchOf();
  const given = pieces.map((piece) => runToEnd(watch.read(piece)));
  return { text: given.join("") + watch.flush(), counts: Object.fromEntries(watch.redactedCounts) };
}

/** As long as a certificate. */
const CHAIN = "MIIDaB3x9Kq7ZmpLwQ5vT2x7Rk".repeat(50);

const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

describe("redactOut", () => {
  it("puts a mark for each value", () => {
    const text = "Write to jo.doe@firma.de or call +44 20 7946 0958.";
    expect(redactText(text, find(text))).toBe("Write to [REDACTED_EMAIL] or call [REDACTED_PHONE].");
    expect(redactText("nothing", [])).toBe("nothing");
  });
});

describe("an answer from which values are taken out", () => {
  const value = fc.constantFrom(
    "jo.doe@firma.de",
    "4111 1111 1111 1111",
    "+44 20 7946 0958",
    `ghp_${"aB3x9Kq7Zm".repeat(4).slice(0, 36)}`,
  );
  const words = fc.constantFrom("and", "The", "12", "so\n", "é😀", "A B", "NASA", "x,");
  const aText = fc.array(fc.oneof(value, words), { maxLength: 14 }).map((pieces) => pieces.join(" and "));

  it("gives the same, in whatever pieces the answer comes", () => {
    fc.assert(
      fc.property(aText, fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(utter(cut(text, size)).text).toBe(redactText(text, find(text)));
      }),
      { numRuns: 300 },
    );
  });

  it("counts what it took out", () => {
    expect(utter(cut("to jo.doe@firma.de and x.y@firma.de", 3)).counts).toEqual({ email: 2 });
  });

  it("holds back no more than a line, and a little more of a word that goes on and on", () => {
    const heldOf = (text: string) => {
      let held = 0;
      let most = 0;
      const watch = watchOf();
      for (const piece of cut(text, 4)) {
        held += piece.length - runToEnd(watch.read(piece)).length;
        most = Math.max(most, held);
      }
      return most;
    };
    expect(heldOf(`The fox. ${"word ".repeat(60)} end. `)).toBeLessThanOrEqual(64);
    expect(heldOf(`The fox. ${"abc".repeat(200)} end. `)).toBeLessThanOrEqual(128 + 16);
    expect(heldOf(`The fox. eyJ${"abc".repeat(400)} end. `)).toBeLessThanOrEqual(448 + 16);
    expect(heldOf("每个人都可以读它。".repeat(60))).toBeLessThanOrEqual(64);
  });

  it.each([
    ["alg", { alg: "RS256", x5c: [CHAIN] }],
    ["x5c", { x5c: [CHAIN], alg: "RS256" }],
  ])(
    "lets nothing go of a token whose first part is longer than what is held, and begins with %s",
    (_first, header) => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const token = `${part(header)}.${part({ sub: "u1", role: "admin" })}.${CHAIN.slice(0, 43)}`;
      for (const size of [1, 16, 64, 5_000])
        expect(utter(cut(`It is ${token} now.`, size)).text).toBe("It is [REDACTED_JWT] now.");
    },
  );

  it("is given back bit by bit, however much of it comes at once, also behind a stop", () => {
    const words = '{"to": "jo@firma.de", "n": 1}, '.repeat(2_000);
    const leaveOut = vi.spyOn(OutputRedactions.prototype, "leaveOut");
    const watch = watchOf();
    const before = runToEnd(watch.read("So "));
    watch.addPausePoint();
    const given = before + runToEnd(watch.read(words)) + runToEnd(watch.resume()) + watch.flush();
    const longest = Math.max(...leaveOut.mock.calls.map(([text]) => text.length));
    leaveOut.mockRestore();
    expect(given).toBe(`So ${words.replaceAll("jo@firma.de", "[REDACTED_EMAIL]")}`);
    expect(longest).toBeLessThanOrEqual(8192);
  });

  it("never lets go of the end of a value that is longer than what is held", () => {
    const body = Array.from({ length: 30 }, (_, line) =>
      `${line}aB3x9Kq7Zm${line}pLwQ5vT2`.padEnd(64, "x7Rk"),
    ).join("\n");
    const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
    for (const size of [1, 5, 16, 64, 500]) {
      const { text, counts } = utter(cut(`Here: ${key}\nDone.`, size));
      expect(text).toMatch(/\[REDACTED_PRIVATE_KEY\]\s*Done\.$/);
      expect(text).not.toContain("aB3x9Kq7Zm");
      expect(counts).toEqual({ private_key: 1 });
    }
  });
});
