import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import {
  broken,
  finish,
  halfOpen,
  hello,
  type Script,
  says,
  stage,
  usage,
  world,
} from "@trunkline/testing/scripted-call.ts";
import { describe, expect, it } from "vitest";

describe("a client that disconnects", () => {
  /** Sends one part, then waits until it is aborted, like a real adapter. */
  function endless(log: string[], end: "throws" | "returns"): Script {
    return async function* ({ signal }) {
      try {
        yield hello;
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve());
        });
        if (end === "throws") throw new ProviderFailure("broken", "aborted");
      } finally {
        log.push("upstream closed");
      }
    };
  }

  it("by leaving the loop closes the upstream and is recorded, and the slot is free again", async () => {
    const log: string[] = [];
    const run = stage({ a: endless(log, "throws"), b: says(world) });
    halfOpen(run, "a");
    for await (const part of run.parts) {
      expect(part).toEqual(hello);
      break;
    }
    expect(log).toEqual(["upstream closed"]);
    expect(run.called).toEqual(["a"]);
    expect(run.attempts).toMatchObject([{ outcome: "cut-off", reason: "the client hung up" }]);
    expect(run.health.of("a")).toMatchObject({ state: "half-open", available: true });
  });

  it("by leaving a last-resort call leaves the slot to the call that holds it", async () => {
    const run = stage({ a: endless([], "throws") });
    halfOpen(run, "a");
    expect(run.health.admit("a")).toBe(true);
    for await (const part of run.parts) {
      expect(part).toEqual(hello);
      break;
    }
    expect(run.called).toEqual(["a"]);
    expect(run.health.of("a")).toMatchObject({ state: "half-open", available: false });
  });

  it.each(["throws", "returns"] as const)("by the signal ends the call, also if the adapter %s then", async (end) => {
    const log: string[] = [];
    const run = stage({ a: endless(log, end), b: says(world) });
    await run.parts.next();
    const rest = run.parts.next();
    const gone = new Error("the socket closed");
    run.controller.abort(gone);
    await expect(rest).rejects.toBe(gone);
    expect(log).toEqual(["upstream closed"]);
    expect(run.called).toEqual(["a"]);
    expect(run.attempts).toMatchObject([{ outcome: "cut-off", reason: "the client hung up" }]);
    expect(run.health.of("a").errorRate).toBe(0);
  });

  it("before the first part causes no call of the next candidate", async () => {
    const run = stage({
      a: async function* ({ signal }) {
        run.controller.abort(new Error("gone"));
        if (signal.aborted) throw broken();
        yield hello;
      },
      b: says(world),
    });
    await run.drain();
    expect(run.called).toEqual(["a"]);
    expect(run.health.of("a").errorRate).toBe(0);
  });

  it("before the first call causes no call at all", async () => {
    const run = stage({ a: says(hello) });
    run.controller.abort(new Error("gone"));
    expect((await run.drain()).error).toEqual(new Error("gone"));
    expect(run.called).toEqual([]);
    expect(run.attempts).toEqual([]);
  });

  it("after the answer was complete counts as answered", async () => {
    const run = stage({ a: says(hello, finish, usage) });
    for await (const part of run.parts) if (part.type === "finish") break;
    expect(run.attempts).toMatchObject([{ outcome: "answered", reason: "ok" }]);
    expect(run.health.of("a").calls).toBe(1);
  });
});
