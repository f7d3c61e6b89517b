import type { Queryable } from "./database.ts";

const READY_TIMEOUT_MS = 2_000;

/** Whether the database answers within two seconds. */
export function isReady(database: Queryable): Promise<boolean> {
  const answer = database.query("SELECT 1").then(
    () => true,
    () => false,
  );
  const tooLate = new Promise<boolean>((resolve) => setTimeout(resolve, READY_TIMEOUT_MS, false).unref());
  return Promise.race([answer, tooLate]);
}
