import type { Part } from "@trunkline/core/parts.ts";
import { candidateCalled, finish, inference, says, stage, usage, world } from "@trunkline/testing/scripted-call.ts";
import { describe, expect, it } from "vitest";

const word: Part = { type: "text", text: "word " };
const limited = (maxTokens: number, changes: object = {}) => {
  const { quote, ...candidate } = candidateCalled("a");
  return {
    candidates: [{ ...candidate, quote: { ...quote, maxOutputTokens: maxTokens } }],
    inference: { ...inference, parameters: { ...inference.parameters, maxTokens, ...changes } },
  };
};
const lengthEnd = { type: "finish", reason: "length" };

/** Words without end. The script says when it was closed. */
function endless(part: Part, onClosed: () => void) {
  return async function* () {
    try {
      for (;;) yield part;
    } finally {
      onClosed();
    }
  };
}

describe("an answer that goes on past the requested length", () => {
  it.each([
    ["text", word],
    ["thoughts", { type: "thinking", text: "hmm " } as const],
  ])("ends as one of that length, and its call is closed: %s", async (_what, part) => {
    let isClosed = false;
    const run = stage({ a: endless(part, () => (isClosed = true)) }, limited(50));
    const { received, error } = await run.drain();
    expect(error).toBeUndefined();
    expect(isClosed).toBe(true);
    expect(received.at(-1)).toEqual(lengthEnd);
    // Tokenizers differ, so that twice the length and a little more is accepted.
    expect(received.length - 1).toBe(2 * 50 + 256 + 1);
    expect(run.attempts).toMatchObject([
      { outcome: "answered", reason: "cut, as it went on past the requested length" },
    ]);
    expect(run.health.of("a")).toMatchObject({ calls: 1, errorRate: 0 });
  });

  it("is cut within a text that is too long by itself, and never within a character", async () => {
    const text = "\u{1F600}".repeat(100_000);
    const run = stage({ a: says(usage, { type: "text", text }, finish) }, limited(50));
    const { received } = await run.drain();
    const [first, cut, end] = received;
    expect([first, end]).toEqual([usage, lengthEnd]);
    const kept = cut?.type === "text" ? cut.text : "";
    expect(kept.length).toBeLessThan(2_000);
    expect(kept.length % 2).toBe(0);
    expect(text.startsWith(kept)).toBe(true);
  });

  it("leaves out a tool call that is too long, as half of one is none", async () => {
    const call: Part = { type: "tool-call", id: "1", name: "save", arguments: `{"a":"${"word ".repeat(5_000)}"}` };
    const { received } = await stage({ a: says(world, call, finish) }, limited(50)).drain();
    expect(received).toEqual([world, lengthEnd]);
  });

  it("ends every choice that its provider has not ended", async () => {
    const second = { choice: 1 };
    const run = stage(
      { a: says({ ...finish, ...second } as Part, { type: "text", text: "word ".repeat(5_000) }) },
      limited(50, { choices: 2 }),
    );
    const ends = (await run.drain()).received.filter(({ type }) => type === "finish");
    expect(ends).toEqual([
      { ...finish, ...second },
      { ...lengthEnd, choice: 0 },
    ]);
  });
});

it("does not touch an answer that is as long as was requested", async () => {
  const parts = Array.from({ length: 300 }, () => word);
  const { received } = await stage({ a: says(...parts, usage, finish) }, limited(50)).drain();
  expect(received).toEqual([...parts, usage, finish]);
});

it("does not bound a transcript, whose length depends on the recording", async () => {
  const { candidates, inference: chat } = limited(50);
  const transcription = { ...chat, task: { ...chat.task, kind: "transcription" as const } };
  const long: Part = { type: "text", text: "word ".repeat(5_000) };
  const { received } = await stage({ a: says(long, finish) }, { candidates, inference: transcription }).drain();
  expect(received).toEqual([long, finish]);
});

it("does not bound what an account pays its provider for itself, unless a length was requested", async () => {
  const { candidates, inference: chat } = limited(50);
  const [{ model, ...candidate } = candidateCalled("a")] = candidates;
  const own = { candidates: [{ ...candidate, model: { ...model, ownKey: true, maxOutputTokens: undefined } }] };
  const long: Part = { type: "text", text: "word ".repeat(5_000) };
  const unlimited = { ...chat, parameters: { ...chat.parameters, maxTokens: undefined } };
  expect((await stage({ a: says(long, finish) }, { ...own, inference: unlimited }).drain()).received[0]).toEqual(long);
  expect((await stage({ a: says(long, finish) }, { ...own, inference: chat }).drain()).received.at(-1)).toEqual(
    lengthEnd,
  );
});
