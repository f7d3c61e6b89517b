import type { RequestRecord } from "../../store/usage/request-log.ts";

/** What is known of an attempt for finding out whether it was charged for. Older records have less of it. */
interface StoredAttempt {
  readonly model?: string | undefined;
  readonly first_part_ms?: number | null | undefined;
}

/** What one model was charged for. */
interface ChargedTokens {
  readonly model: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/**
 * The attempts of a request, with the tokens of those that were charged for. Legs are in the order of their attempts, and
 * only what has begun can be one; so both are gone through from their ends, where what was given up before it began is passed over.
 */
export function withChargedTokens<Kept extends StoredAttempt>(
  record: RequestRecord,
  model: string | null,
  attempts: readonly Kept[],
) {
  const charged = chargedTokensOf(record, model);
  return attempts
    .toReversed()
    .map((attempt) => {
      const isCharged = attempt.first_part_ms !== null && charged.at(-1)?.model === attempt.model;
      const chargedTokens = isCharged ? charged.pop() : undefined;
      return {
        kind: null,
        first_part_ms: null,
        ...attempt,
        input_tokens: chargedTokens?.input_tokens ?? null,
        output_tokens: chargedTokens?.output_tokens ?? null,
      };
    })
    .toReversed();
}

function chargedTokensOf(record: RequestRecord, model: string | null): ChargedTokens[] {
  if (record.usage_source === "none") return [];
  const legs = record.legs.map((leg) => ({ ...leg, model: `${leg.provider}/${leg.model}` }));
  return (legs.length === 0 ? [{ ...record, model }] : legs).map((work) => ({
    model: work.model,
    input_tokens: Number(work.input_tokens),
    output_tokens: Number(work.output_tokens),
  }));
}
