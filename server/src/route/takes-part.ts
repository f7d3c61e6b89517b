import type { Caller } from "../domain/caller.ts";
import type { Inference } from "../domain/inference.ts";
import { canaryShareOf, type Model } from "../domain/model.ts";

/** What decides in which requests a model takes part. A session has one for all its requests, so that it does not flip. */
export function ticketOf(
  { session }: Pick<Inference, "session">,
  { accountId }: Pick<Caller, "accountId">,
  requestId: string,
): string {
  return session === undefined ? requestId : `${accountId} ${session}`;
}

/** Whether a model takes part in an automatic request: in its share of them, and each model by a draw of its own. */
export function takesPart(model: Model, ticket: string): boolean {
  const share = canaryShareOf(model);
  return share >= 1 || drawOf(ticket, model.id) < share;
}

/** A number from 0 up to 1 that is always the same for the same two: FNV-1a, and the last mixing of MurmurHash3. */
function drawOf(ticket: string, modelId: string): number {
  let hash = mixIn(mixIn(0x811c9dc5, ticket), modelId);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}

function mixIn(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
