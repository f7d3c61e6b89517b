import { conversationOf } from "@trunkline/core/conversation.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { findPrivateDataResumable } from "./private-data.ts";
import { redactRequest } from "./redact.ts";
import { RedactionRestorer } from "./redaction-restorer.ts";

const redactCall = async (written: string) => {
  const call = { type: "tool-call", id: "1", name: "send", arguments: written } as const;
  const { inference, redactions } = await redactRequest(
    sampleInference({
      conversation: { ...conversationOf(""), messages: [{ role: "assistant", content: [call] }] },
    }),
    findPrivateDataResumable,
  );
  const sent = inference.conversation.messages[0]?.content[0];
  const [restored] = new RedactionRestorer(redactions.byPlaceholder, false).restoreAll(
    sent?.type === "tool-call" ? [sent] : [],
  );
  return {
    sent: sent?.type === "tool-call" ? sent.arguments : "",
    restored: restored?.type === "tool-call" ? restored.arguments : "",
  };
};

describe("the arguments of a call", () => {
  it.each([
    ["a line break before a value", '{"text":"hello\\njohn.doe@firma.de"}', '{"text":"hello\\n[EMAIL_1]"}'],
    ["a number", '{"card":4111111111111111}', '{"card":"[CARD_1]"}'],
    ["a quote in a value", '{"password":"hunter2\\"xyz99"}', '{"password":"[PASSWORD_1]"}'],
    ["a line break in a value", '{"password":"hunter2\\nxyz99"}', '{"password":"[PASSWORD_1]"}'],
    ["the name of a field", '{"jo.doe@firma.de":[true]}', '{"[EMAIL_1]":[true]}'],
    ["escaped letters", '{"to":"jo.doe\\u0040firma.de"}', '{"to":"[EMAIL_1]"}'],
    ["a string alone", '"jo.doe@firma.de"', '"[EMAIL_1]"'],
    ["an escaped placeholder", '["\\u005bEMAIL_1]","jo.doe@firma.de"]', '["\\u005bEMAIL_1]","[EMAIL_2]"]'],
    [
      "one value within words that quote another",
      '{"text":"password: \\"hunter 22!x\\" of jo.doe@firma.de"}',
      '{"text":"password: \\"[PASSWORD_1]\\" of [EMAIL_1]"}',
    ],
    [
      "a value that only a name elsewhere tells",
      '[{"password":"hunter2\\\\x9"},"it is hunter2\\\\x9"]',
      '[{"password":"[PASSWORD_1]"},"it is [PASSWORD_1]"]',
    ],
    ["no JSON", '{"to":"jo.doe@firma.de', '{"to":"[EMAIL_1]'],
  ])("are sent without values and as they were otherwise: %s", async (_what, written, expected) => {
    expect((await redactCall(written)).sent).toBe(expected);
  });

  it("keep spaces, escapes and long numbers to the letter", async () => {
    const written =
      '{ "id": 12345678901234567890123, "a":"\\u00e9\\/", "n": -1.50e+3, "to": "jo.doe@firma.de" }';
    const { sent, restored } = await redactCall(written);
    expect(sent).toBe(written.replace("jo.doe@firma.de", "[EMAIL_1]"));
    expect(restored).toBe(written);
  });

  it("have no part of a key that is written in lines of a list", async () => {
    const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    const lines = ["-----BEGIN PRIVATE KEY-----", line, `${line}x`, "-----END PRIVATE KEY-----"];
    for (const key of [lines, lines.join("\n")]) {
      const { sent, restored } = await redactCall(JSON.stringify({ key }));
      expect(sent).not.toContain(line);
      expect(JSON.parse(restored)).toEqual({ key });
    }
  });

  it.each(['hunter2"xyz99', "hunter2\\xyz99", "hunter2\nxyz99", 'x9"\\"\n\\n\'`7Q', "h\tunter\u00012 x99"])(
    "come back as they were with %j",
    async (password) => {
      const { sent, restored } = await redactCall(JSON.stringify({ password, n: 1 }));
      expect(JSON.parse(sent)).toEqual({ password: "[PASSWORD_1]", n: 1 });
      expect(JSON.parse(restored)).toEqual({ password, n: 1 });
    },
  );
});
