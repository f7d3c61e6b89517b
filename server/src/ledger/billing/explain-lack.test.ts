import { Fault } from "@trunkline/core/fault.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { describe, expect, it } from "vitest";
import { MemoryLedger } from "../../../test/support/memory-ledger.ts";
import { explainInsufficientFunds } from "./explain-lack.ts";

const ledger = new MemoryLedger({ empty: 0n, spent: 5n, full: 5n });
const LACK = new Fault("insufficient_balance", "This request may cost 1 credit and 0 credits are available.");

describe("a lack of money", () => {
  it("is told plainly where nothing is left at all", async () => {
    const told = await explainInsufficientFunds(ledger, "empty", LACK).catch((error: unknown) => error);
    expect(told).toMatchObject({
      type: "insufficient_balance",
      message: expect.stringMatching(/no credits left.*suspended until credits are added\.$/),
    });
  });

  it("stays as it was told where credits are left, even if all of them are set aside", async () => {
    await ledger.extendLease(balancePool("spent"), 5n);
    await expect(explainInsufficientFunds(ledger, "spent", LACK)).rejects.toBe(LACK);
    await expect(explainInsufficientFunds(ledger, "full", LACK)).rejects.toBe(LACK);
  });

  it("is not made of any other trouble", async () => {
    for (const other of [new Fault("budget_exceeded", "The budget is used up."), new Error("A bug.")])
      await expect(explainInsufficientFunds(ledger, "empty", other)).rejects.toBe(other);
  });
});
