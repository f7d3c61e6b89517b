import { newId } from "@trunkline/core/id.ts";
import { MODEL_TYPES } from "@trunkline/core/model.ts";
import type {
  OwnModel,
  UsageComparison,
  UsageCount,
  UsageReportStore,
  UsageScope,
} from "../../ledger/reconciliation.ts";
import type { Database } from "../database/database.ts";
import { usageClosedUntil } from "./close-usage.ts";
import { type DaySpan, providerUsageQuery } from "./provider-usage.ts";
import { ALL_MODELS, ALL_TIME } from "./reconciled-usage.ts";

interface UsedRow {
  provider: string;
  model: string;
  day: string;
  requests: bigint;
  tokens: bigint;
}

/** Reports of providers in PostgreSQL. Every one is kept; of one model and day the newest counts. */
export class PostgresProviderReports implements UsageReportStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async modelsOf(accountId: string): Promise<OwnModel[]> {
    const rows = await this.#database.query<{ provider: string; name: string; type: string }>(
      `SELECT provider, name, type FROM (
         SELECT DISTINCT ON (provider, name) * FROM models WHERE account_id = $1
         ORDER BY provider, name, deleted_at DESC NULLS FIRST
       ) AS own ORDER BY deleted_at IS NOT NULL, created_at`,
      [accountId],
    );
    return rows.map(({ type, ...row }) => ({
      ...row,
      type: MODEL_TYPES.find((known) => known === type) ?? "text",
    }));
  }

  async count(usageScopes: readonly UsageScope[]): Promise<UsageCount[]> {
    const days = usageScopes.flatMap(({ day }) => day ?? []).toSorted();
    const used = [
      ...(days.length === 0
        ? []
        : await this.#usedBy(usageScopes, "day", { from: days[0], to: days.at(-1) })),
      ...(days.length === usageScopes.length
        ? []
        : await this.#usedBy(usageScopes, "'infinity'::date", { from: undefined, to: undefined })),
    ];
    const counts = new Map<string, UsageCount>();
    for (const { provider, model, day, requests, tokens } of used) {
      for (const key of [subjectKey(provider, model, day), subjectKey(provider, ALL_MODELS, day)]) {
        const sum = counts.get(key) ?? NO_USAGE;
        counts.set(key, {
          requests: sum.requests + Number(requests),
          tokens: sum.tokens + Number(tokens),
        });
      }
    }
    return usageScopes.map(
      ({ provider, model = ALL_MODELS, day = ALL_TIME }) =>
        counts.get(subjectKey(provider, model, day)) ?? NO_USAGE,
    );
  }

  async #usedBy(usageScopes: readonly UsageScope[], day: string, span: DaySpan): Promise<UsedRow[]> {
    const values: unknown[] = [];
    const providers = [...new Set(usageScopes.map(({ provider }) => provider))];
    const closed = await usageClosedUntil(this.#database);
    const usage = providerUsageQuery(providers, span, closed, (value) => `$${values.push(value)}`);
    return this.#database.query<UsedRow>(
      `SELECT provider, model, (${day})::text AS day, sum(requests)::bigint AS requests, sum(tokens)::bigint AS tokens
       FROM (${usage}) AS used GROUP BY 1, 2, 3`,
      values,
    );
  }

  async save(accountId: string, usageComparisons: readonly UsageComparison[]): Promise<void> {
    const column = (read: (usageComparison: UsageComparison) => unknown) => usageComparisons.map(read);
    await this.#database.query(
      `INSERT INTO provider_reports (account_id, id, provider, model, day, requests, tokens_processed, counted_requests, counted_tokens, provisional, flagged)
       SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::date[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::boolean[], $11::boolean[])`,
      [
        accountId,
        column(() => newId()),
        column(({ provider }) => provider),
        column(({ model }) => model ?? ALL_MODELS),
        column(({ day }) => day ?? ALL_TIME),
        column(({ reported }) => reported.requests),
        column(({ reported }) => reported.tokens),
        column(({ counted }) => counted.requests),
        column(({ counted }) => counted.tokens),
        column(({ provisional }) => provisional),
        column(({ flagged }) => flagged),
      ],
    );
  }
}

const NO_USAGE: UsageCount = { requests: 0, tokens: 0 };

function subjectKey(provider: string, model: string, day: string): string {
  return JSON.stringify([provider, model, day]);
}
