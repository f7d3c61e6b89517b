import type { StartedService } from "./started-service.ts";

/** Changes what time or somebody by hand would change in a service's store, and says what the statement returns. */
export function changeRows(
  service: StartedService,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return service.database.query(statement, values);
}
