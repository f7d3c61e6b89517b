import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database } from "../server/src/store/database/database.ts";

/** What the ledger say of one request. */
export interface BookedRequest {
  readonly accountId: string;
  readonly status: number;
  readonly cost: NanoCredits;
}

/** What the ledger say of all of them. */
export interface LedgerState {
  readonly requests: ReadonlyMap<string, BookedRequest>;
  /** Every charge of each request: there may be one. */
  readonly charges: ReadonlyMap<string, readonly NanoCredits[]>;
}

/** Reads the records and the charges. */
export async function readLedger(database: Database): Promise<LedgerState> {
  const records = await database.query<{ id: string; account_id: string; status: number; cost: bigint }>(
    "SELECT id, account_id, status, cost FROM requests",
  );
  const transfers = await database.query<{ request_id: string; amount: bigint }>(
    "SELECT request_id, amount FROM ledger_transfers WHERE kind = 'charge'",
  );
  const charges = new Map<string, NanoCredits[]>();
  for (const { request_id: id, amount } of transfers) charges.set(id, [...(charges.get(id) ?? []), amount]);
  return {
    requests: new Map(records.map(({ id, account_id: accountId, status, cost }) => [id, { accountId, status, cost }])),
    charges,
  };
}

/** What was charged to an account in all. */
export function chargedTo(accountId: string, { requests, charges }: LedgerState): NanoCredits {
  let sum = 0n;
  for (const [id, amounts] of charges) {
    if (requests.get(id)?.accountId === accountId) for (const amount of amounts) sum += amount;
  }
  return sum;
}
