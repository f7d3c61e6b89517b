import type { EligibleModel } from "../candidates/prospect.ts";
import { clearsFloor } from "./clears-floor.ts";
import { moveToFront, type RankedTier } from "./order.ts";

/** What is known of a request's session. */
export interface SessionAffinity {
  /** `provider/name` of the model that answered last in the request's session. */
  readonly sessionModel: string | undefined;
  /** The client did not ask for a session in so many words: it is not to cost it much. */
  readonly sessionIsImplied?: boolean | undefined;
}

/**
 * Puts the model that answered last in the session before all others, where it is among them: its provider has the
 * session's beginning in its cache. One below the floor of quality, to which an outage may have led, is left again.
 */
export function preferSessionModel(
  rankedTier: RankedTier,
  { sessionModel, sessionIsImplied = false }: SessionAffinity,
  qualityFloor: number,
): RankedTier {
  if (sessionModel === undefined) return rankedTier;
  // A provider's name has no slash in it; a model's may have one.
  const slash = sessionModel.indexOf("/");
  const [provider, name] = [sessionModel.slice(0, slash), sessionModel.slice(slash + 1)];
  const { best, eligibleModels } = rankedTier;
  const place = eligibleModels.findIndex(({ model }) => model.name === name && model.provider === provider);
  const kept = eligibleModels[place];
  if (kept === undefined || best === undefined) return rankedTier;
  if (!clearsFloor(kept, qualityFloor) && clearsFloor(best, qualityFloor)) return rankedTier;
  if (sessionIsImplied && isMuchMoreExpensive(kept, best)) return rankedTier;
  return {
    ...rankedTier,
    eligibleModels: moveToFront(eligibleModels, place),
    propensity: 1,
    stickyTo: sessionModel,
  };
}

/** By more than a half. A short outage of the best must not make a conversation dear for as long as it lasts. */
function isMuchMoreExpensive(one: EligibleModel, other: EligibleModel): boolean {
  return one.quote.estimate * 2n > other.quote.estimate * 3n;
}
