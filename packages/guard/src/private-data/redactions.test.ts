import { type Content, conversationOf, textOf } from "@trunkline/core/conversation.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { attachmentText } from "../decode/attachment-text.ts";
import { PRIVATE_VALUE_KINDS } from "./candidates/private-value.ts";
import { findPrivateData } from "./find-private-data.ts";
import { RedactionRestorer } from "./redaction-restorer.ts";
import { Redactions, redactRequest } from "./redactions.ts";

describe("redactRequest on tool calls", () => {
  const redactCall = async (written: string) => {
    const call = { type: "tool-call", id: "1", name: "send", arguments: written } as const;
    const { inference, redactions } = await redactRequest(
      sampleInference({
        conversation: { ...conversationOf(""), messages: [{ role: "assistant", content: [call] }] },
      }),
      findPrivateData,
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

  describe("the arguments of a tool call", () => {
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
    ])("are sent without values and otherwise unchanged: %s", async (_what, written, expected) => {
      expect((await redactCall(written)).sent).toBe(expected);
    });

    it("keep spaces, escapes and long numbers byte for byte", async () => {
      const written = '{ "id": 12345678901234567890123, "a":"\\u00e9\\/", "n": -1.50e+3, "to": "jo.doe@firma.de" }';
      const { sent, restored } = await redactCall(written);
      expect(sent).toBe(written.replace("jo.doe@firma.de", "[EMAIL_1]"));
      expect(restored).toBe(written);
    });

    it("contain no part of a key written as a list of lines", async () => {
      const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
      const lines = ["-----BEGIN PRIVATE KEY-----", line, `${line}x`, "-----END PRIVATE KEY-----"];
      for (const key of [lines, lines.join("\n")]) {
        const { sent, restored } = await redactCall(JSON.stringify({ key }));
        expect(sent).not.toContain(line);
        expect(JSON.parse(restored)).toEqual({ key });
      }
    });

    it.each(['hunter2"xyz99', "hunter2\\xyz99", "hunter2\nxyz99", 'x9"\\"\n\\n\'`7Q', "h\tunter\u00012 x99"])(
      "are restored with %j",
      async (password) => {
        const { sent, restored } = await redactCall(JSON.stringify({ password, n: 1 }));
        expect(JSON.parse(sent)).toEqual({ password: "[PASSWORD_1]", n: 1 });
        expect(JSON.parse(restored)).toEqual({ password, n: 1 });
      },
    );
  });
});

describe("Redactions", () => {
  describe("placeholders", () => {
    it.each(PRIVATE_VALUE_KINDS)("never reuses a placeholder that the caller wrote, for %s", (kind) => {
      const redactions = new Redactions();
      const written = `[${kind.toUpperCase()}_1]`;
      redactions.reserve(`They wrote ${written} themselves.`);
      expect(redactions.assignPlaceholder(kind, "a value")).toBe(`[${kind.toUpperCase()}_2]`);
      expect(redactions.byPlaceholder.get(written)).toBeUndefined();
    });

    it("tries each number once, however many the caller wrote", () => {
      const many = 500;
      const redactions = new Redactions();
      redactions.reserve(Array.from({ length: many }, (_, index) => `[EMAIL_${index + 1}]`).join(" "));
      const looks = vi.spyOn(Set.prototype, "has");
      const placeholders = Array.from({ length: many }, (_, index) =>
        redactions.assignPlaceholder("email", `${index}@firma.de`),
      );
      const count = looks.mock.calls.length;
      looks.mockRestore();
      expect(placeholders.at(0)).toBe(`[EMAIL_${many + 1}]`);
      expect(placeholders.at(-1)).toBe(`[EMAIL_${2 * many}]`);
      expect(redactions.counts).toEqual({ email: many });
      expect(count).toBeLessThanOrEqual(3 * many);
    });
  });
});

describe("redactRequest", () => {
  const EMAIL = "jo.doe@firma.de";
  const CARD = "4111 1111 1111 1111";
  const PASSWORD = "x9.*(q)?[b]\\+^|{2}$&";

  const redactText = async (text: string) => {
    const { inference, redactions } = await redactRequest(
      sampleInference({ conversation: conversationOf(text) }),
      findPrivateData,
    );
    return { sent: textOf(inference.conversation), redactions };
  };

  const joined = (parts: readonly Part[]) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const restoreIn = (redactions: RedactionRestorer, pieces: readonly string[]) =>
    joined(redactions.restoreAll(pieces.map((text) => ({ type: "text", text }))));

  describe("a request", () => {
    it("returns the same object if there is nothing to redact", async () => {
      const inference = sampleInference({ conversation: conversationOf("What is the weather like?") });
      const redactedRequest = await redactRequest(inference, findPrivateData);
      expect(redactedRequest.inference).toBe(inference);
      expect(redactedRequest.redactions.isEmpty).toBe(true);
    });

    it("uses one placeholder per value and counts values by kind", async () => {
      const { sent, redactions } = await redactText(`${EMAIL} and x.y@firma.de, again ${EMAIL}, paid with ${CARD}`);
      expect(sent).toBe("[EMAIL_1] and [EMAIL_2], again [EMAIL_1], paid with [CARD_1]");
      expect(redactions.counts).toEqual({ email: 2, card: 1 });
    });

    it("redacts a labelled value also where it recurs without the label", async () => {
      const { sent } = await redactText(`My password is hunter22. Does hunter22 work?`);
      expect(sent).toBe("My password is [PASSWORD_1]. Does [PASSWORD_1] work?");
    });

    it("keeps what the caller wrote like a placeholder", async () => {
      const { sent, redactions } = await redactText(`[EMAIL_1] is not ${EMAIL}`);
      expect(sent).toBe("[EMAIL_1] is not [EMAIL_2]");
      expect(restoreIn(new RedactionRestorer(redactions.byPlaceholder, false), [sent])).toBe(
        `[EMAIL_1] is not ${EMAIL}`,
      );
    });

    it("redacts every text that a provider would read", async () => {
      const file = {
        type: "attachment",
        kind: "file",
        url: `data:text/plain,mail%20${EMAIL}`,
        name: `${EMAIL}.txt`,
      } as const;
      const content = (text: string): Content => ({ type: "text", text });
      const { inference } = await redactRequest(
        sampleInference({
          conversation: {
            messages: [
              { role: "system", content: [content(`You work for ${EMAIL}.`)] },
              { role: "developer", content: [content(`Card ${CARD}.`)] },
              { role: "user", content: [content(`I am ${EMAIL}`), file] },
              {
                role: "assistant",
                content: [
                  { type: "thinking", text: `They are ${EMAIL}`, signature: "s" },
                  {
                    type: "tool-call",
                    id: "1",
                    name: "mail",
                    arguments: JSON.stringify({ to: EMAIL, password: PASSWORD }),
                  },
                ],
              },
              {
                role: "tool",
                content: [{ type: "tool-result", id: "1", text: `sent to ${EMAIL}`, attachments: [file] }],
              },
            ],
            tools: [
              {
                name: "mail",
                description: `For ${EMAIL}`,
                inputSchema: { properties: { to: { enum: [EMAIL] } } },
              },
            ],
            answerForm: {
              type: "schema",
              name: "x",
              schema: { description: EMAIL },
              description: `As ${EMAIL} likes it`,
            },
          },
          extras: { wire: "openai", fields: { user: EMAIL, metadata: { owner: [EMAIL] } } },
          parameters: { ...sampleInference().parameters, stop: [EMAIL], others: { owner: EMAIL, size: 2 } },
        }),
        findPrivateData,
      );
      const attached = inference.conversation.messages.flatMap((message) =>
        message.content.flatMap((piece) =>
          piece.type === "attachment" ? [piece] : piece.type === "tool-result" ? (piece.attachments ?? []) : [],
        ),
      );
      expect(attached.map(attachmentText)).toEqual(["mail [EMAIL_1]", "mail [EMAIL_1]"]);
      const sent = JSON.stringify(inference);
      expect(sent).not.toContain(EMAIL);
      expect(sent).not.toContain(CARD);
      expect(sent).not.toContain(JSON.stringify(PASSWORD).slice(1, -1));
      const call = inference.conversation.messages[3]?.content[1];
      expect(call?.type === "tool-call" && JSON.parse(call.arguments)).toEqual({
        to: "[EMAIL_1]",
        password: "[PASSWORD_1]",
      });
    });

    it("finds values on both sides of a cut in a long text, and across it", async () => {
      for (const length of [16_300, 16_375, 16_385, 65_000]) {
        const filler = "word ".repeat(length / 5);
        const text = `${filler}${EMAIL} ${filler}${EMAIL}`;
        const { sent } = await redactText(text);
        expect(sent).toBe(text.replaceAll(EMAIL, "[EMAIL_1]"));
      }
      const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(60)}-----END PRIVATE KEY-----`;
      const text = `${"word ".repeat(3_200)}${key} end`;
      expect((await redactText(text)).sent).toBe(text.replace(key, "[PRIVATE_KEY_1]"));
    });
  });

  describe("a redacted value", () => {
    const value = fc.constantFrom(EMAIL, CARD, `password: "${PASSWORD}"`, "+44 20 7946 0958", "DE89370400440532013000");
    const words = fc.constantFrom("hello ", "[", "]", "[EMAIL_", "[EMAIL_1]", "x\n", "é😀 ", "[[CARD_2]] ", " and ");
    const aText = fc.array(fc.oneof(value, words), { maxLength: 12 }).map((pieces) => pieces.join(" "));

    it("is restored whatever the chunks of the answer", async () => {
      await fc.assert(
        fc.asyncProperty(aText, fc.integer({ min: 1, max: 7 }), async (text, size) => {
          const { sent, redactions } = await redactText(text);
          expect(restoreIn(new RedactionRestorer(redactions.byPlaceholder, false), [sent])).toBe(text);
          const pieces = sent.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
          expect(restoreIn(new RedactionRestorer(redactions.byPlaceholder, false), pieces)).toBe(text);
        }),
        { numRuns: 100 },
      );
    });

    it("is restored wherever the answer is split in two", async () => {
      const text = `[a] ${EMAIL} paid [CARD_ with ${CARD}, ${EMAIL}[`;
      const { sent, redactions } = await redactText(text);
      for (let at = 0; at <= sent.length; at += 1)
        expect(
          restoreIn(new RedactionRestorer(redactions.byPlaceholder, false), [sent.slice(0, at), sent.slice(at)]),
        ).toBe(text);
    });

    it("holds back no more than may become a placeholder", async () => {
      const { redactions } = await redactText(EMAIL);
      const redactionRestorer = new RedactionRestorer(redactions.byPlaceholder, false);
      const release = (text: string) => joined(redactionRestorer.readAll([{ type: "text", text }]));
      expect(release("plain words")).toBe("plain words");
      expect(release(" [x")).toBe(" [x");
      expect(release(" [EM")).toBe(" ");
      expect(release("AIL_1")).toBe("");
      expect(release("] ok")).toBe(`${EMAIL} ok`);
      expect(release("[EMAIL_")).toBe("");
      expect(release("x")).toBe("[EMAIL_x");
    });

    it("is restored in tool calls, thinking and JSON with the right escapes", async () => {
      const { redactions } = await redactText(`password: "${PASSWORD}" ${EMAIL}`);
      const restore = (part: Part, isJson = false) =>
        new RedactionRestorer(redactions.byPlaceholder, isJson).restoreAll([part])[0];
      const call = {
        type: "tool-call",
        id: "1",
        name: "log_in",
        arguments: '{"password":"[PASSWORD_1]"}',
      } as const;
      const restored = restore(call);
      expect(restored?.type === "tool-call" && JSON.parse(restored.arguments)).toEqual({
        password: PASSWORD,
      });
      expect(restore({ type: "thinking", text: "It is [EMAIL_1].", signature: "s" })).toEqual({
        type: "thinking",
        text: `It is ${EMAIL}.`,
        signature: "s",
      });
      const whole = restore({ type: "text", text: '{"p":"[PASSWORD_1]"}' }, true);
      expect(whole?.type === "text" && JSON.parse(whole.text)).toEqual({ p: PASSWORD });
    });

    it("is restored for each choice by itself, before that choice ends", async () => {
      const { redactions } = await redactText(EMAIL);
      const parts = new RedactionRestorer(redactions.byPlaceholder, false).restoreAll([
        { type: "text", text: "[EMA", choice: 0 },
        { type: "text", text: "[EMAIL_1]", choice: 1 },
        { type: "text", text: "IL_1] [EM", choice: 0 },
        { type: "finish", reason: "stop", choice: 0 },
      ]);
      expect(parts).toEqual([
        { type: "text", text: EMAIL, choice: 1 },
        { type: "text", text: `${EMAIL} `, choice: 0 },
        { type: "text", text: "[EM", choice: 0 },
        { type: "finish", reason: "stop", choice: 0 },
      ]);
    });
  });
});
