import { firstIdAt } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import type { Database } from "../database/database.ts";

/** A condition that samples one in N of an account's requests. */
interface Sample {
  readonly oneIn: number;
  readonly condition: string;
}

/**
 * Ids end at random, so that these draw requests evenly, and the same ones each time. This one is word for word the
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

/** What is quick for many thousands, as the index holds all that is read of a request but its detail. */
export const QUICK_SAMPLES: readonly Sample[] = [EVERY_REQUEST, ...INDEXED_SAMPLES];
/** What wastes less, where each request is read whole and few are wanted. */
const FINE_SAMPLES: readonly Sample[] = [
  EVERY_REQUEST,
  { oneIn: 4, condition: " AND (get_byte(uuid_send(id), 15) & 3) = 0" },
  ...INDEXED_SAMPLES,
];

/** As many of the requests in a range of ids as are wanted at the most. Counting stops where there are too many. */
export async function sampleEvenly(
  database: Database,
  accountId: string,
  ids: readonly [from: string, to: string],
  most: number,
  samples: readonly Sample[],
): Promise<Sample> {
  for (const sample of samples) {
    const rows = await database.query<{ count: bigint }>(
      `SELECT count(*) AS count FROM (
         SELECT FROM requests WHERE account_id = $1 AND id >= $2 AND id < $3${sample.condition} LIMIT ${most + 1}
       ) AS found`,
      [accountId, ...ids],
    );
    if ((rows[0]?.count ?? 0n) <= most) return sample;
  }
  return SPARSEST_SAMPLE;
}

/** A request that was answered by a model which the service chose. */
export interface RoutedRequest {
  readonly id: string;
  readonly created_at: Date;
  readonly model: string;
  readonly provider: string;
  readonly cost: NanoCredits;
  readonly latency_ms: number;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cached_input_tokens: bigint;
  readonly cache_write_tokens: bigint;
  readonly images: number | null;
  readonly audio_ms: bigint;
  /** The record's detail as JSON, without the prompt and the output. */
  readonly detail: string;
}

/** How many records are looked at for each one that is wanted: a bound for accounts that name nearly every model. */
const SCANNED_PER_RESULT = 10;

/** More requests than these are not looked back at: a sample tells the same. */
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
  database: Database,
  accountId: string,
  since: Date,
  most: number = ROUTED_SAMPLE_MAX,
): Promise<{ readonly oneIn: number; readonly requests: RoutedRequest[] }> {
  const ids = [firstIdAt(since.getTime()), LAST_ID] as const;
  const { oneIn, condition } = await sampleEvenly(database, accountId, ids, most, FINE_SAMPLES);
  const drawn = `SELECT *, detail::text AS text FROM requests
    WHERE account_id = $1 AND id >= $2 AND id < $3${condition} ORDER BY id DESC LIMIT $4`;
  const requests = await database.query<RoutedRequest>(routedRequestsQuery(drawn, 4), [accountId, ...ids, most]);
  return { oneIn, requests };
}

/** Behind every id that is made of the time. */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Of some records those whose model the service chose, the newest first. What several models made is left out: no one
 * model's cost is its cost. What is kept of prompt and output stands last in a
 * detail and is cut off there, as it may be long. A quote within a text is always escaped: what is looked for can only be
 * a field. The store's own functions for JSON would trip over escapes that a provider may have sent.
 */
function routedRequestsQuery(records: string, limitAt: number): string {
  return `SELECT id, created_at, model, provider, cost, latency_ms, input_tokens, output_tokens, cached_input_tokens,
       cache_write_tokens, images, audio_ms,
       CASE WHEN strpos(text, ',"content":') > 0 THEN left(text, strpos(text, ',"content":') - 1) || '}' ELSE text END AS detail
     FROM (${records}) AS looked_at
     WHERE status < 400 AND model IS NOT NULL AND price_version IS DISTINCT FROM '${PRICED_BY_SEGMENTS}'
       AND (strpos(text, '"chosen_by":"account"') > 0 OR strpos(text, '"chosen_by":"request"') > 0)
     ORDER BY id DESC LIMIT $${limitAt}`;
}
