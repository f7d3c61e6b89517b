import { openDatabase } from "../src/store/database.ts";
import type { StartedService } from "./started-service.ts";

/** Changes what time or somebody by hand would change in a service's store, and says what the statement returns. */
export async function changeRows(
  service: StartedService,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const database = openDatabase(service.address, () => undefined, { connections: 1 });
  try {
    return await database.query(statement, values);
  } finally {
    await database.close();
  }
}
