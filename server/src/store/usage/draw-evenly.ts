import type { Database } from "../database/database.ts";

/** One in so many of an account's requests, as a condition to add. */
export interface Sample {
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
export const FINE_SAMPLES: readonly Sample[] = [
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
