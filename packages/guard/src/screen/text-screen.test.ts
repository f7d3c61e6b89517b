import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { StreamDetector } from "../detector.ts";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { TextScreen } from "./text-screen.ts";

describe("TextScreen on private keys", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

  function release(pieces: readonly string[], isJson = false): string {
    const textScreen = new TextScreen(guard, guard.createStreamDetectors(), { isJson });
    return pieces.map((piece) => textScreen.read(piece)).join("") + textScreen.flush();
  }

  const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

  /** Written like a real key of 2,048 bits. Generated at run time, so that no secret scanner reports this file. */
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
    it.each(WAYS)("is redacted completely if written %s, whatever the chunks", (_way, text) => {
      const whole = release([text]);
      expect(whole).toContain(MARK);
      for (const line of BODY)
        for (const written of [line, line.replaceAll("/", "\\/")]) expect(whole).not.toContain(written);
      expect(whole).not.toMatch(/[A-Za-z0-9+/=]{17}/);
      for (const size of [1, 16, 501]) expect(release(cut(text, size))).toBe(whole);
    });

    it("does not affect the text after it", () => {
      const after = WAYS.map(([way, text]) => [way, release([text]).split(MARK)[1]]);
      expect(Object.fromEntries(after)).toMatchObject({
        "as it is": "\n\nDone (it is).",
        "in JSON": '\\n","client_email":""}',
        "in a file of settings": '\\n"\nPORT=80\n',
        "in Java": '\\n";\nint port = 80;',
        "in Python": "\\n'\n)\nport = 80\n",
        "without breaks": '", "b": 1}',
      });
    });

    it.each(WAYS.filter(([, text]) => text.startsWith("{")))("leaves valid JSON if written %s", (_way, text) => {
      for (const isJson of [true, false]) expect(() => JSON.parse(release([text], isJson))).not.toThrow();
    });

    it.each(WAYS)("is redacted completely without its end if written %s", (_way, text) => {
      for (let length = 420; length < 456; length += 3) {
        const whole = release([text.slice(0, length)]);
        expect(whole).toContain(MARK);
        expect(whole.split(MARK)[1]?.replace(/\\u[0-9a-f]{0,4}/, "")).not.toMatch(/[A-Za-z0-9+/=]{4}/);
        if (length % 15 === 0)
          for (const size of [1, 16]) expect(release(cut(text.slice(0, length), size))).toBe(whole);
      }
    });

    it.each([
      ["one line", BODY.slice(0, 1)],
      ["many lines", BODY.slice(0, 12)],
    ])("without an end, of %s, ends with its JSON string", (_length, lines) => {
      const n = ["-----BEGIN PRIVATE KEY-----", ...lines].join("\n");
      for (const others of [{ dob: "" }, { theNameOfTheNextField: "Yes." }, { b: ["x", 1] }]) {
        const text = JSON.stringify({ n, ...others });
        for (const size of [1, 7, 5_000])
          for (const isJson of [true, false])
            expect(JSON.parse(release(cut(text, size), isJson))).toEqual({ n: MARK, ...others });
      }
    });

    it("over several JSON strings keeps the strings", () => {
      const text = JSON.stringify({ key: LINES, port: 80 });
      const key = LINES.map((_line, index) => (index === 0 ? MARK : ""));
      for (const size of [1, 7, 5_000]) expect(JSON.parse(release(cut(text, size)))).toEqual({ key, port: 80 });
      const open = JSON.stringify([...LINES.slice(0, 5), { port: 80 }]);
      for (const size of [1, 7, 5_000])
        expect(JSON.parse(release(cut(open, size)))).toEqual([MARK, "", "", "", "", { port: 80 }]);
    });

    it("without an end stops at the text after it", () => {
      const text = `${LINES.slice(0, 9).join("\n")}\nThat is all of it, as far as I know.`;
      for (const size of [1, 7, 5_000])
        expect(release(cut(text, size))).toBe(`${MARK}\nThat is all of it, as far as I know.`);
    });
  });
});

describe("TextScreen on long parts", () => {
  const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

  /** The maximum length of the buffer while a text is read as one part. */
  function bufferMax(text: string): number {
    let [most, decidedTo] = [0, 0];
    const streamDetector: StreamDetector = {
      get decidedTo() {
        return decidedTo;
      },
      read(streamBuffer, to) {
        decidedTo = to;
        most = Math.max(most, streamBuffer.slice(0, streamBuffer.end).length);
        return undefined;
      },
    };
    const textScreen = new TextScreen(guard, [streamDetector]);
    expect(textScreen.read(text) + textScreen.flush()).toBe(text);
    return most;
  }

  describe("a very long part", () => {
    it("is read in slices, so that memory does not grow with it", () => {
      const words = "All is well here. ";
      expect(bufferMax(words.repeat(20_000))).toBeLessThan(2 * bufferMax(words.repeat(2_000)));
    });

    it("gives the same output as small chunks, wherever a slice ends", () => {
      const text = "😀 write to ab@firma.de or not. ".repeat(600);
      for (const shift of [0, 1, 5, 12, 19]) {
        const shifted = "x".repeat(shift) + text;
        const whole = new TextScreen(guard, guard.createStreamDetectors());
        const pieces = new TextScreen(guard, guard.createStreamDetectors());
        const out = (shifted.match(/.{1,7}/gs) ?? []).map((piece) => pieces.read(piece)).join("");
        expect(whole.read(shifted) + whole.flush()).toBe(out + pieces.flush());
        expect(whole.redactedCounts.get("email")).toBe(600);
      }
    });
  });
});
