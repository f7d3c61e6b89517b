import { SEGMENT_OUTCOMES } from "@trunkline/core/leg.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { SegmentRow } from "../../store/usage/request-log.ts";

/** What one of several models did for a request. */
export const segmentResponseSchema = z.object({
  model: z.string(),
  outcome: z
    .enum(SEGMENT_OUTCOMES)
    .describe(
      "`answered`: it finished the answer. `cut-off`: another model went on after it, or none did. `failed-check`: its whole answer failed the check of a cascade. `refused`: moderation took the answer away.",
    ),
  usage_source: z.enum(["provider", "own"]).describe("Whose count of tokens was charged."),
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  cache_write_tokens: z.number(),
  output_tokens: z.number(),
  images: z.number(),
  audio_ms: z.number(),
  price_version: z.string(),
  discount: z.number(),
  cost: z.number(),
});

/** The same of a record, on the wire. */
export function toSegmentResponse(leg: SegmentRow) {
  return {
    model: `${leg.provider}/${leg.model}`,
    outcome: leg.outcome,
    usage_source: leg.usage_source,
    input_tokens: Number(leg.input_tokens),
    cached_input_tokens: Number(leg.cached_input_tokens),
    cache_write_tokens: Number(leg.cache_write_tokens),
    output_tokens: Number(leg.output_tokens),
    images: leg.images,
    audio_ms: Number(leg.audio_ms),
    price_version: leg.price_version,
    discount: leg.discount / 10_000,
    cost: toCredits(leg.cost),
  };
}
