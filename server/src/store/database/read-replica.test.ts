import { Fault } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import type { Queryable } from "./database.ts";
import { ReadReplica } from "./read-replica.ts";

const away = () => new Fault("unavailable", "The service's store is away for a moment.");

/** A primary and a replica whose positions are set by hand, and a clock. */
function openPair() {
  const state = { nowMs: 0, primary: 100n as bigint | Error, replica: 100n as bigint | Error, errors: 0, asked: 0 };
  const answers = (which: "primary" | "replica"): Queryable => ({
    query: async <Row>() => {
      state.asked++;
      const position = state[which];
      if (position instanceof Error) throw position;
      return [{ position }] as Row[];
    },
  });
  const replica = new ReadReplica(answers("primary"), answers("replica"), {
    monotonicMs: () => state.nowMs,
    onError: () => {
      state.errors++;
    },
  });
  const read = (fromReplica: () => Promise<string> = async () => "replica") =>
    replica.read(fromReplica, async () => "primary");
  return { state, read };
}

describe("a replica", () => {
  it("is read from while it is fresh, and is compared with the primary once a second at most", async () => {
    const { state, read } = openPair();
    expect(await read()).toEqual({ result: "replica", ageMs: 0 });
    state.nowMs = 900;
    expect(await read()).toEqual({ result: "replica", ageMs: 900 });
    expect(state.asked).toBe(2);
    state.nowMs = 1_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 0 });
  });

  it("is as old as the last position of the primary that it has reached", async () => {
    const { state, read } = openPair();
    await read();
    state.primary = 200n;
    state.nowMs = 2_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 2_000 });
    state.primary = 300n;
    state.nowMs = 4_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 4_000 });
    state.replica = 250n;
    state.nowMs = 5_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 3_000 });
  });

  it("is not read from while it is more than 30 s behind, or nothing is known of it", async () => {
    const { state, read } = openPair();
    state.replica = 50n;
    expect(await read()).toEqual({ result: "primary", ageMs: undefined });
    state.replica = 100n;
    state.nowMs = 1_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 0 });
    state.primary = 200n;
    state.nowMs = 31_001;
    expect(await read()).toEqual({ result: "primary", ageMs: undefined });
    state.replica = 200n;
    state.nowMs = 32_001;
    expect(await read()).toEqual({ result: "replica", ageMs: 0 });
  });

  it("that fails is left alone for 5 s, and the primary answers in its place", async () => {
    const { state, read } = openPair();
    const failing = async () => Promise.reject(away());
    expect(await read(failing)).toEqual({ result: "primary", ageMs: undefined });
    expect(state.errors).toBe(1);
    state.nowMs = 4_999;
    expect(await read()).toEqual({ result: "primary", ageMs: undefined });
    state.nowMs = 5_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 0 });
    state.replica = away();
    state.nowMs = 6_000;
    expect(await read()).toEqual({ result: "primary", ageMs: undefined });
  });

  it("answers while the primary is away, as old as it then is", async () => {
    const { state, read } = openPair();
    await read();
    state.primary = away();
    state.nowMs = 8_000;
    expect(await read()).toEqual({ result: "replica", ageMs: 8_000 });
  });

  it("does not hide a mistake in a statement", async () => {
    const { read } = openPair();
    await expect(read(async () => Promise.reject(new Error("column does not exist")))).rejects.toThrow("column");
  });
});
