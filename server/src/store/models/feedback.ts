import { firstIdAt } from "@trunkline/core/id.ts";
import type { AnswerFeedback, FeedbackStore } from "@trunkline/router/learn/feedback.ts";
import type { OutcomeRecord } from "@trunkline/router/learn/learning-store.ts";
import type { Database } from "../database/database.ts";

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
      // Whoever speaks of the same request at the same time waits here.
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
