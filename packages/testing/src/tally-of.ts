import { EMPTY_TALLY, type Evidence } from "@trunkline/core/prediction.ts";

const NOTHING = { own: EMPTY_TALLY, shared: EMPTY_TALLY };

/** What an account sees of one model in one domain; nothing counts as nothing learnt. */
export function tallyOf(evidence: Evidence, accountId: string, model: string, domain: string) {
  return evidence.forModel(accountId, model)?.inDomain(domain) ?? NOTHING;
}
