import { Fault } from "@trunkline/core/fault.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** Says it plainly where a request was refused because the account has nothing left at all; any other trouble stays as it is. */
export async function explainInsufficientFunds(
  ledger: Pick<LedgerStore, "readPool">,
  accountId: string,
  trouble: unknown,
): Promise<never> {
  if (!(trouble instanceof Fault) || trouble.type !== "insufficient_balance") throw trouble;
  // What is free now says too little: all of it may be set aside for requests that run.
  const { total } = await ledger.readPool(balancePool(accountId));
  if (total > 0n) throw trouble;
  throw new Fault(
    "insufficient_balance",
    "The account has no credits left: requests that cost anything are suspended until credits are added.",
    trouble.details,
    { cause: trouble },
  );
}
