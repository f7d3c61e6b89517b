import { EMPTY_TALLY, tallyOf } from "@trunkline/testing/tally-of.ts";
import { describe, expect, it } from "vitest";
import { type OutcomeIncrement, OutcomeStats } from "./outcome-stats.ts";

const note = (accountId: string, changes: Partial<OutcomeIncrement> = {}): OutcomeIncrement => ({
  accountId,
  model: "acme/one",
  domain: "law",
  steps: 1,
  weight: 3,
  surplus: -1.5,
  lends: true,
  ...changes,
});
const shared = (accounts: number, weight: number, surplus: number) => ({
  model: "acme/one",
  domain: "law",
  accounts,
  weight,
  surplus,
});

describe("OutcomeStats", () => {
  it("counts an account's own outcomes at once, only for this account, model and domain", () => {
    const book = new OutcomeStats();
    book.record(note("a"));
    expect(tallyOf(book, "a", "acme/one", "law").own).toMatchObject({ weight: 3, surplus: -1.5 });
    for (const [account, model, domain] of [
      ["b", "acme/one", "law"],
      ["a", "acme/two", "law"],
      ["a", "acme/one", "code"],
    ] as const)
      expect(tallyOf(book, account, model, domain)).toMatchObject({ own: EMPTY_TALLY, shared: EMPTY_TALLY });
  });

  it("returns the same lists every time, the shared ones to all accounts", () => {
    const book = new OutcomeStats();
    book.record(note("a"));
    book.loadShared([shared(4, 40, 4)]);
    const [one, again, other] = ["a", "a", "b"].map((account) => book.forModel(account, "acme/one"));
    expect(again).toBe(one);
    expect(other?.shared).toBe(one?.shared);
    expect(other?.own).toEqual([]);
  });

  it("keeps no more domains than it has places for", () => {
    const book = new OutcomeStats();
    for (let domain = 0; domain < 1_100; domain++) book.placeOf(`made up ${domain}`);
    book.record(note("a"));
    book.loadShared([shared(4, 40, 4)]);
    expect(book.placeOf("law")).toBe(-1);
    expect(tallyOf(book, "a", "acme/one", "law")).toEqual({ own: EMPTY_TALLY, shared: EMPTY_TALLY });
  });

  it("trusts shared outcomes more, the more accounts there are", () => {
    const book = new OutcomeStats();
    book.loadShared([shared(1, 10, -5)]);
    expect(tallyOf(book, "b", "acme/one", "law").shared.weight).toBeCloseTo(0.1);
    book.loadShared([shared(81, 810, -90)]);
    expect(tallyOf(book, "b", "acme/one", "law").shared.weight).toBeCloseTo(656.1);
  });

  it("requests accounts that are not in memory once, and keeps outcomes that came meanwhile", () => {
    const book = new OutcomeStats();
    tallyOf(book, "a", "acme/one", "law");
    book.record(note("a"));
    tallyOf(book, "a", "acme/one", "law");
    expect(book.takeUnreadAccounts()).toEqual(["a"]);
    const row = { accountId: "a", model: "acme/one", domain: "law", weight: 5, surplus: 1 };
    book.loadAccounts(["a"], [row]);
    expect(tallyOf(book, "a", "acme/one", "law").own.weight).toBeCloseTo(5 * 0.999 + 3);
    expect(book.hasUnreadAccounts).toBe(false);
  });

  it("holds a bounded number of accounts, and drops none with unwritten outcomes", () => {
    const book = new OutcomeStats(10);
    book.record(note("first"));
    for (let count = 0; count < 50; count++) book.loadAccounts([`account-${count}`], []);
    const { changes } = book.takePending();
    expect(changes.map(({ accountId }) => accountId)).toEqual(["first"]);
    expect(tallyOf(book, "first", "acme/one", "law").own.weight).toBe(3);
    book.takeUnreadAccounts();
    for (let count = 50; count < 100; count++) book.loadAccounts([`account-${count}`], []);
    expect(tallyOf(book, "first", "acme/one", "law").own).toEqual(EMPTY_TALLY);
    expect(book.takeUnreadAccounts()).toEqual(["first"]);
  });

  it("writes each key once, though its account was dropped during the write", () => {
    const book = new OutcomeStats(10);
    book.record(note("first", { steps: 0 }));
    const leaving = book.takePending();
    for (let count = 0; count < 50; count++) book.loadAccounts([`account-${count}`], []);
    book.record(note("first", { steps: 0, weight: 1, surplus: 0.5 }));
    leaving.putBack();
    const { changes } = book.takePending();
    expect(changes).toMatchObject([{ accountId: "first", weight: 4, surplus: -1 }]);
    expect(tallyOf(book, "first", "acme/one", "law").own).toMatchObject({ weight: 4, surplus: -1 });
  });
});
