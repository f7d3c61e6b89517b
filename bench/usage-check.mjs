// @ts-check
/** Holds what the service says of usage against the plain sum over the requests. */
import { BenchFailure } from "./bench-failure.mjs";

/** @typedef {import("../server/src/store/database/database.ts").Database} Database */
/** @typedef {{ from?: Date, to?: Date, group?: string, zone?: string }} Asked What a read of usage asks for, in the store's own words. */
/** @typedef {{ name: string, path: string, body?: unknown, asks?: Asked }} Read What is sent with a body is a report. */
/** @typedef {{ id: string, key: string }} Account */

/** @type {Readonly<Record<string, string>>} */
const GROUPS = {
  day: "to_char(created_at AT TIME ZONE $4, 'YYYY-MM-DD')",
  model: "model",
  key: "key_id::text",
  task: "task",
  provider: "provider",
};

/**
 * Fails where a sum is off. Gives the milliseconds of the plain sum of everything that the first account used.
 * @param {Database} database @param {readonly Account[]} accounts @param {readonly Read[]} reads @param {(read: Read, account: Account) => Promise<any>} ask
 */
export async function checkSums(database, accounts, reads, ask) {
  const [first] = accounts;
  const startedAt = performance.now();
  await plainSums(database, "requests", first?.id ?? "", {});
  const plainSumMs = performance.now() - startedAt;
  // The records are wide: they are read once, and summed from a copy of what counts.
  await database.query(
    `CREATE UNLOGGED TABLE bench_plain AS SELECT account_id, created_at, key_id, model, provider, task, status, input_tokens,
       output_tokens, cost FROM requests WHERE account_id = ANY ($1)`,
    [accounts.map(({ id }) => id)],
  );
  for (const account of accounts) {
    for (const read of reads) {
      if (read.asks === undefined) continue;
      const plain = await plainSums(database, "bench_plain", account.id, read.asks);
      const said = saidOf(await ask(read, account), read.asks.group);
      const missing = said.find((line) => !plain.includes(line)) ?? plain.find((line) => !said.includes(line));
      if (missing !== undefined || said.length !== plain.length) {
        throw new BenchFailure(`${read.name}: the service and the requests differ, for example in ${missing}`);
      }
    }
  }
  await database.query("DROP TABLE bench_plain");
  return plainSumMs;
}

/** One line for each group. @param {Database} database @param {string} table @param {string} accountId @param {Asked} asked @returns {Promise<string[]>} */
async function plainSums(database, table, accountId, { from, to, group, zone }) {
  const rows = await database.query(
    `SELECT ${group === undefined ? "''" : GROUPS[group]} AS group, count(*) FILTER (WHERE status < 400) AS requests,
       coalesce(sum(cost), 0)::bigint AS cost, count(*) FILTER (WHERE status >= 400 AND status <> 499) AS errors,
       coalesce(sum(input_tokens), 0)::bigint AS input_tokens, coalesce(sum(output_tokens), 0)::bigint AS output_tokens
     FROM ${table} WHERE account_id = $1 AND ($2::timestamptz IS NULL OR created_at >= $2) AND ($3::timestamptz IS NULL OR created_at < $3)
     ${group === undefined ? "" : "GROUP BY 1"}`,
    [accountId, from ?? null, to ?? null, ...(group === "day" ? [zone ?? "UTC"] : [])],
  );
  return rows.map((row) => lineOf(row, group === undefined, row.group, row.cost));
}

/** @param {any} answer @param {string | undefined} group @returns {string[]} */
function saidOf(answer, group) {
  const nano = (/** @type {number} */ credits) => Math.round(credits * 1e9);
  if (group === undefined) return [lineOf(answer, true, "", nano(answer.cost))];
  return answer.data.map((/** @type {any} */ row) => lineOf(row, false, row[group], nano(row.cost)));
}

/** @param {Readonly<Record<string, number | bigint>>} row @param {boolean} isTotal @param {string} group @param {number | bigint} cost */
function lineOf(row, isTotal, group, cost) {
  const rest = isTotal ? "" : `, ${row.errors} errors, ${row.input_tokens} and ${row.output_tokens} tokens`;
  return `${group}: ${row.requests} requests, cost ${cost}${rest}`;
}
