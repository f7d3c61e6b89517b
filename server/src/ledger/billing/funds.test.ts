import type { Budget } from "@trunkline/core/caller.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { MemoryLedger } from "../../../test/support/memory-ledger.ts";
import { AccountFunds } from "./funds.ts";

const NOW = Date.UTC(2026, 0, 15, 12);

function fundsWith(balance: bigint, budget?: Budget) {
  const ledger = new MemoryLedger({ "client-account": balance, other: 500n });
  const accountFunds = new AccountFunds(ledger, new HeldClock());
  return { ledger, funds: accountFunds, caller: sampleCaller({ budget }) };
}

describe("a hold", () => {
  it("is empty at first and can be raised step by step", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n);
    const hold = await accountFunds.openHold(caller, NOW);
    expect(hold.amount).toBe(0n);
    expect(await hold.raiseTo(40n)).toBe("held");
    expect(await hold.raiseTo(70n)).toBe("held");
    expect(hold.amount).toBe(70n);
    expect(accountFunds.heldOf(caller.accountId)).toBe(70n);
  });

  it("stays as it is when asked for no more than it has", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n);
    const hold = await accountFunds.openHold(caller, NOW);
    await hold.raiseTo(40n);
    expect(await hold.raiseTo(40n)).toBe("held");
    expect(await hold.raiseTo(10n)).toBe("held");
    expect(await hold.raiseTo(0n)).toBe("held");
    expect(hold.amount).toBe(40n);
  });

  it("says that the balance is too small, and stays as it was", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n);
    const hold = await accountFunds.openHold(caller, NOW);
    await hold.raiseTo(40n);
    expect(await hold.raiseTo(101n)).toBe("balance");
    expect(hold.amount).toBe(40n);
    expect(accountFunds.heldOf(caller.accountId)).toBe(40n);
  });

  it("says that the budget is too small, and takes nothing of the balance for it", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n, { limit: 30n, period: "day" });
    const hold = await accountFunds.openHold(caller, NOW);
    expect(await hold.raiseTo(31n)).toBe("budget");
    expect(hold.amount).toBe(0n);
    expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
    expect(await hold.raiseTo(30n)).toBe("held");
  });

  it("ends with a capture: the charge is gone, the rest is free", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n, { limit: 90n, period: "day" });
    const hold = await accountFunds.openHold(caller, NOW);
    await hold.raiseTo(60n);
    hold.capture(25n);
    expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
    expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({ balance: 75n, budget: 65n });
  });

  it("ends with a release: everything is free", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n, { limit: 90n, period: "day" });
    const hold = await accountFunds.openHold(caller, NOW);
    await hold.raiseTo(60n);
    hold.release();
    expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({ balance: 100n, budget: 90n });
  });

  it("ends once: a second end is a bug and says so, and changes nothing", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n);
    const captured = await accountFunds.openHold(caller, NOW);
    await captured.raiseTo(10n);
    captured.capture(10n);
    const released = await accountFunds.openHold(caller, NOW);
    released.release();
    for (const hold of [captured, released]) {
      expect(() => hold.capture(5n)).toThrow("twice");
      expect(() => hold.release()).toThrow("twice");
    }
    expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({
      balance: 90n,
      budget: undefined,
    });
  });
});

describe("what a caller could spend", () => {
  it("is the balance less what is held, and the key's own budget beside it", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n, { limit: 1_000n, period: "total" });
    const hold = await accountFunds.openHold(caller, NOW);
    await hold.raiseTo(30n);
    expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({ balance: 70n, budget: 970n });
  });

  it("is each account's own", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n);
    await (await accountFunds.openHold(caller, NOW)).raiseTo(100n);
    expect(await accountFunds.spendable({ ...caller, accountId: "other" }, NOW, 1_000n, 1_000n)).toEqual({
      balance: 500n,
      budget: undefined,
    });
    expect(await accountFunds.spendable({ ...caller, accountId: "nobody" }, NOW, 1_000n, 1_000n)).toEqual({
      balance: 0n,
      budget: undefined,
    });
    expect(accountFunds.heldOf("nobody")).toBe(0n);
  });

  it("is shared by all keys of an account, although each has a budget of its own", async () => {
    const { funds: accountFunds, caller } = fundsWith(100n, { limit: 80n, period: "day" });
    await (await accountFunds.openHold(caller, NOW)).raiseTo(60n);
    const sister = { ...caller, keyId: "sister" };
    expect(await accountFunds.spendable(sister, NOW, 1_000n, 1_000n)).toEqual({ balance: 40n, budget: 80n });
  });
});
