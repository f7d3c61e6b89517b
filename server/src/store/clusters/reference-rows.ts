import type { Database, Queryable } from "../database/database.ts";
import { listColumns } from "../database/sql.ts";

/** Rows of the home cluster that statements on other clusters read. Secrets are not among them. */
interface ReferenceTable {
  readonly name: string;
  /** The columns that are copied. */
  readonly columns: readonly string[];
  /** Those that may change. */
  readonly changing: readonly string[];
  /** Which rows: `$1` are accounts that have records there. */
  readonly condition: string;
  /** What is written into columns that need a value and are not copied. */
  readonly fixed?: Readonly<Record<string, string>>;
}

/** The owners of models are needed to know who earns from a charge. */
const OWNERS = "SELECT account_id FROM models UNION SELECT account_id FROM provider_terms";

/** In the order in which they refer to each other. */
const TABLES: readonly ReferenceTable[] = [
  {
    name: "accounts",
    columns: ["id", "operator", "created_at"],
    changing: ["operator"],
    condition: `id = ANY ($1::uuid[]) OR id IN (${OWNERS})`,
    // An account that is new there may not spend there before it is moved.
    fixed: { name: "''", provider: "id::text", left_at: "now()" },
  },
  {
    name: "api_keys",
    columns: ["id", "account_id", "name", "scopes", "dashboard", "service_account", "created_at", "revoked_at"],
    changing: ["name", "dashboard", "revoked_at"],
    condition: "account_id = ANY ($1::uuid[])",
  },
  {
    name: "models",
    columns: ["id", "account_id", "provider", "name", "type", "created_at"],
    changing: ["account_id"],
    condition: "$1::uuid[] IS NOT NULL",
    fixed: {
      description: "''",
      endpoint: "''",
      auth_type: "'none'",
      may_dial_private: "false",
      capabilities: "'{}'",
      specialties: "'{}'",
      streaming: "false",
      backups: "'{}'",
      limits: "'{}'",
      state: "'disabled'",
      // Names are unique among those that are offered, and a name may go to another model.
      deleted_at: "now()",
    },
  },
  {
    name: "price_versions",
    columns: [
      "id",
      "model_id",
      "input_per_million",
      "output_per_million",
      "cached_input_per_million",
      "cache_write_per_million",
      "per_image",
      "per_second",
      "per_request",
      "own_key",
      "effective_at",
      "created_at",
    ],
    changing: [],
    condition: "$1::uuid[] IS NOT NULL",
  },
  {
    name: "provider_terms",
    columns: ["account_id", "fee_ppm"],
    changing: ["fee_ppm"],
    condition: "$1::uuid[] IS NOT NULL",
  },
];

const PORTION = 2_000;

/** Copies what statements on another cluster need from home: accounts and their keys, models' owners, prices and fees. */
export async function copyReferenceRows(
  home: Database,
  cluster: Database,
  accountIds: readonly string[],
): Promise<void> {
  for (const table of TABLES) await copyTable(home, cluster, table, accountIds);
}

async function copyTable(
  home: Queryable,
  cluster: Queryable,
  table: ReferenceTable,
  accountIds: readonly string[],
): Promise<void> {
  const [key = ""] = table.columns;
  const names = listColumns(table.columns);
  // Prices never change: those that came since are enough, and some before, whose transactions ended later.
  const [known] =
    table.changing.length > 0
      ? []
      : await cluster.query<{ last: string | null }>(`SELECT (max(${key}) - 1000)::text AS last FROM ${table.name}`);
  let after = known?.last ?? undefined;
  for (;;) {
    const values: unknown[] = [accountIds];
    const later = after === undefined ? "" : ` AND ${key} > $${values.push(after)}`;
    const rows = await home.query<{ row: string; key: string }>(
      `SELECT row_to_json(t)::text AS row, t.${key}::text AS key FROM (
         SELECT ${names} FROM ${table.name} WHERE (${table.condition})${later} ORDER BY ${key} LIMIT ${PORTION}
       ) AS t`,
      values,
    );
    if (rows.length > 0) await writeRows(cluster, table, `[${rows.map(({ row }) => row).join(",")}]`);
    if (rows.length < PORTION) return;
    after = rows.at(-1)?.key;
  }
}

async function writeRows(cluster: Queryable, table: ReferenceTable, rows: string): Promise<void> {
  const { name, columns, changing, fixed = {} } = table;
  const [key = ""] = columns;
  const changes =
    changing.length === 0
      ? "NOTHING"
      : `UPDATE SET ${changing.map((column) => `${column} = EXCLUDED.${column}`).join(", ")}
         WHERE (${listColumns(changing, "t")}) IS DISTINCT FROM (${listColumns(changing, "EXCLUDED")})`;
  await cluster.query(
    `INSERT INTO ${name} AS t (${listColumns([...columns, ...Object.keys(fixed)])}) OVERRIDING SYSTEM VALUE
     SELECT ${[...columns, ...Object.values(fixed)].join(", ")} FROM json_populate_recordset(NULL::${name}, $1::json)
     ON CONFLICT (${key}) DO ${changes}`,
    [rows],
  );
}
