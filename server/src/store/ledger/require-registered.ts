import { Fault } from "@trunkline/core/fault.ts";
import type { Queryable } from "../database/database.ts";

/**
 * Only who is registered may lease: what is leased in the name of an instance that is gone would lie there for ever.
 * Its row can't be deleted before this transaction is over; whoever locks it locks it before any side of the ledger.
 */
export async function requireRegisteredInstance(connection: Queryable, instanceId: string): Promise<void> {
  const rows = await connection.query("SELECT 1 FROM instances WHERE id = $1 FOR KEY SHARE", [instanceId]);
  if (rows.length > 0) return;
  throw new Fault(
    "unavailable",
    "The service has lost touch with its store for a moment. Try again shortly.",
    {
      retryAfterSeconds: 1,
    },
  );
}
