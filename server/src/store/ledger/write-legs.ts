import type { SettledSegment } from "../../ledger/billing/settled-leg.ts";
import { usageRows } from "../usage/usage-pieces.ts";

/** The legs of those requests of a batch that have some, for those that were written just now. */
export const SEGMENTS_WRITTEN = `legged AS (
  INSERT INTO request_legs (request_id, leg, provider, model, price_version, discount, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, images, audio_ms, usage_source, cost, outcome)
  SELECT recorded.id, leg, l.provider, l.model, l.price_version, l.discount, l.input_tokens, l.cached_input_tokens,
    l.cache_write_tokens, l.output_tokens, l.images, l.audio_ms, l.usage_source, l.cost, l.outcome
  FROM recorded JOIN batch USING (id) CROSS JOIN LATERAL json_to_recordset(batch.legs) AS l (leg int, provider text, model text,
    price_version text, discount int, input_tokens bigint, cached_input_tokens bigint, cache_write_tokens bigint,
    output_tokens bigint, images int, audio_ms bigint, usage_source text, cost bigint, outcome text)
  ON CONFLICT (request_id, leg) DO NOTHING
  RETURNING request_id, model, provider, input_tokens, output_tokens, cost
)`;

/** What was recorded, piece by piece, where some of it has legs. */
export const SEGMENT_USAGE_ROWS = `(${usageRows("recorded", "legged")}) AS piece`;

/** The legs of one request as the statement takes them. */
export function segmentRowsOf(legs: readonly SettledSegment[]) {
  return legs.map((leg, index) => ({
    leg: index + 1,
    provider: leg.provider,
    model: leg.model,
    price_version: leg.priceVersion,
    discount: leg.discount,
    input_tokens: leg.inputTokens,
    cached_input_tokens: leg.cachedInputTokens,
    cache_write_tokens: leg.cacheWriteTokens,
    output_tokens: leg.outputTokens,
    images: leg.images,
    audio_ms: leg.audioMs,
    usage_source: leg.usageSource,
    cost: String(leg.cost),
    outcome: leg.outcome,
  }));
}
