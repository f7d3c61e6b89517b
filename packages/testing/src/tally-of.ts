import { type Evidence, NO_TALLY } from "@trunkline/core/prediction.ts";

const NOTHING = { own: NO_TALLY, shared: NO_TALLY };

/** What an account sees of one model in one domain; nothing counts as nothing learnt. */
export function tallyOf(evidence: Evidence, accountId: string, model: string, domain: string) {
  return evidence.about(accountId, model)?.in(domain) ?? NOTHING;
}
