import type { ScimFilter } from "../../identity/directory/scim-filter.ts";

/** How an attribute is compared: its SQL, and whether case counts. */
export interface FilterColumn {
  readonly sql: string;
  readonly type: "text" | "exact text" | "boolean" | "time";
}

const COMPARISONS = { eq: "=", ne: "IS DISTINCT FROM", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;
const PATTERNS = { co: ["%", "%"], sw: ["", "%"], ew: ["%", ""] } as const;

/** Adds values to `values`, and returns the condition; undefined where an attribute or a comparison is not supported. */
export function filterToSql(
  filter: ScimFilter,
  columns: Readonly<Record<string, FilterColumn>>,
  values: unknown[],
): string | undefined {
  if (filter.kind === "and" || filter.kind === "or") {
    const left = filterToSql(filter.left, columns, values);
    const right = filterToSql(filter.right, columns, values);
    return left === undefined || right === undefined ? undefined : `(${left} ${filter.kind.toUpperCase()} ${right})`;
  }
  if (filter.kind === "not") {
    const inner = filterToSql(filter.inner, columns, values);
    return inner === undefined ? undefined : `(${inner}) IS NOT TRUE`;
  }
  const column = Object.hasOwn(columns, filter.attribute) ? columns[filter.attribute] : undefined;
  if (column === undefined) return undefined;
  if (filter.kind === "present") return `(${column.sql}) IS NOT NULL`;
  const { operator, value } = filter;
  const place = () => `$${values.length}`;
  if (column.type === "boolean") {
    if (typeof value !== "boolean" || (operator !== "eq" && operator !== "ne")) return undefined;
    values.push(value);
    return `(${column.sql}) ${COMPARISONS[operator]} ${place()}::boolean`;
  }
  if (typeof value !== "string") return undefined;
  if (column.type === "time") {
    if (Number.isNaN(Date.parse(value)) || operator === "co" || operator === "sw" || operator === "ew")
      return undefined;
    values.push(new Date(value));
    return `date_trunc('milliseconds', ${column.sql}) ${COMPARISONS[operator]} ${place()}::timestamptz`;
  }
  const isExact = column.type === "exact text";
  const left = isExact ? column.sql : `lower(${column.sql})`;
  const given = isExact ? value : value.toLowerCase();
  if (operator === "co" || operator === "sw" || operator === "ew") {
    const [before, after] = PATTERNS[operator];
    values.push(`${before}${given.replaceAll(/[\\%_]/g, "\\$&")}${after}`);
    return `${left} LIKE ${place()}`;
  }
  values.push(given);
  return `${left} ${COMPARISONS[operator]} ${place()}::text`;
}
