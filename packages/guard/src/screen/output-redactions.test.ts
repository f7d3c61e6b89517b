import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { OutputRedactions, redactText, redactToolArguments, searchToolArguments } from "./output-redactions.ts";
import { TextScreen } from "./text-screen.ts";

describe("TextScreen on JSON", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

  function release(pieces: readonly string[]): string {
    const textScreen = new TextScreen(guard, guard.createStreamDetectors());
    return pieces.map((piece) => textScreen.read(piece)).join("") + textScreen.flush();
  }

  function escaped(character: string): string {
    return character === "/" ? "\\/" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }

  const KEY = `ghp_${"aB3x9Kq7Zm".repeat(4).slice(0, 36)}`;

  describe("JSON within plain text", () => {
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
      [String.raw`["Hi\njo@firma.de\n", "so \"it\" is"]`, String.raw`["Hi\n[REDACTED_EMAIL]\n", "so \"it\" is"]`],
      [String.raw`{"password": "Tr0ub\"4dor&3", "next": 1}`, `{"password": "[REDACTED_PASSWORD]", "next": 1}`],
      [`Pay [4111111111111111] or (4111111111111111).`, `Pay ["[REDACTED_CARD]"] or ([REDACTED_CARD]).`],
      [`It is jo@firma.de [see jo@firma.de].`, `It is [REDACTED_EMAIL] [see [REDACTED_EMAIL]].`],
    ])("stays valid without its values, escaped or not: %s", (text, without) => {
      for (const size of [1, 7, 1_000])
        expect(release(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])).toBe(without);
    });

    it("stays valid whatever the chunks and escapes", () => {
      const value = fc.constantFrom("jo.doe@firma.de", "4111 1111 1111 1111", KEY, "so it is", 'say "x"\n', "a/b");
      const leaf = fc.oneof(value, fc.constantFrom(4_111_111_111_111_111, 12, true, null));
      const object = fc
        .array(fc.tuple(fc.constantFrom("to", "note", "n", "list"), fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }))), {
          maxLength: 4,
        })
        .map((fields) => Object.fromEntries(fields));
      const frame = fc.constantFrom(
        ["Here it is: ", " As asked."],
        ["```json\n", "\n```"],
        ["", ""],
        ['She "said" {so}: ', ""],
      );
      const written = fc.tuple(object, frame, fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }));
      fc.assert(
        fc.property(written, fc.integer({ min: 1, max: 23 }), ([fields, [before = "", after = ""], escapes], size) => {
          let count = 0;
          const isEscaped = () => escapes[count++ % escapes.length] === 0;
          const json = JSON.stringify(fields).replace(/"(?:[^"\\]|\\.)*"/g, (string) =>
            string.replace(/(?<!\\)[a-z@./]/g, (character) => (isEscaped() ? escaped(character) : character)),
          );
          const text = before + json + after;
          const whole = release([text]);
          expect(release(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])).toBe(whole);
          expect(whole.startsWith(before) && whole.endsWith(after)).toBe(true);
          const read = JSON.stringify(JSON.parse(whole.slice(before.length, whole.length - after.length)));
          for (const secret of ["firma", "4111 1111", "4111111111111111", KEY]) expect(read).not.toContain(secret);
        }),
        { seed: 6, numRuns: 50 },
      );
    });
  });
});

describe("OutputRedactions", () => {
  const find = (text: string) => findPrivateData(text).filter(({ weight }) => weight >= 0.5);

  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));
  const newTextScreen = () => new TextScreen(guard, guard.createStreamDetectors());

  function release(pieces: readonly string[]) {
    const textScreen = newTextScreen();
    const released = pieces.map((piece) => textScreen.read(piece));
    return { text: released.join("") + textScreen.flush(), counts: Object.fromEntries(textScreen.redactedCounts) };
  }

  /** As long as a certificate. */
  const CHAIN = "MIIDaB3x9Kq7ZmpLwQ5vT2x7Rk".repeat(50);

  const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

  describe("redactText", () => {
    it("replaces each value by a marker", () => {
      const text = "Write to jo.doe@firma.de or call +44 20 7946 0958.";
      expect(redactText(text, find(text))).toBe("Write to [REDACTED_EMAIL] or call [REDACTED_PHONE].");
      expect(redactText("nothing", [])).toBe("nothing");
    });
  });

  describe("a redacted answer", () => {
    const value = fc.constantFrom(
      "jo.doe@firma.de",
      "4111 1111 1111 1111",
      "+44 20 7946 0958",
      `ghp_${"aB3x9Kq7Zm".repeat(4).slice(0, 36)}`,
    );
    const words = fc.constantFrom("and", "The", "12", "so\n", "é😀", "A B", "NASA", "x,");
    const aText = fc.array(fc.oneof(value, words), { maxLength: 14 }).map((pieces) => pieces.join(" and "));

    it("is the same whatever the chunks", () => {
      fc.assert(
        fc.property(aText, fc.integer({ min: 1, max: 9 }), (text, size) => {
          expect(release(cut(text, size)).text).toBe(redactText(text, find(text)));
        }),
        { numRuns: 100 },
      );
    });

    it("counts the redacted values", () => {
      expect(release(cut("to jo.doe@firma.de and x.y@firma.de", 3)).counts).toEqual({ email: 2 });
    });

    it("holds back at most a line, and a little more of a long word", () => {
      const heldOf = (text: string) => {
        let held = 0;
        let most = 0;
        const textScreen = newTextScreen();
        for (const piece of cut(text, 4)) {
          held += piece.length - textScreen.read(piece).length;
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
      "releases nothing of a token whose first part is longer than the held text and begins with %s",
      (_first, header) => {
        const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
        const token = `${part(header)}.${part({ sub: "u1", role: "admin" })}.${CHAIN.slice(0, 43)}`;
        for (const size of [1, 16, 64, 5_000])
          expect(release(cut(`It is ${token} now.`, size)).text).toBe("It is [REDACTED_JWT] now.");
      },
    );

    it("is released in slices, however much arrives at once, also after a pause point", () => {
      const words = '{"to": "jo@firma.de", "n": 1}, '.repeat(2_000);
      const leaveOut = vi.spyOn(OutputRedactions.prototype, "leaveOut");
      const textScreen = newTextScreen();
      const before = textScreen.read("So ");
      textScreen.addPausePoint();
      const released = before + textScreen.read(words) + textScreen.resume() + textScreen.flush();
      const longest = Math.max(...leaveOut.mock.calls.map(([text]) => text.length));
      leaveOut.mockRestore();
      expect(released).toBe(`So ${words.replaceAll("jo@firma.de", "[REDACTED_EMAIL]")}`);
      expect(longest).toBeLessThanOrEqual(8192);
    });

    it("never releases the end of a value longer than the held text", () => {
      const body = Array.from({ length: 30 }, (_, line) => `${line}aB3x9Kq7Zm${line}pLwQ5vT2`.padEnd(64, "x7Rk")).join(
        "\n",
      );
      const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
      for (const size of [1, 5, 16, 64, 500]) {
        const { text, counts } = release(cut(`Here: ${key}\nDone.`, size));
        expect(text).toMatch(/\[REDACTED_PRIVATE_KEY\]\s*Done\.$/);
        expect(text).not.toContain("aB3x9Kq7Zm");
        expect(counts).toEqual({ private_key: 1 });
      }
    });
  });
});

describe("redaction across chunks", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

  function release(pieces: readonly string[]) {
    const textScreen = new TextScreen(guard, guard.createStreamDetectors());
    const released = pieces.map((piece) => textScreen.read(piece));
    return { text: released.join("") + textScreen.flush(), counts: Object.fromEntries(textScreen.redactedCounts) };
  }

  const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const someOf = (length: number, alphabet = `${LETTERS}0123456789`) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
  const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  /** Generated at run time, so that no secret scanner reports this file. Some are long, and some have no digits. */
  const value = fc.oneof(
    fc.constantFrom(
      "jo.doe@firma.de",
      "a@b.de",
      "4111 1111 1111 1111",
      "💳4012888888881881",
      "+44 20 7946 0958",
      "GB82 WEST 1234 5698 7654 32",
      "jo (at) firma (dot) com",
      "jo at firma dot com",
      "SSN 536-90-4399",
      "date of birth: 12 March 1980",
      "passport number 512345678",
      "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
      "[EMAIL_1]",
      "[REDACTED_EMAIL]",
    ),
    someOf(60, "abcdefgh").map((name) => `${name}@mail.firma.co.uk`),
    someOf(36).map((body) => `ghp_${body}`),
    someOf(34, LETTERS).map((body) => `hf_${body}`),
    someOf(16, CAPITALS).map((body) => `AKIA${body}`),
    someOf(64).map((body) => `sk-proj-${body}`),
    fc.tuple(someOf(22), someOf(59)).map((parts) => `github_pat_${parts.join("_")}`),
    fc.tuple(someOf(22), someOf(43)).map((parts) => `SG.${parts.join(".")}`),
    someOf(9).map((word) => `password: ${word}!`),
    someOf(9).map((word) => `my password is ${word}$`),
    someOf(9).map((word) => `postgres://bob:${word}!@db.firma.de/x`),
    someOf(60).map((body) => `Authorization: Bearer ${body}`),
    someOf(30).map((body) => `api_key = "${body}"`),
    fc.tuple(someOf(300), someOf(43)).map((parts) => `eyJhbGciOiJIUzI1NiJ9.eyJ${parts.join(".")}`),
    fc
      .tuple(someOf(64), someOf(64), someOf(20))
      .map((lines) => `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}==\n-----END PRIVATE KEY-----`),
  );
  const filler = fc.constantFrom(
    ...["and", "The", "12", "so\n", "é😀", "NASA", "x,", "4111", "@", ":", '"', "-", "key is", "phone"],
    ..."word |lorem ipsum dolor sit amet |abc".split("|").map((words) => words.repeat(12)),
  );
  const answer = fc
    .tuple(
      fc.array(fc.oneof({ weight: 3, arbitrary: value }, { weight: 2, arbitrary: filler }), { maxLength: 8 }),
      fc.constantFrom(" ", ", ", "\n", " and ", ""),
    )
    // Without a space before it, the local part of a spoken address may be anything.
    .filter(([parts, between]) => between !== "" || !parts.some((part) => / at |\(at\)/.test(part)))
    .map(([parts, between]) => parts.join(between));

  it("gives the same redacted answer whatever the chunks", () => {
    let redactedKinds = 0;
    fc.assert(
      fc.property(answer, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 9 }), (text, sizes) => {
        const pieces: string[] = [];
        for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1)
          pieces.push(text.slice(at, at + (sizes[pieces.length % sizes.length] ?? 1)));
        const whole = release([text]);
        expect(release(pieces)).toEqual(whole);
        expect(release([...text])).toEqual(whole);
        redactedKinds += Object.keys(whole.counts).length;
      }),
      { seed: 4, numRuns: 200 },
    );
    expect(redactedKinds).toBeGreaterThan(250);
  });
});

describe("redactToolArguments", () => {
  const { findValuesToRedact: findValues } = createGuard(
    ruleDetector,
    policyFromPreset("balanced", { secret: "redact", pii: "redact" }),
  );
  const redacted = (json: string, own?: string, find = findValues) => {
    const search = searchToolArguments(json, find);
    while (search.next());
    return redactToolArguments(search, (value) => value === own);
  };

  describe("values in JSON", () => {
    it.each([
      ["behind an escape", String.raw`{"body":"Hi\njo@firma.de"}`, String.raw`{"body":"Hi\n[REDACTED_EMAIL]"}`],
      ["before one", String.raw`["jo@firma.de\n\"so\""]`, String.raw`["[REDACTED_EMAIL]\n\"so\""]`],
      ["in escapes", String.raw`["\u006ao\u0040firma.de\u000a"]`, String.raw`["[REDACTED_EMAIL]\n"]`],
      ["as a number", '{"card":4111111111111111, "n": 1e2}', '{"card":"[REDACTED_CARD]", "n": 1e2}'],
      ["as a name", '{"jo@firma.de": 12345678901234567890}', '{"[REDACTED_EMAIL]": 12345678901234567890}'],
      ["twice", '"jo@firma.de, bo@firma.de"', '"[REDACTED_EMAIL], [REDACTED_EMAIL]"'],
    ])("are redacted %s, and the JSON stays valid", (_where, json, without) => {
      expect(redacted(json).text).toBe(without);
      expect(() => JSON.parse(without)).not.toThrow();
    });

    it("stay if they are the caller's own, also after an escape", () => {
      const json = String.raw`{"body":"Hi\njo@firma.de"}`;
      expect(redacted(json, "jo@firma.de")).toEqual({ text: json, kinds: [] });
    });

    it("are reported by kind", () => {
      expect(redacted(String.raw`["\tjo@firma.de", 4111111111111111]`).kinds).toEqual(["email", "card"]);
    });

    it("are redacted in plain text if it is not JSON", () => {
      expect(redacted("{jo@firma.de")).toEqual({ text: "{[REDACTED_EMAIL]", kinds: ["email"] });
    });

    it.each([
      ["that is cut off", String.raw`{"a":"jo\u0040firma.de", "b":`, `{"a":"[REDACTED_EMAIL]", "b":`],
      [
        "that is cut off in the middle of it",
        String.raw`{"u":"postgres:\/\/bob:hunter2!x@db.firma.de\/x`,
        String.raw`{"u":"postgres:\/\/bob:[REDACTED_PASSWORD]\/x`,
      ],
      [
        "that stands in a string",
        String.raw`{"x":"{\"a\":\"jo\\u0040firma.de\", \"n\": 1}"}`,
        String.raw`{"x":"{\"a\":\"[REDACTED_EMAIL]\", \"n\": 1}"}`,
      ],
      ["in a path", String.raw`{"x":"C:\\new\\jo@firma.de"}`, String.raw`{"x":"C:\\new\\[REDACTED_EMAIL]"}`],
    ])("are redacted after the escapes of JSON %s", (_where, json, without) => {
      expect(redacted(json).text).toBe(without);
    });

    it("are found in pieces, and stay if the policy allows them", () => {
      const json = `{"a": "${String.raw`jo\u0040firma.de `.repeat(4_000)}`;
      expect(redacted(json).kinds).toHaveLength(4_000);
      const reporting = createGuard(ruleDetector, policyFromPreset("balanced", { secret: "redact" }));
      expect(redacted(json, undefined, reporting.findValuesToRedact).text).toBe(json);
    });

    it("are recognised by the names of their fields, despite quotes and line breaks in them", () => {
      const json = JSON.stringify({ password: 'Tr0ub4dor"&3', note: 'She said: "jo@firma.de"\nBye' });
      expect(JSON.parse(redacted(json).text)).toEqual({
        password: "[REDACTED_PASSWORD]",
        note: 'She said: "[REDACTED_EMAIL]"\nBye',
      });
    });
  });
});
