import type { Queryable } from "./database.ts";

const WAIT_MS = 2_000;

/** Whether the database answers within two seconds. */
export function answersSoon(database: Queryable): Promise<boolean> {
  const answer = database.query("SELECT 1").then(
    () => true,
    () => false,
  );
  const tooLate = new Promise<boolean>((resolve) => setTimeout(resolve, WAIT_MS, false).unref());
  return Promise.race([answer, tooLate]);
}
