import { describe, expect, it } from "vitest";
import type { Turn } from "./conversation.ts";
import { reduceTurns, runningPlaces } from "./turns.ts";

const done = (text: string) => ({ status: "done" as const, text, calls: [] });
const turn = (id: string, replies: Turn["replies"] = { a: [done("one")], b: [done("two")] }): Turn => ({
  id,
  text: `Message ${id}`,
  files: [],
  replies,
});
const CALL = { id: "call_1", name: "weather", arguments: "{}" };

describe("the turns of a conversation", () => {
  it("get a message with a reply to come from each model", () => {
    const turns = reduceTurns([turn("1")], { type: "send", text: "Next", files: [], columnIds: ["a", "b"] });
    expect(turns).toHaveLength(2);
    expect(turns[1]).toMatchObject({
      text: "Next",
      replies: { a: [{ status: "running" }], b: [{ status: "running" }] },
    });
    expect(runningPlaces(turns)).toEqual([
      { turnId: turns[1]?.id, columnId: "a", index: 0 },
      { turnId: turns[1]?.id, columnId: "b", index: 0 },
    ]);
  });

  it("end with a message that is sent again in other words", () => {
    const before = [turn("1"), turn("2"), turn("3")];
    const turns = reduceTurns(before, { type: "resend", turnId: "2", text: "Other", columnIds: ["a"] });
    expect(turns.map(({ text }) => text)).toEqual(["Message 1", "Other"]);
    expect(turns[1]?.replies).toMatchObject({ a: [{ status: "running" }] });
    expect(reduceTurns(before, { type: "resend", turnId: "none", text: "", columnIds: [] })).toBe(before);
  });

  it("keep all else where one reply is made anew", () => {
    const turns = reduceTurns([turn("1"), turn("2")], { type: "regenerate", turnId: "1", columnId: "b" });
    expect(turns[0]?.replies).toMatchObject({ a: [{ text: "one" }], b: [{ status: "running" }] });
    expect(turns[1]).toEqual(turn("2"));
  });

  it("take the results of called tools, and expect the next reply", () => {
    const calling = turn("1", { a: [{ ...done(""), calls: [CALL, { ...CALL, id: "call_2" }] }] });
    const results = { call_1: "sunny" };
    const turns = reduceTurns([calling], { type: "answer-calls", turnId: "1", columnId: "a", results });
    expect(turns[0]?.replies.a).toMatchObject([
      { calls: [{ result: "sunny" }, { result: "" }] },
      { status: "running", calls: [] },
    ]);
    const plain = reduceTurns([turn("1")], { type: "answer-calls", turnId: "1", columnId: "a", results });
    expect(plain).toEqual([turn("1")]);
  });

  it("lose a message with its replies", () => {
    expect(reduceTurns([turn("1"), turn("2")], { type: "delete", turnId: "1" })).toEqual([turn("2")]);
  });

  it("change one reply", () => {
    const place = { turnId: "1", columnId: "a", index: 0 };
    const turns = reduceTurns([turn("1")], { type: "change-reply", place, changes: { text: "other" } });
    expect(turns[0]?.replies).toEqual({ a: [done("other")], b: [done("two")] });
  });
});
