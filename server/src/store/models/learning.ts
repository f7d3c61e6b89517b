import { firstIdAt } from "@trunkline/core/id.ts";
import type { AnswerFeedback, FeedbackStore } from "@trunkline/router/learn/feedback.ts";
import type {
  AccountOutcomeRow,
  LearningBatch,
  LearningChanges,
  LearningStore,
  LengthRow,
  OutcomeRecord,
  SharedOutcomeRow,
} from "@trunkline/router/learn/learning-store.ts";
import { NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import { announceOutcomes } from "../database/changes.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { type ItemColumns, rowsOf, type ScalarValue, textRowsOf } from "../database/sql.ts";

/** Evidence without a new outcome for this long says nothing about today's model. */
const STATS_RETENTION = "180 days";
const OUTCOME_RETENTION = "90 days";

const SELECT_OWN = `SELECT account_id AS "accountId", model, domain, weight, surplus FROM learnt_outcomes`;
const SELECT_SHARED = "SELECT model, domain, accounts, weight, surplus FROM learnt_by_all";
const SELECT_LENGTHS = "SELECT model, task, domain, weight, log_sum AS surplus FROM learnt_lengths";

/** The weight of an account's outcomes in the shared statistics: 0 for its own models, and never more than `most`. */
const sharedWeight = (row: string, most: string) =>
  `CASE WHEN ${row}.lends THEN least(${row}.weight, ${most}) ELSE 0 END`;
const sharedSurplus = (row: string, most: string) =>
  `CASE WHEN ${row}.lends AND ${row}.weight > 0 THEN ${row}.surplus * least(1, ${most} / ${row}.weight) ELSE 0 END`;

/** Outcome statistics in PostgreSQL: all instances add to the same sums. */
export class PostgresLearning implements LearningStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(learningBatch: LearningBatch): Promise<void> {
    await this.#database.transaction(async (connection) => {
      const version = await nextVersion(connection);
      await addOutcomes(connection, learningBatch, version);
      await addLengths(connection, learningBatch.lengths, version);
      await insertOutcomes(connection, learningBatch.records);
      await announceOutcomes(connection);
    });
  }

  addRecords(records: readonly OutcomeRecord[]): Promise<void> {
    return insertOutcomes(this.#database, records);
  }

  async readAll(mostRecent: number): Promise<LearningChanges> {
    const version = await this.#version();
    // Whole accounts: of an account that is known in part the rest would never be asked for.
    const own = await this.#database.query<AccountOutcomeRow>(
      `${SELECT_OWN} WHERE account_id IN (SELECT account_id FROM learnt_outcomes ORDER BY version DESC LIMIT $1)`,
      [mostRecent],
    );
    const shared = await this.#database.query<SharedOutcomeRow>(SELECT_SHARED);
    const lengths = await this.#database.query<LengthRow>(SELECT_LENGTHS);
    return { version: version ?? 0n, own, shared, lengths };
  }

  async changedSince(version: bigint): Promise<LearningChanges> {
    const current = await this.#version();
    if (current === undefined || current <= version) return { version, own: [], shared: [], lengths: [] };
    const since = "WHERE version > $1";
    const [own, shared, lengths] = await Promise.all([
      this.#database.query<AccountOutcomeRow>(`${SELECT_OWN} ${since}`, [version]),
      this.#database.query<SharedOutcomeRow>(`${SELECT_SHARED} ${since}`, [version]),
      this.#database.query<LengthRow>(`${SELECT_LENGTHS} ${since}`, [version]),
    ]);
    return { version: current, own, shared, lengths };
  }

  /** Read before the rows: what changes in between is read again with the next version. */
  async #version(): Promise<bigint | undefined> {
    const [row] = await this.#database.query<Row<"learnt_version">>("SELECT version FROM learnt_version");
    return row?.version;
  }

  readAccounts(accountIds: readonly string[]): Promise<AccountOutcomeRow[]> {
    return this.#database.query<AccountOutcomeRow>(`${SELECT_OWN} WHERE account_id = ANY ($1::uuid[])`, [accountIds]);
  }
}

/** Takes the next version. Its row is a lock: with one writer at a time, the shared sums are exactly those of the accounts. */
async function nextVersion(connection: Queryable): Promise<bigint> {
  const [row] = await connection.query<Row<"learnt_version">>(
    "UPDATE learnt_version SET version = version + 1 RETURNING version",
  );
  return row?.version ?? 0n;
}

async function addOutcomes(
  connection: Queryable,
  { outcomes, maxWeightPerAccount }: LearningBatch,
  version: bigint,
): Promise<void> {
  if (outcomes.length === 0) return;
  const { from, values } = rowsOf(outcomes, {
    account_id: ["uuid", ({ accountId }) => accountId],
    model: ["text", ({ model }) => model],
    domain: ["text", ({ domain }) => domain],
    decay: ["float8", ({ decayFactor }) => decayFactor],
    weight: ["float8", ({ weight }) => weight],
    surplus: ["float8", ({ surplus }) => surplus],
    lends: ["boolean", ({ lends }) => lends],
  });
  await connection.query(
    `WITH given AS (SELECT * FROM ${from}), before AS (
       SELECT t.* FROM learnt_outcomes t JOIN given g USING (account_id, model, domain)
     ), after AS (
       INSERT INTO learnt_outcomes AS t (account_id, model, domain, weight, surplus, lends, version, updated_at)
       SELECT g.account_id, g.model, g.domain, s.weight, greatest(-s.weight, least(s.weight, s.surplus)), g.lends, $8::bigint, now()
       FROM given g JOIN accounts a ON a.id = g.account_id LEFT JOIN before b USING (account_id, model, domain),
       LATERAL (SELECT greatest(0, coalesce(b.weight, 0) * g.decay + g.weight) AS weight,
         coalesce(b.surplus, 0) * g.decay + g.surplus AS surplus) AS s
       ON CONFLICT (account_id, model, domain) DO UPDATE SET weight = EXCLUDED.weight, surplus = EXCLUDED.surplus,
         lends = EXCLUDED.lends, version = EXCLUDED.version, updated_at = EXCLUDED.updated_at
       RETURNING *
     )
     ${addToShared(
       `SELECT a.model, a.domain, a.lends::int - coalesce(b.lends::int, 0) AS accounts,
          ${sharedWeight("a", "$9::float8")} - coalesce(${sharedWeight("b", "$9::float8")}, 0) AS weight,
          ${sharedSurplus("a", "$9::float8")} - coalesce(${sharedSurplus("b", "$9::float8")}, 0) AS surplus
        FROM after a LEFT JOIN before b USING (account_id, model, domain)`,
       "$8::bigint",
     )}`,
    [...values, version, maxWeightPerAccount],
  );
}

/** Adds differences to the statistics that all accounts share. */
function addToShared(differences: string, version: string): string {
  return `INSERT INTO learnt_by_all AS s (model, domain, accounts, weight, surplus, version)
     SELECT model, domain, sum(accounts)::int, sum(weight), sum(surplus), ${version} FROM (${differences}) AS d
     GROUP BY model, domain
     ON CONFLICT (model, domain) DO UPDATE SET accounts = s.accounts + EXCLUDED.accounts,
       weight = s.weight + EXCLUDED.weight, surplus = s.surplus + EXCLUDED.surplus, version = EXCLUDED.version`;
}

async function addLengths(connection: Queryable, lengths: LearningBatch["lengths"], version: bigint): Promise<void> {
  if (lengths.length === 0) return;
  const { from, values } = rowsOf(lengths, {
    model: ["text", ({ model }) => model],
    task: ["text", ({ task }) => task],
    domain: ["text", ({ domain }) => domain],
    decay: ["float8", ({ decayFactor }) => decayFactor],
    weight: ["float8", ({ weight }) => weight],
    log_sum: ["float8", ({ surplus }) => surplus],
  });
  await connection.query(
    `WITH given AS (SELECT * FROM ${from})
     INSERT INTO learnt_lengths AS t (model, task, domain, weight, log_sum, version, updated_at)
     SELECT g.model, g.task, g.domain, coalesce(b.weight, 0) * g.decay + g.weight,
       coalesce(b.log_sum, 0) * g.decay + g.log_sum, $7::bigint, now()
     FROM given g LEFT JOIN learnt_lengths b USING (model, task, domain)
     ON CONFLICT (model, task, domain) DO UPDATE SET weight = EXCLUDED.weight, log_sum = EXCLUDED.log_sum,
       version = EXCLUDED.version, updated_at = EXCLUDED.updated_at`,
    [...values, version],
  );
}

const RECORD_COLUMNS: ItemColumns<OutcomeRecord, ScalarValue> = {
  account_id: ["uuid", ({ accountId }) => accountId],
  request_id: ["uuid", ({ requestId }) => requestId],
  source: ["text", ({ source }) => source],
  model: ["text", ({ model }) => model],
  domain: ["text", ({ domain }) => domain],
  propensity: ["float8", ({ propensity }) => propensity],
  predicted_quality: ["float8", ({ predictedQuality }) => predictedQuality],
  outcome: ["float8", ({ outcome }) => outcome],
  weight: ["float8", ({ weight }) => weight],
  noted_at: ["timestamptz", ({ notedAt }) => notedAt],
};

/** Inserts the outcomes of accounts that exist; `onConflict` says what becomes of one that is there. */
async function insertOutcomes(
  connection: Queryable,
  records: readonly OutcomeRecord[],
  onConflict = "DO NOTHING",
): Promise<void> {
  if (records.length === 0) return;
  const { names, from, values } = textRowsOf(records, RECORD_COLUMNS);
  await connection.query(
    `INSERT INTO routing_outcomes (${names})
     SELECT item.* FROM ${from} JOIN accounts a ON a.id = item.account_id
     ON CONFLICT (account_id, request_id, source, model) ${onConflict}`,
    values,
  );
}

/** Deletes statistics that are too old to say anything, and their part in the shared ones. */
export async function sweepLearning(database: Database, mostPerAccount: number): Promise<void> {
  await database.query(`DELETE FROM routing_outcomes WHERE noted_at < now() - interval '${OUTCOME_RETENTION}'`);
  const isOld = `updated_at < now() - interval '${STATS_RETENTION}'`;
  await database.query(`DELETE FROM learnt_lengths WHERE ${isOld}`);
  const [old] = await database.query(`SELECT FROM learnt_outcomes WHERE ${isOld} LIMIT 1`);
  if (old === undefined) return;
  await database.transaction(async (connection) => {
    const version = await nextVersion(connection);
    await connection.query(
      `WITH gone AS (DELETE FROM learnt_outcomes WHERE ${isOld} RETURNING *)
       ${addToShared(
         `SELECT model, domain, -lends::int AS accounts, -(${sharedWeight("gone", "$2::float8")}) AS weight,
            -(${sharedSurplus("gone", "$2::float8")}) AS surplus FROM gone`,
         "$1::bigint",
       )}`,
      [version, mostPerAccount],
    );
  });
}

/** An outcome in a list. */
export type OutcomeRow = Omit<Row<"routing_outcomes">, "account_id">;

/** Which outcomes to list: by the arrival of their requests, from a place in the list on. */
export interface OutcomeFilter {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly before: Pick<OutcomeRow, "request_id" | "source" | "model"> | undefined;
  readonly limit: number;
}

const KEEP_FEEDBACK = `INSERT INTO request_feedback (request_id, account_id, score, comment, given_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (request_id) DO UPDATE SET score = EXCLUDED.score, comment = EXCLUDED.comment, given_at = EXCLUDED.given_at`;

/** Clients' feedback on answers, and every counted outcome, in PostgreSQL. */
export class PostgresFeedback implements FeedbackStore {
  readonly #database: Database;
  readonly #others: OtherDatabases;

  constructor(database: Database, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
  }

  async keep(
    accountId: string,
    requestId: string,
    { score, comment, at }: AnswerFeedback,
    counted: OutcomeRecord | undefined,
  ): Promise<number | undefined> {
    const values = [requestId, accountId, score, comment ?? null, at];
    // Also beside the record, for lists of requests that are filtered by it.
    for (const other of this.#others.ofAccount(accountId)) await other.query(KEEP_FEEDBACK, values);
    return this.#database.transaction(async (connection) => {
      // Concurrent feedback on the same request waits here.
      await connection.query(KEEP_FEEDBACK, values);
      if (counted === undefined) return undefined;
      const before = await connection.query<Row<"routing_outcomes", "outcome">>(
        "SELECT outcome FROM routing_outcomes WHERE account_id = $1 AND request_id = $2 AND source = $3",
        [accountId, requestId, counted.source],
      );
      await insertOutcomes(
        connection,
        [{ ...counted, accountId, requestId }],
        "DO UPDATE SET outcome = EXCLUDED.outcome, noted_at = EXCLUDED.noted_at",
      );
      return before[0]?.outcome;
    });
  }

  /** What was counted of one account's requests, the newest request first. */
  listOutcomes(accountId: string, { from, to, before, limit }: OutcomeFilter): Promise<OutcomeRow[]> {
    return this.#database.query<OutcomeRow>(
      `SELECT request_id, source, model, domain, propensity, predicted_quality, outcome, weight, noted_at
       FROM routing_outcomes
       WHERE account_id = $1 AND ($2::uuid IS NULL OR request_id >= $2) AND ($3::uuid IS NULL OR request_id < $3)
         AND ($4::uuid IS NULL OR (request_id, source, model) < ($4, $5, $6))
       ORDER BY request_id DESC, source DESC, model DESC LIMIT $7`,
      [
        accountId,
        from === undefined ? null : firstIdAt(from.getTime()),
        to === undefined ? null : firstIdAt(to.getTime()),
        before?.request_id ?? null,
        before?.source ?? null,
        before?.model ?? null,
        limit,
      ],
    );
  }
}
