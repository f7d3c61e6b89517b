import type { Price } from "@trunkline/core/model.ts";
import { fromCredits } from "@trunkline/core/money.ts";
import { priceOf } from "@trunkline/core/price.ts";
import { sureQualityOf } from "@trunkline/router/rank/standing.ts";
import type { PastCandidate, PastRequest } from "@trunkline/router/report/strategy-report.ts";
import { z } from "zod";
import type { RoutedRequest } from "../../../store/usage/routed-requests.ts";

/** What of a record's detail is needed to look back at the choice. Records of earlier versions lack some of it. */
const recordedChoiceSchema = z.object({
  attempts: z.array(z.object({ model: z.string(), outcome: z.string() })),
  routing: z.object({
    chosen_by: z.enum(["account", "request"]),
    candidates: z.array(
      z.object({
        model: z.string(),
        predicted_quality: z.number(),
        lower_quality: z.number().optional(),
        evidence: z.number().default(0),
        expected_latency_ms: z.number(),
        estimated_cost: z.number(),
        price_version: z.string(),
        error_rate: z.number().default(0),
        wanted: z.boolean().default(false),
        tier: z.number().default(0),
      }),
    ),
  }),
});

type Choice = z.output<typeof recordedChoiceSchema>;

/** A record that could be read, with its choice. */
export interface RoutedRecord {
  readonly record: RoutedRequest;
  readonly choice: Choice;
}

/** The choices in some records; those that can't be read are passed over. */
export function readRoutedRecords(records: readonly RoutedRequest[]): RoutedRecord[] {
  return records.flatMap((record) => {
    const read = recordedChoiceSchema.safeParse(JSON.parse(record.detail));
    return read.success ? [{ record, choice: read.data }] : [];
  });
}

/** The numbers of every price version that some choices were made by. Built-in models have none. */
export function priceVersionsIn(choices: readonly RoutedRecord[]): string[] {
  const versions = choices.flatMap(({ choice: { routing } }) =>
    routing.candidates.map((candidate) => candidate.price_version),
  );
  return [...new Set(versions)].filter((version) => /^[1-9]\d{0,17}$/.test(version));
}

/** A record as the report on strategies reads it. Only who competed with the one that was chosen could have been chosen instead. */
export function toPastRequest(
  { record, choice: { attempts, routing } }: RoutedRecord,
  prices: ReadonlyMap<string, Price>,
): PastRequest {
  const usage = {
    inputTokens: Number(record.input_tokens),
    cachedInputTokens: Number(record.cached_input_tokens),
    cacheWriteTokens: Number(record.cache_write_tokens),
    outputTokens: Number(record.output_tokens),
    images: record.images ?? 0,
    audioMs: Number(record.audio_ms),
  };
  const model = `${record.provider}/${record.model}`;
  const tier = routing.candidates.find((candidate) => candidate.model === model)?.tier;
  const candidates = routing.candidates.flatMap((candidate): PastCandidate[] => {
    if (candidate.tier !== tier) return [];
    const estimate = fromCredits(candidate.estimated_cost) ?? 0n;
    const price = prices.get(candidate.price_version);
    const { predicted_quality: quality, lower_quality: lower = quality, evidence } = candidate;
    return [
      {
        model: candidate.model,
        estimate: Number(estimate),
        cost: price === undefined ? estimate : priceOf(price, usage),
        latencyMs: candidate.expected_latency_ms,
        quality,
        sureQuality: sureQualityOf(quality, lower, evidence),
        errorRate: candidate.error_rate,
        isWanted: candidate.wanted,
      },
    ];
  });
  const failed = attempts.flatMap(({ outcome, model: called }) =>
    outcome === "failed" || outcome === "cut-off" ? [called] : [],
  );
  return {
    id: record.id,
    createdAt: record.created_at,
    model,
    cost: record.cost,
    failed: new Set(failed),
    candidates,
  };
}
