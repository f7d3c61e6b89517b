import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { writeTogether } from "./write-together.ts";

/** A socket that notes in a list shared with others when it begins and ends to hold back. */
function socketIn(events: string[], name: string) {
  return { cork: () => void events.push(`hold ${name}`), uncork: () => void events.push(`write ${name}`) };
}

/** Ends what earlier tests left: after a turn with a single write, some writes are not held back. */
async function endDirectWrites(): Promise<void> {
  while (!writeTogether(socketIn([], "other")));
  writeTogether(socketIn([], "another"));
  await nextTurn();
}

describe("writes of one turn of the event loop", () => {
  it("go out together at its end, each followed by what is to be done afterwards", async () => {
    await endDirectWrites();
    const events: string[] = [];
    expect(writeTogether(socketIn(events, "a"), () => events.push("after a"))).toBe(true);
    expect(writeTogether(socketIn(events, "b"))).toBe(true);
    expect(events).toEqual(["hold a", "hold b"]);
    await nextTurn();
    expect(events).toEqual(["hold a", "hold b", "write a", "after a", "write b"]);
  });

  it("wait for seven others at most", async () => {
    await endDirectWrites();
    const events: string[] = [];
    for (const name of ["1", "2", "3", "4", "5", "6", "7", "8", "9"]) writeTogether(socketIn(events, name));
    expect(events.filter((event) => event.startsWith("write"))).toHaveLength(8);
    await nextTurn();
    expect(events.filter((event) => event.startsWith("write"))).toHaveLength(9);
  });

  it("are not held back for a while after a turn that had only one", async () => {
    await endDirectWrites();
    const events: string[] = [];
    writeTogether(socketIn(events, "alone"));
    await nextTurn();
    expect(writeTogether(socketIn(events, "next"), () => events.push("after next"))).toBe(false);
    expect(events).toEqual(["hold alone", "write alone"]);
    await endDirectWrites();
    expect(writeTogether(socketIn(events, "later"))).toBe(true);
    await nextTurn();
  });
});
