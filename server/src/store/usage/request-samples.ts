import { firstIdAt } from "@trunkline/core/id.ts";
import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns } from "../database/sql.ts";
import { USAGE_COLUMN_NAMES, type UsageColumn } from "./usage-columns.ts";

/** A condition that samples one in N of an account's requests. */
interface Sample {
  readonly oneIn: number;
  readonly condition: string;
}

/**
 * Ids end at random, so these conditions sample evenly, and the same requests each time. This one is word for word the
 * condition of the index `requests_sampled`.
 */
const INDEXED_CONDITION = " AND (get_byte(uuid_send(id), 15) & 15) = 0";
const EVERY_REQUEST: Sample = { oneIn: 1, condition: "" };
const INDEXED_SAMPLES: readonly Sample[] = [
  { oneIn: 16, condition: INDEXED_CONDITION },
  { oneIn: 64, condition: `${INDEXED_CONDITION} AND (get_byte(uuid_send(id), 14) & 3) = 0` },
  { oneIn: 256, condition: `${INDEXED_CONDITION} AND (get_byte(uuid_send(id), 14) & 15) = 0` },
  { oneIn: 1024, condition: `${INDEXED_CONDITION} AND (get_byte(uuid_send(id), 14) & 63) = 0` },
];
const SPARSEST_SAMPLE: Sample = {
  oneIn: 4096,
  condition: `${INDEXED_CONDITION} AND get_byte(uuid_send(id), 14) = 0`,
};

/** Samples for many thousands of requests: the index has every column that is read. */
export const QUICK_SAMPLES: readonly Sample[] = [EVERY_REQUEST, ...INDEXED_SAMPLES];
/** Samples in finer steps, for few requests that are read in full. */
const FINE_SAMPLES: readonly Sample[] = [
  EVERY_REQUEST,
  { oneIn: 4, condition: " AND (get_byte(uuid_send(id), 15) & 3) = 0" },
  ...INDEXED_SAMPLES,
];

/**
 * The densest sample with at most `most` requests in a range of ids, in any of the databases. Counting stops where there
 * are more.
 */
export async function sampleEvenly(
  databases: readonly Queryable[],
  accountId: string,
  ids: readonly [from: string, to: string],
  most: number,
  samples: readonly Sample[],
): Promise<Sample> {
  for (const sample of samples) {
    let count = 0n;
    for (const database of databases) {
      const rows = await database.query<{ count: bigint }>(
        `SELECT count(*) AS count FROM (
           SELECT FROM requests WHERE account_id = $1 AND id >= $2 AND id < $3${sample.condition} LIMIT ${most + 1}
         ) AS found`,
        [accountId, ...ids],
      );
      count += rows[0]?.count ?? 0n;
    }
    if (count <= most) return sample;
  }
  return SPARSEST_SAMPLE;
}

/** An answered request whose model the service chose. */
export interface RoutedRequest extends Row<"requests", "id" | "created_at" | "cost" | "latency_ms" | UsageColumn> {
  readonly model: string;
  readonly provider: string;
  /** The record's detail as JSON, without the prompt and the output. */
  readonly detail: string;
}

/** How many requests are read for each result, at most: most requests of an account may name their model. */
const SCANNED_PER_RESULT = 10;

/** A report on more requests than this reads a sample: the result is the same. */
const ROUTED_SAMPLE_MAX = 4_000;

/** The newest requests of an account whose model the service chose. */
export async function listRoutedRequests(
  database: Database,
  accountId: string,
  limit: number,
): Promise<RoutedRequest[]> {
  return database.query<RoutedRequest>(
    routedRequestsQuery(
      "SELECT *, detail::text AS text FROM requests WHERE account_id = $1 ORDER BY id DESC LIMIT $2",
      3,
    ),
    [accountId, limit * SCANNED_PER_RESULT, limit],
  );
}

/** The requests since a moment, or a sample of them where there are too many. */
export async function sampleRoutedRequests(
  databases: readonly Queryable[],
  accountId: string,
  since: Date,
  most: number = ROUTED_SAMPLE_MAX,
): Promise<{ readonly oneIn: number; readonly requests: RoutedRequest[] }> {
  const ids = [firstIdAt(since.getTime()), LAST_ID] as const;
  const { oneIn, condition } = await sampleEvenly(databases, accountId, ids, most, FINE_SAMPLES);
  const drawn = `SELECT *, detail::text AS text FROM requests
    WHERE account_id = $1 AND id >= $2 AND id < $3${condition} ORDER BY id DESC LIMIT $4`;
  const requests: RoutedRequest[] = [];
  for (const database of databases)
    requests.push(...(await database.query<RoutedRequest>(routedRequestsQuery(drawn, 4), [accountId, ...ids, most])));
  return { oneIn, requests };
}

/** Sorts after every id. */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Those of some requests whose model the service chose, newest first. Answers by several models are left out: their cost
 * is that of no one model. The prompt and the output stand last in a detail and are cut off, as they may be long. Within a
 * JSON text quotes are escaped, so the searched strings can only be fields. PostgreSQL's JSON functions would fail on
 * escapes that a provider may have sent.
 */
function routedRequestsQuery(records: string, limitAt: number): string {
  return `SELECT id, created_at, model, provider, cost, latency_ms, ${listColumns(USAGE_COLUMN_NAMES)},
       CASE WHEN strpos(text, ',"content":') > 0 THEN left(text, strpos(text, ',"content":') - 1) || '}' ELSE text END AS detail
     FROM (${records}) AS scanned
     WHERE status < 400 AND model IS NOT NULL AND price_version IS DISTINCT FROM '${PRICED_BY_SEGMENTS}'
       AND (strpos(text, '"chosen_by":"account"') > 0 OR strpos(text, '"chosen_by":"request"') > 0)
     ORDER BY id DESC LIMIT $${limitAt}`;
}
