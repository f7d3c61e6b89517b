import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { StreamDetector } from "../detector.ts";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { TextScreen } from "./text-screen.ts";

describe("key-blocks", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

  function utter(pieces: readonly string[], isJson = false): string {
    const watch = new TextScreen(guard, guard.createStreamDetectors(), { isJson });
    return pieces.map((piece) => runToEnd(watch.read(piece))).join("") + watch.flush();
  }

  const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

  /** As a real key of 2,048 bits is written. Made at run time, so that no scanner takes this file for a leak. */
  const PEM = pemOf(1_218);

  function pemOf(octets: number): string {
    const start = Buffer.from("308204be020100300d06092a864886f70d0101010500048204a8308204a40201000282010100", "hex");
    const parts = [start];
    for (let size = start.length; size < octets; size += 32)
      parts.push(createHash("sha256").update(`${size}`).digest());
    const lines = cut(Buffer.concat(parts).subarray(0, octets).toString("base64"), 64);
    return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
  }

  const LINES = PEM.trim().split("\n");
  const BODY = LINES.slice(1, -1);
  const MARK = "[REDACTED_PRIVATE_KEY]";
  const JSON_PEM = JSON.stringify({ private_key: PEM, client_email: "" });

  const WAYS: readonly (readonly [string, string])[] = [
    ["as it is", `Here:\n${PEM}\nDone (it is).`],
    ["in JSON", JSON_PEM],
    ["in fenced JSON", `So:\n\`\`\`json\n${JSON.stringify({ private_key: PEM }, undefined, 2)}\n\`\`\`\nDone.`],
    ["in a file of settings", `KEY="${PEM.replaceAll("\n", "\\n")}"\nPORT=80\n`],
    ["in Java", `String k =\n${LINES.map((line) => `        "${line}\\n"`).join(" +\n")};\nint port = 80;`],
    ["in Python", `k = (\n${LINES.map((line) => `    '${line}\\n'`).join("\n")}\n)\nport = 80\n`],
    ["in a list of lines", JSON.stringify({ key: LINES, port: 80 })],
    ["in an indented list of lines", JSON.stringify({ key: LINES, port: 80 }, undefined, 4)],
    ["in JSON within JSON", JSON.stringify({ file: JSON_PEM, port: 80 })],
    ["in JSON within JSON within JSON", JSON.stringify({ file: JSON.stringify({ file: JSON_PEM }) })],
    ["with numbered breaks", JSON_PEM.replaceAll("\\n", "\\u000a")],
    ["with escaped slashes", JSON_PEM.replaceAll("/", "\\/")],
    ["with both kinds of breaks", JSON.stringify({ private_key: PEM.replaceAll("\n", "\r\n") })],
    ["without breaks", `{"private_key": "${PEM.replaceAll("\n", "")}", "b": 1}`],
  ];

  describe("a private key", () => {
    it.each(WAYS)("leaves nothing behind when it is written %s, in whatever pieces it comes", (_way, text) => {
      const whole = utter([text]);
      expect(whole).toContain(MARK);
      for (const line of BODY)
        for (const written of [line, line.replaceAll("/", "\\/")]) expect(whole).not.toContain(written);
      expect(whole).not.toMatch(/[A-Za-z0-9+/=]{17}/);
      for (const size of [1, 7, 16, 64, 501]) expect(utter(cut(text, size))).toBe(whole);
    });

    it("takes nothing along that stands after it", () => {
      const after = WAYS.map(([way, text]) => [way, utter([text]).split(MARK)[1]]);
      expect(Object.fromEntries(after)).toMatchObject({
        "as it is": "\n\nDone (it is).",
        "in JSON": '\\n","client_email":""}',
        "in a file of settings": '\\n"\nPORT=80\n',
        "in Java": '\\n";\nint port = 80;',
        "in Python": "\\n'\n)\nport = 80\n",
        "without breaks": '", "b": 1}',
      });
    });

    it.each(WAYS.filter(([, text]) => text.startsWith("{")))(
      "leaves JSON behind when it is written %s",
      (_way, text) => {
        for (const isJson of [true, false]) expect(() => JSON.parse(utter([text], isJson))).not.toThrow();
      },
    );

    it.each(WAYS)("of which the end is missing leaves nothing of it behind when it is written %s", (_way, text) => {
      for (let length = 420; length < 456; length += 1) {
        const whole = utter([text.slice(0, length)]);
        expect(whole).toContain(MARK);
        expect(whole.split(MARK)[1]?.replace(/\\u[0-9a-f]{0,4}/, "")).not.toMatch(/[A-Za-z0-9+/=]{4}/);
        if (length % 15 === 0) for (const size of [1, 16]) expect(utter(cut(text.slice(0, length), size))).toBe(whole);
      }
    });

    it.each([
      ["one line", BODY.slice(0, 1)],
      ["many lines", BODY.slice(0, 12)],
    ])("without an end, of %s, ends with its string in JSON", (_length, lines) => {
      const n = ["-----BEGIN PRIVATE KEY-----", ...lines].join("\n");
      for (const others of [{ dob: "" }, { theNameOfTheNextField: "Yes." }, { b: ["x", 1] }]) {
        const text = JSON.stringify({ n, ...others });
        for (const size of [1, 7, 5_000])
          for (const isJson of [true, false])
            expect(JSON.parse(utter(cut(text, size), isJson))).toEqual({ n: MARK, ...others });
      }
    });

    it("over several strings of JSON leaves the strings in their places", () => {
      const text = JSON.stringify({ key: LINES, port: 80 });
      const key = LINES.map((_line, index) => (index === 0 ? MARK : ""));
      for (const size of [1, 7, 5_000]) expect(JSON.parse(utter(cut(text, size)))).toEqual({ key, port: 80 });
      const open = JSON.stringify([...LINES.slice(0, 5), { port: 80 }]);
      for (const size of [1, 7, 5_000])
        expect(JSON.parse(utter(cut(open, size)))).toEqual([MARK, "", "", "", "", { port: 80 }]);
    });

    it("without an end gives way to the words after it", () => {
      const text = `${LINES.slice(0, 9).join("\n")}\nThat is all of it, as far as I know.`;
      for (const size of [1, 7, 5_000])
        expect(utter(cut(text, size))).toBe(`${MARK}\nThat is all of it, as far as I know.`);
    });
  });
});

describe("text-screen", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

  /** How much of a text is there at most while it is read as one part. */
  function mostKept(text: string): number {
    let [most, judged] = [0, 0];
    const streamDetector: StreamDetector = {
      get decidedTo() {
        return judged;
      },
      read(streamBuffer, to) {
        judged = to;
        most = Math.max(most, streamBuffer.slice(0, streamBuffer.end).length);
        return undefined;
      },
    };
    const watch = new TextScreen(guard, [streamDetector]);
    expect(runToEnd(watch.read(text)) + watch.flush()).toBe(text);
    return most;
  }

  describe("one huge part of an answer", () => {
    it("is read in slices: what is kept of it does not grow with it", () => {
      const words = "All is well here. ";
      expect(mostKept(words.repeat(20_000))).toBeLessThan(2 * mostKept(words.repeat(2_000)));
    });

    it("comes out as it does in small pieces, wherever a slice ends", () => {
      const text = "😀 write to ab@firma.de or not. ".repeat(600);
      for (const shift of [0, 1, 5, 12, 19]) {
        const shifted = "x".repeat(shift) + text;
        const whole = new TextScreen(guard, guard.createStreamDetectors());
        const pieces = new TextScreen(guard, guard.createStreamDetectors());
        const out = (shifted.match(/.{1,7}/gs) ?? []).map((piece) => runToEnd(pieces.read(piece))).join("");
        expect(runToEnd(whole.read(shifted)) + whole.flush()).toBe(out + pieces.flush());
        expect(whole.redactedCounts.get("email")).toBe(600);
      }
    });
  });
});
