import { type Conversation, conversationOf } from "@trunkline/core/conversation.ts";
import { describe, expect, it } from "vitest";
import { conversationFingerprint } from "./implicit-feedback.ts";

describe("conversationFingerprint", () => {
  it("is the same only for the same question of the same account", () => {
    const print = conversationFingerprint("a", conversationOf("Why?"));
    expect(conversationFingerprint("a", conversationOf("Why?"))).toBe(print);
    const talk: Conversation = {
      messages: [
        { role: "user", content: [{ type: "text", text: "Why?" }] },
        { role: "assistant", content: [{ type: "text", text: "Because." }] },
      ],
      tools: [],
    };
    const others = [
      conversationFingerprint("b", conversationOf("Why?")),
      conversationFingerprint("a", conversationOf("Why not?")),
      conversationFingerprint(
        "a",
        conversationOf("Why?", [{ type: "attachment", kind: "image", url: "https://a.test/1" }]),
      ),
      conversationFingerprint("a", talk),
    ];
    expect(new Set([print, ...others]).size).toBe(others.length + 1);
  });

  it("tells a hundred thousand questions apart", () => {
    const prints = new Set<number>();
    for (let index = 0; index < 100_000; index++)
      prints.add(conversationFingerprint("a", conversationOf(`Question ${index}: why?`)));
    expect(prints.size).toBe(100_000);
    expect(Math.max(...[...prints].slice(0, 1_000))).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  });

  it("distinguishes long texts by their ends and their length", () => {
    const middle = "x".repeat(100_000);
    const print = conversationFingerprint("a", conversationOf(`one ${middle} end`));
    expect(conversationFingerprint("a", conversationOf(`one ${middle} end`))).toBe(print);
    expect(conversationFingerprint("a", conversationOf(`two ${middle} end`))).not.toBe(print);
    expect(conversationFingerprint("a", conversationOf(`one ${middle} END`))).not.toBe(print);
    expect(conversationFingerprint("a", conversationOf(`one ${middle}x end`))).not.toBe(print);
  });
});
