import type { Evidence, OutcomeTally } from "@trunkline/core/prediction.ts";

export const EMPTY_TALLY: OutcomeTally = { weight: 0, surplus: 0 };

/** What an account sees of one model in one domain; nothing counts as nothing learnt. */
export function tallyOf(evidence: Evidence, accountId: string, model: string, domain: string) {
  const learnt = evidence.forModel(accountId, model);
  const at = 2 * evidence.placeOf(domain);
  const tallyIn = (sums: readonly number[] = []): OutcomeTally => ({
    weight: sums[at] ?? 0,
    surplus: sums[at + 1] ?? 0,
  });
  return { own: tallyIn(learnt?.own), shared: tallyIn(learnt?.shared) };
}
