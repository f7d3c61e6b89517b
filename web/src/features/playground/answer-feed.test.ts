import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerFeed } from "./answer-feed.ts";

function feedOf(...pieces: readonly string[]) {
  const feed = new AnswerFeed();
  for (const piece of pieces) {
    feed.push(piece);
    feed.read();
  }
  return feed;
}

const textsOf = (feed: AnswerFeed) => {
  const { closed, open } = feed.read();
  return [...closed, ...(open === undefined ? [] : [open])].map(({ kind, text }) => `${kind}: ${text.trim()}`);
};

describe("an answer that comes in pieces", () => {
  it("is cut at blank lines and at code", () => {
    const feed = feedOf("One.\n\nTwo\nlines.\n```js\nlet a;\n\nlet b;\n```\nThree.");
    expect(textsOf(feed)).toEqual(["text: One.", "text: Two\nlines.", "code: let a;\n\nlet b;", "text: Three."]);
    expect(feed.read().closed[2]).toMatchObject({ language: "js", isContinued: false });
  });

  it("keeps a list together over its blank lines", () => {
    const list = "Steps:\n1. one\n\n   more of one\n\n2. two\n   - inside";
    const feed = feedOf(`${list}\n\nAfter.\n\nLast.`);
    expect(textsOf(feed)).toEqual([`text: ${list}`, "text: After.", "text: Last."]);
  });

  it("closes only what can't change any more", () => {
    const feed = feedOf("One.\n\nTw");
    expect(feed.read().closed).toHaveLength(1);
    expect(feed.read().open?.text).toBe("Tw");
    feed.push("o.");
    expect(feed.read().open?.text).toBe("Two.");
  });

  it("gives blocks that were closed unchanged, so that they are drawn once", () => {
    const feed = feedOf("One.\n\nTwo.");
    const before = feed.read().closed[0];
    feed.push("\n\nThree.\n\n");
    expect(feed.read().closed[0]).toBe(before);
    expect(feed.read().closed.map(({ id }) => id)).toEqual([0, 1, 2]);
  });

  it("takes an open fence for code until it is closed, by the same mark and no shorter", () => {
    expect(textsOf(feedOf("````\nan ``` inside\n```\n"))).toEqual(["code: an ``` inside\n```"]);
    expect(textsOf(feedOf("~~~\na\n~~~\nb"))).toEqual(["code: a", "text: b"]);
  });

  it("cuts what grows without an end, and says that it goes on", () => {
    const feed = feedOf("```\n", "line\n".repeat(10_000));
    const { closed } = feed.read();
    expect(closed.length).toBeGreaterThan(2);
    expect(closed[0]?.isContinued).toBe(false);
    expect(closed[1]).toMatchObject({ kind: "code", isContinued: true });
    expect(feedOf("x".repeat(100_000)).read().closed.length).toBeGreaterThan(5);
  });

  it("cuts what is long at the same place, whether its end came with it or later", () => {
    const pieces = ["word ".repeat(3_000), "\n\n", "After."];
    expect(textsOf(feedOf(pieces.join("")))).toEqual(textsOf(feedOf(...pieces)));
    const code = ["```\n", "line\n".repeat(3_000), "```\n", "After."];
    expect(textsOf(feedOf(code.join("")))).toEqual(textsOf(feedOf(...code)));
  });

  it("loses nothing, however it is cut", () => {
    const piece = fc.constantFrom(
      "a",
      " ",
      "\n",
      "\n\n",
      "```",
      "```js\n",
      "~~~\n",
      "- a\n",
      "  b\n",
      "long ".repeat(500),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const atOnce = feedOf(pieces.join(""));
        const bitByBit = feedOf(...pieces);
        expect(bitByBit.whole()).toBe(pieces.join(""));
        expect(textsOf(bitByBit).join("\n")).toEqual(textsOf(atOnce).join("\n"));
      }),
    );
  });
});
