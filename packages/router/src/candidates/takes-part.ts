import type { Caller } from "@trunkline/core/caller.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { canaryShareOf, type Model } from "@trunkline/core/model.ts";

const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** What decides, with each model, whether it takes part. A session has one for all its requests, so that it does not flip. */
export function trafficKeyOf(
  { session }: Pick<Inference, "session">,
  { accountId }: Pick<Caller, "accountId">,
  requestId: string,
): number {
  if (session === undefined) return fnv1a(FNV_BASIS, requestId);
  return fnv1a(fnv1a(FNV_BASIS, accountId), session);
}

/** Whether a model takes part in an automatic request: in its share of them, and each model by a draw of its own. */
export function isInTrafficShare(model: Model, ticket: number): boolean {
  const share = canaryShareOf(model);
  return share >= 1 || hashFraction(ticket, model.id) < share;
}

/** A number from 0 up to 1 that is always the same for the same two: FNV-1a, and the last mixing of MurmurHash3. */
function hashFraction(ticket: number, modelId: string): number {
  let hash = fnv1a(ticket, modelId);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}

function fnv1a(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash;
}
