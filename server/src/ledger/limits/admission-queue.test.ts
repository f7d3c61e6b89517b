import { Cancellation } from "@trunkline/core/cancellation.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { type AccountLoad, AdmissionQueue } from "./admission-queue.ts";

const LIMITS = { concurrentRequests: 1_000, accountConcurrentRequests: 500 };
/** What it takes to begin one request. */
const BEGIN_MS = 0.1;

let clock: ManualClock;
let charges: { waitMs: number; waiting: number };
let queue: AdmissionQueue;
/** What became of the requests, in that order. */
let log: string[];
let begun: AccountLoad[];

beforeEach(() => {
  clock = new ManualClock();
  charges = { waitMs: 0, waiting: 0 };
  queue = new AdmissionQueue(LIMITS, clock, charges);
  log = [];
  begun = [];
});

/** Sends a request, and takes the time that beginning it takes. */
function send(account: string, weight = 1, signal = new Cancellation()): void {
  const begin = (load: AccountLoad) => {
    begun.push(load);
    log.push(account);
    clock.advance(BEGIN_MS);
  };
  try {
    const entering = queue.enter(account, weight, signal);
    if (!(entering instanceof Promise)) begin(entering);
    else entering.then(begin, ({ status, message }) => log.push(`${account} ${status ?? message}`));
  } catch (error) {
    log.push(`${account} ${(error as { status: number }).status}`);
  }
}

function sendMany(account: string, count: number, weight = 1): void {
  for (let nth = 0; nth < count; nth++) send(account, weight);
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets turns pass until nothing waits. */
async function drain(): Promise<void> {
  for (let turn = 0; turn < 10_000 && queue.waiting > 0; turn++) await nextTurn();
  await nextTurn();
}

const countOf = (entry: string) => log.filter((logged) => logged === entry).length;

describe("AdmissionQueue", () => {
  it("begins requests at once while the service has little to do", async () => {
    for (let nth = 0; nth < 50; nth++) {
      send("one");
      expect(log).toHaveLength(nth + 1);
      await nextTurn();
    }
    expect(queue.waiting).toBe(0);
  });

  it("begins some requests in a turn, and the others in the next ones", async () => {
    sendMany("one", 80);
    expect(log).toHaveLength(32);
    await nextTurn();
    expect(log).toHaveLength(64);
    await drain();
    expect(log).toHaveLength(80);
  });

  it("lets accounts take turns: a quiet one does not wait behind a busy one's requests", async () => {
    sendMany("busy", 60);
    const begunAtOnce = log.splice(0).length;
    sendMany("quiet", 3);
    await drain();
    expect(log.indexOf("quiet")).toBeLessThan(2);
    expect(log.lastIndexOf("quiet")).toBeLessThan(6);
    expect(countOf("busy") + countOf("quiet")).toBe(63 - begunAtOnce);
  });

  it("begins more requests of an account with a greater weight", async () => {
    sendMany("other", 32);
    log.length = 0;
    sendMany("heavy", 30, 3);
    sendMany("light", 30);
    await drain();
    const both = log.slice(0, 20);
    expect(both.filter((account) => account === "heavy")).toHaveLength(15);
  });

  it("serves a burst late rather than refusing it", async () => {
    sendMany("one", 400);
    await drain();
    expect(countOf("one")).toBe(400);
    expect(queue.refused).toBe(0);
  });

  it("refuses at once what comes while too many wait for long, until all of these have begun", async () => {
    charges.waiting = 65;
    sendMany("one", 70);
    clock.advance(301);
    sendMany("one", 20);
    await nextTurn();
    log.length = 0;
    send("one");
    expect(log).toEqual(["one 503"]);
    charges.waiting = 0;
    await drain();
    send("one");
    expect(log.at(-1)).toBe("one");
  });

  it("refuses the busy account's newest requests in favour of a quiet account's", async () => {
    charges.waiting = 65;
    sendMany("busy", 64);
    clock.advance(1);
    sendMany("busy", 1);
    clock.advance(301);
    sendMany("busy", 3);
    await nextTurn();
    log.length = 0;
    send("quiet");
    await nextTurn();
    expect(log).toEqual(["busy 503"]);
    charges.waiting = 0;
    await drain();
    expect(log.indexOf("quiet")).toBeLessThan(4);
    expect(countOf("quiet 503")).toBe(0);
  });

  it("begins fewer requests in a turn while turns are long", async () => {
    sendMany("one", 200);
    for (let turn = 0; turn < 5; turn++) {
      clock.advance(100);
      await nextTurn();
    }
    const before = log.length;
    clock.advance(100);
    await nextTurn();
    expect(log.length - before).toBe(2);
    await drain();
  });

  it("drops a waiting request whose client has left", async () => {
    const cancellation = new Cancellation();
    sendMany("one", 32);
    send("one", 1, cancellation);
    cancellation.abort(new Error("gone"));
    await drain();
    expect(log.at(-1)).toBe("one gone");
    expect(queue.running).toBe(32);
  });

  it("begins nothing while the store is too slow, and refuses what waited for five seconds", async () => {
    charges.waitMs = 2_500;
    sendMany("one", 3);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(log).toEqual([]);
    clock.advance(5_001);
    send("two");
    await expect.poll(() => log).toEqual(["one 503", "one 503", "one 503"]);
    charges.waitMs = 0;
    await expect.poll(() => log.at(-1)).toBe("two");
  });

  it("begins nothing while many charges wait for the store", async () => {
    charges.waiting = 65;
    sendMany("one", 3);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(log).toEqual([]);
    charges.waiting = 64;
    await expect.poll(() => log).toEqual(["one", "one", "one"]);
  });

  it("refuses those of a burst that waited longest once it turns out to be none", async () => {
    charges.waiting = 65;
    sendMany("one", 200);
    clock.advance(301);
    send("one");
    await nextTurn();
    expect(countOf("one 503")).toBe(5);
    sendMany("one", 100);
    await nextTurn();
    expect(queue.waiting).toBe(64);
  });

  describe("the number of requests at once", () => {
    it("is limited for an account over all its keys, by 429", async () => {
      sendMany("one", 501);
      await drain();
      expect(countOf("one")).toBe(500);
      expect(countOf("one 429")).toBe(1);
      for (const load of begun.splice(0)) queue.leave(load);
      expect(queue.running).toBe(0);
      send("one");
      expect(log.at(-1)).toBe("one");
    });

    it("is limited for all accounts by 503, and the last places are kept for accounts with few requests", async () => {
      for (const account of ["one", "two"]) sendMany(account, 500);
      await drain();
      expect(queue.running).toBe(900);
      expect(log.filter((entry) => entry.endsWith("503"))).toHaveLength(100);
      clock.advance(1_001);
      sendMany("three", 150);
      await drain();
      expect(countOf("three")).toBe(100);
      expect(countOf("three 503")).toBe(50);
      expect(queue.running).toBe(1_000);
      for (const load of begun.splice(0)) queue.leave(load);
      expect(queue.running).toBe(0);
    });
  });

  it("counts all requests of an account together where its only waiting one is refused for the next", async () => {
    charges.waitMs = 3_000;
    send("one");
    for (let nth = 0; nth < 70; nth++) send(`other ${nth}`);
    clock.advance(400);
    send("one");
    charges.waitMs = 0;
    await expect.poll(() => queue.waiting).toBe(0);
    expect(countOf("one 503")).toBe(1);
    send("one");
    const loads = new Set(begun.filter(({ accountId }) => accountId === "one"));
    expect(loads.size).toBe(1);
    expect([...loads][0]?.running).toBe(2);
  });
});
