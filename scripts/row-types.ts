import type { Queryable } from "../server/src/store/database/database.ts";

/** What `pg`, as `openDatabase` configures it, makes of a value of each PostgreSQL type. */
const TYPES: Readonly<Record<string, string>> = {
  bool: "boolean",
  bytea: "Buffer",
  date: "Date",
  float8: "number",
  int2: "number",
  int4: "number",
  int8: "bigint",
  int8multirange: "string",
  json: "unknown",
  jsonb: "unknown",
  numeric: "string",
  text: "string",
  timestamptz: "Date",
  uuid: "string",
  xid8: "string",
};

const HEAD = `// Made from the migrated schema by \`npm run generate:rows\`. Never edit it by hand.

/** Some columns of a table's row, or all of them, as a query returns them. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table] = keyof Tables[Table]> = Pick<
  Tables[Table],
  Column
>;

/** Every table with its columns. Infinite moments are left out: statements that can meet one give it as text or NULL. */
export interface Tables {
`;

/** Writes the types of all tables' rows, from the schema that the migrations made. */
export async function rowTypesOf(database: Queryable): Promise<string> {
  const tables = await database.query<{ name: string; columns: { name: string; type: string; nullable: boolean }[] }>(
    `SELECT c.relname AS name,
       json_agg(json_build_object('name', a.attname, 'type', t.typname, 'nullable', NOT a.attnotnull) ORDER BY a.attnum) AS columns
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
     GROUP BY c.relname ORDER BY c.relname COLLATE "C"`,
  );
  const members = tables.map(({ name: table, columns }) => {
    const lines = columns.map(({ name, type, nullable }) => {
      const value = typeOf(type, `${table}.${name}`);
      return `    readonly ${name}: ${nullable && value !== "unknown" ? `${value} | null` : value};\n`;
    });
    return `  readonly ${table}: {\n${lines.join("")}  };\n`;
  });
  return `${HEAD}${members.join("")}}\n`;
}

function typeOf(type: string, column: string): string {
  // PostgreSQL names the type of an array by an underscore before that of its elements.
  const value = TYPES[type.replace(/^_/, "")];
  // The driver reads arrays of these two into other elements than single values.
  if (value === undefined || /^_(int8|numeric)$/.test(type))
    throw new Error(`The column ${column} has the type ${type}: add it to scripts/row-types.ts.`);
  return type.startsWith("_") ? `readonly ${value}[]` : value;
}
