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
import { announceOutcomes } from "../database/changes.ts";
import type { Database, Queryable } from "../database/database.ts";

/** Evidence without a new outcome for this long says nothing about today's model. */
const STATS_RETENTION = "180 days";
const OUTCOME_RETENTION = "90 days";

const OWN_COLUMNS = `account_id AS "accountId", model, domain, weight, surplus`;
const SHARED_COLUMNS = "model, domain, accounts, weight, surplus";
const LENGTH_COLUMNS = "model, task, domain, weight, log_sum AS surplus";

/** With what weight an account's outcomes count for all: none of its own models, and never more than `most`. */
const sharedWeight = (row: string, most: string) =>
  `CASE WHEN ${row}.lends THEN least(${row}.weight, ${most}) ELSE 0 END`;
const sharedSurplus = (row: string, most: string) =>
  `CASE WHEN ${row}.lends AND ${row}.weight > 0 THEN ${row}.surplus * least(1, ${most} / ${row}.weight) ELSE 0 END`;

/** What was learnt, in PostgreSQL: all instances add to the same sums. */
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

  async readAll(mostRecent: number): Promise<LearningChanges> {
    const [version] = await this.#database.query<{ version: bigint }>("SELECT version FROM learnt_version");
    // Whole accounts: of one that is known in part the rest would never be asked for.
    const own = await this.#database.query<AccountOutcomeRow>(
      `SELECT ${OWN_COLUMNS} FROM learnt_outcomes
       WHERE account_id IN (SELECT account_id FROM learnt_outcomes ORDER BY version DESC LIMIT $1)`,
      [mostRecent],
    );
    const shared = await this.#database.query<SharedOutcomeRow>(`SELECT ${SHARED_COLUMNS} FROM learnt_by_all`);
    const lengths = await this.#database.query<LengthRow>(`SELECT ${LENGTH_COLUMNS} FROM learnt_lengths`);
    return { version: version?.version ?? 0n, own, shared, lengths };
  }

  async changedSince(version: bigint): Promise<LearningChanges> {
    const [now] = await this.#database.query<{ version: bigint }>("SELECT version FROM learnt_version");
    if (now === undefined || now.version <= version) return { version, own: [], shared: [], lengths: [] };
    const since = "WHERE version > $1";
    const [own, shared, lengths] = await Promise.all([
      this.#database.query<AccountOutcomeRow>(`SELECT ${OWN_COLUMNS} FROM learnt_outcomes ${since}`, [version]),
      this.#database.query<SharedOutcomeRow>(`SELECT ${SHARED_COLUMNS} FROM learnt_by_all ${since}`, [version]),
      this.#database.query<LengthRow>(`SELECT ${LENGTH_COLUMNS} FROM learnt_lengths ${since}`, [version]),
    ]);
    return { version: now.version, own, shared, lengths };
  }

  readAccounts(accountIds: readonly string[]): Promise<AccountOutcomeRow[]> {
    return this.#database.query<AccountOutcomeRow>(
      `SELECT ${OWN_COLUMNS} FROM learnt_outcomes WHERE account_id = ANY ($1::uuid[])`,
      [accountIds],
    );
  }
}

/** One writer at a time, so that what all say together is exactly the sum of what each says. */
async function nextVersion(connection: Queryable): Promise<bigint> {
  const [row] = await connection.query<{ version: bigint }>(
    "UPDATE learnt_version SET version = version + 1 RETURNING version",
  );
  return row?.version ?? 0n;
}

async function addOutcomes(
  connection: Queryable,
  { outcomes, maxWeightPerAccount: mostPerAccount }: LearningBatch,
  version: bigint,
): Promise<void> {
  if (outcomes.length === 0) return;
  await connection.query(
    `WITH given AS (
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::float8[], $7::boolean[])
         AS g (account_id, model, domain, rest, weight, surplus, lends)
     ), before AS (
       SELECT t.* FROM learnt_outcomes t JOIN given g USING (account_id, model, domain)
     ), after AS (
       INSERT INTO learnt_outcomes AS t (account_id, model, domain, weight, surplus, lends, version, updated_at)
       SELECT g.account_id, g.model, g.domain, s.weight, greatest(-s.weight, least(s.weight, s.surplus)), g.lends, $8::bigint, now()
       FROM given g JOIN accounts a ON a.id = g.account_id LEFT JOIN before b USING (account_id, model, domain),
       LATERAL (SELECT greatest(0, coalesce(b.weight, 0) * g.rest + g.weight) AS weight,
         coalesce(b.surplus, 0) * g.rest + g.surplus AS surplus) AS s
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
    [
      outcomes.map(({ accountId }) => accountId),
      outcomes.map(({ model }) => model),
      outcomes.map(({ domain }) => domain),
      outcomes.map(({ decayFactor: left }) => left),
      outcomes.map(({ weight }) => weight),
      outcomes.map(({ surplus }) => surplus),
      outcomes.map(({ lends }) => lends),
      version,
      mostPerAccount,
    ],
  );
}

/** Adds differences to what all say together. */
function addToShared(differences: string, version: string): string {
  return `INSERT INTO learnt_by_all AS s (model, domain, accounts, weight, surplus, version)
     SELECT model, domain, sum(accounts)::int, sum(weight), sum(surplus), ${version} FROM (${differences}) AS d
     GROUP BY model, domain
     ON CONFLICT (model, domain) DO UPDATE SET accounts = s.accounts + EXCLUDED.accounts,
       weight = s.weight + EXCLUDED.weight, surplus = s.surplus + EXCLUDED.surplus, version = EXCLUDED.version`;
}

async function addLengths(connection: Queryable, lengths: LearningBatch["lengths"], version: bigint): Promise<void> {
  if (lengths.length === 0) return;
  await connection.query(
    `WITH given AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::float8[])
         AS g (model, task, domain, rest, weight, log_sum)
     )
     INSERT INTO learnt_lengths AS t (model, task, domain, weight, log_sum, version, updated_at)
     SELECT g.model, g.task, g.domain, coalesce(b.weight, 0) * g.rest + g.weight,
       coalesce(b.log_sum, 0) * g.rest + g.log_sum, $7::bigint, now()
     FROM given g LEFT JOIN learnt_lengths b USING (model, task, domain)
     ON CONFLICT (model, task, domain) DO UPDATE SET weight = EXCLUDED.weight, log_sum = EXCLUDED.log_sum,
       version = EXCLUDED.version, updated_at = EXCLUDED.updated_at`,
    [
      lengths.map(({ model }) => model),
      lengths.map(({ task }) => task),
      lengths.map(({ domain }) => domain),
      lengths.map(({ decayFactor: left }) => left),
      lengths.map(({ weight }) => weight),
      lengths.map(({ surplus }) => surplus),
      version,
    ],
  );
}

async function insertOutcomes(connection: Queryable, counted: readonly OutcomeRecord[]): Promise<void> {
  if (counted.length === 0) return;
  await connection.query(
    `INSERT INTO routing_outcomes
       (account_id, request_id, source, model, domain, propensity, predicted_quality, outcome, weight, noted_at)
     SELECT g.* FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[],
       $8::float8[], $9::float8[], $10::timestamptz[])
       AS g (account_id, request_id, source, model, domain, propensity, predicted_quality, outcome, weight, noted_at)
       JOIN accounts a ON a.id = g.account_id
     ON CONFLICT DO NOTHING`,
    [
      counted.map(({ accountId }) => accountId),
      counted.map(({ requestId }) => requestId),
      counted.map(({ source }) => source),
      counted.map(({ model }) => model),
      counted.map(({ domain }) => domain),
      counted.map(({ propensity }) => propensity),
      counted.map(({ predictedQuality }) => predictedQuality),
      counted.map(({ outcome }) => outcome),
      counted.map(({ weight }) => weight),
      counted.map(({ notedAt }) => notedAt),
    ],
  );
}

/** Forgets what is too old to say anything. What an account lent to all goes with it. */
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
export interface OutcomeRow {
  readonly request_id: string;
  readonly source: string;
  readonly model: string;
  readonly domain: string;
  readonly propensity: number;
  readonly predicted_quality: number;
  readonly outcome: number;
  readonly weight: number;
  readonly noted_at: Date;
}

/** Which outcomes are looked for: by when their requests arrived, and from a place in the list on. */
export interface OutcomeFilter {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly before: Pick<OutcomeRow, "request_id" | "source" | "model"> | undefined;
  readonly limit: number;
}

/** What clients said of their answers, and every outcome that was counted, in PostgreSQL. */
export class PostgresFeedback implements FeedbackStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  keep(
    accountId: string,
    requestId: string,
    { score, comment, at }: AnswerFeedback,
    counted: OutcomeRecord | undefined,
  ): Promise<number | undefined> {
    return this.#database.transaction(async (connection) => {
      // Concurrent feedback on the same request waits here.
      await connection.query(
        `INSERT INTO request_feedback (request_id, account_id, score, comment, given_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (request_id) DO UPDATE SET score = EXCLUDED.score, comment = EXCLUDED.comment, given_at = EXCLUDED.given_at`,
        [requestId, accountId, score, comment ?? null, at],
      );
      if (counted === undefined) return undefined;
      const before = await connection.query<{ outcome: number }>(
        "SELECT outcome FROM routing_outcomes WHERE account_id = $1 AND request_id = $2 AND source = $3",
        [accountId, requestId, counted.source],
      );
      await connection.query(
        `INSERT INTO routing_outcomes
           (account_id, request_id, source, model, domain, propensity, predicted_quality, outcome, weight, noted_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (account_id, request_id, source, model) DO UPDATE SET outcome = EXCLUDED.outcome, noted_at = EXCLUDED.noted_at`,
        [
          accountId,
          requestId,
          counted.source,
          counted.model,
          counted.domain,
          counted.propensity,
          counted.predictedQuality,
          counted.outcome,
          counted.weight,
          counted.notedAt,
        ],
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
