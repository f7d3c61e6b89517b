import { Fault } from "@trunkline/core/fault.ts";
import type { Queryable } from "../database/database.ts";

/** Throws where an account may not begin to spend on this cluster, and keeps it from leaving until the transaction is over. */
export type AccountGate = (connection: Queryable, accountId: string) => Promise<void>;

/** An account wants to begin to spend where it no longer is, or is not yet. */
export class AccountElsewhere extends Fault {
  constructor() {
    super("unavailable", "This account is being moved to another database. Try again in a moment.", {
      retryAfterSeconds: 1,
    });
  }
}

/** An account leaves by an update of its row, which waits for this lock, and after which the row no longer passes. */
export const ACCOUNT_IS_HERE = "SELECT 1 FROM accounts WHERE id = $1 AND left_at IS NULL FOR SHARE";

export const requireAccountHere: AccountGate = async (connection, accountId) => {
  const rows = await connection.query(ACCOUNT_IS_HERE, [accountId]);
  if (rows.length === 0) throw new AccountElsewhere();
};
