import { BackgroundWork } from "@trunkline/core/background-work.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { type StickySession, type StickySessionStore, StickySessions } from "./sticky-sessions.ts";

const MINUTE = 60_000;
const X = sampleModel("acme/x");
const Y = sampleModel("acme/y");

/** A store in memory that counts reads and writes. */
class MemoryStore implements StickySessionStore {
  readonly kept = new Map<string, StickySession>();
  asked = 0;
  writes = 0;
  trouble: Error | undefined;
  gate: Promise<void> | undefined;

  async find(accountId: string, session: Buffer, now: Date) {
    this.asked++;
    await this.gate;
    if (this.trouble !== undefined) throw this.trouble;
    const found = this.kept.get(`${accountId} ${session.toString("hex")}`);
    return found !== undefined && found.expiresAt > now ? found : undefined;
  }

  async keep(sessions: readonly StickySession[]) {
    this.writes++;
    await this.gate;
    if (this.trouble !== undefined) throw this.trouble;
    for (const one of sessions) this.kept.set(`${one.accountId} ${one.session.toString("hex")}`, one);
  }

  async sweep() {}
}

function open(store = new MemoryStore(), clock = new ManualClock()) {
  const backgroundWork = new BackgroundWork();
  const troubles: unknown[] = [];
  const sessions = new StickySessions({
    store,
    clock,
    runInBackground: (work) => void backgroundWork.track(work),
    onError: (error) => troubles.push(error),
  });
  return { sessions, store, clock, troubles, idle: () => backgroundWork.whenIdle() };
}

describe("a session", () => {
  it("has no model before an answer, and the one that answered last after it", async () => {
    const { sessions } = open();
    expect(await sessions.modelFor("a", "s")).toBeUndefined();
    sessions.recordAnswer("a", "s", X);
    expect(await sessions.modelFor("a", "s")).toBe("acme/x");
    sessions.recordAnswer("a", "s", Y);
    expect(await sessions.modelFor("a", "s")).toBe("acme/y");
  });

  it("belongs to its account", async () => {
    const { sessions } = open();
    sessions.recordAnswer("a", "s", X);
    expect(await sessions.modelFor("b", "s")).toBeUndefined();
    expect(await sessions.modelFor("a", "other")).toBeUndefined();
  });

  it("is kept for an hour after its last use", async () => {
    const { sessions, clock, idle } = open();
    sessions.recordAnswer("a", "s", X);
    clock.advance(50 * MINUTE);
    sessions.recordAnswer("a", "s", X);
    clock.advance(59 * MINUTE);
    expect(await sessions.modelFor("a", "s")).toBe("acme/x");
    await idle();
    clock.advance(MINUTE);
    expect(await sessions.modelFor("a", "s")).toBeUndefined();
  });

  it("is known to another instance, and after a restart", async () => {
    const { sessions, store, clock, idle } = open();
    sessions.recordAnswer("a", "s\u0000", X);
    await idle();
    const other = open(store, clock);
    expect(await other.sessions.modelFor("a", "s\u0000")).toBe("acme/x");
    expect(await other.sessions.modelFor("a", "s\u0000")).toBe("acme/x");
    expect(store.asked).toBe(1);
  });

  it("is not read from the store where this instance has it", async () => {
    const { sessions, store } = open();
    sessions.recordAnswer("a", "s", X);
    await sessions.modelFor("a", "s");
    expect(store.asked).toBe(0);
  });

  it("is rewritten rarely while its model stays, and at once when it changes", async () => {
    const { sessions, store, clock, idle } = open();
    const answer = async (model: typeof X) => {
      sessions.recordAnswer("a", "s", model);
      await idle();
    };
    await answer(X);
    for (let minute = 1; minute < 5; minute++) {
      clock.advance(MINUTE);
      await answer(X);
    }
    expect(store.writes).toBe(1);
    clock.advance(MINUTE);
    await answer(X);
    expect(store.writes).toBe(2);
    await answer(Y);
    expect(store.writes).toBe(3);
    expect([...store.kept.values()].map(({ model }) => model)).toEqual(["acme/y"]);
  });
});

describe("many sessions", () => {
  it("are written together during a running write", async () => {
    const { sessions, store, idle } = open();
    let release: () => void = () => undefined;
    store.gate = new Promise((resolve) => {
      release = resolve;
    });
    sessions.recordAnswer("a", "first", X);
    while (store.writes === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let index = 0; index < 100; index++) sessions.recordAnswer("a", `s${index}`, X);
    release();
    await idle();
    expect(store.writes).toBe(2);
    expect(store.kept.size).toBe(101);
  });

  it("are limited to ten thousand; the least recently used is dropped first", async () => {
    const { sessions, store, idle } = open();
    for (let index = 0; index < 10_000; index++) sessions.recordAnswer("a", `s${index}`, X);
    sessions.recordAnswer("a", "s0", X);
    sessions.recordAnswer("a", "one more", X);
    await idle();
    store.kept.clear();
    expect(await sessions.modelFor("a", "s0")).toBe("acme/x");
    expect(await sessions.modelFor("a", "s1")).toBeUndefined();
    expect(await sessions.modelFor("a", "s2")).toBe("acme/x");
  });
});

describe("a failing store", () => {
  it("only loses the session's model", async () => {
    const { sessions, store, troubles, idle } = open();
    store.trouble = new Error("The database is unavailable.");
    expect(await sessions.modelFor("a", "s")).toBeUndefined();
    sessions.recordAnswer("a", "s", X);
    await idle();
    expect(await sessions.modelFor("a", "s")).toBe("acme/x");
    expect(troubles).toEqual([store.trouble, store.trouble]);
    store.trouble = undefined;
    sessions.recordAnswer("a", "s", Y);
    await idle();
    expect(store.kept.size).toBe(1);
  });

  it("does not delay the request for long", async () => {
    const { sessions, store } = open();
    store.gate = new Promise(() => undefined);
    expect(await sessions.modelFor("a", "s")).toBeUndefined();
  });
});
