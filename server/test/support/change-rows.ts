import type { StartedService } from "./started-service.ts";

/** Changes rows of a service's store that no operation changes, and returns what the statement returns. */
export function changeRows(
  service: StartedService,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return service.database.query(statement, values);
}
