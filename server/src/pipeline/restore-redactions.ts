import type { Caller } from "@trunkline/core/caller.ts";
import { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Receipt } from "@trunkline/core/parts.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import type { Services } from "../app/services.ts";
import type { StoredAnswer } from "../ledger/billing/idempotent-run.ts";
import type { DeliverParts } from "./answer-progress.ts";

/** Restores in the answer the values that were redacted in the request; undefined where there are none to restore. */
export function restorerFor(
  services: Services,
  caller: Caller,
  sent: Inference,
  redactions: Redactions,
): RedactionRestorer | undefined {
  if (redactions.byPlaceholder.size === 0 || !services.guardFor(caller).restoresRedactions) return undefined;
  return new RedactionRestorer(redactions.byPlaceholder, isJson(sent));
}

export function restoreAnswer(restorer: RedactionRestorer, answer: CollectedAnswer): CollectedAnswer {
  return CollectedAnswer.of(restorer.restoreAll(answer.parts));
}

/**
 * Seals the values that were restored in an answer, to be stored with it; undefined when there are none. The request's body
 * is the key: only a client that sends the same body again, and so has the values, can open them.
 */
export function sealRedactions(body: string, { restoredValues }: RedactionRestorer): string | undefined {
  if (restoredValues.size === 0) return undefined;
  return sealerOf(body)
    .seal(new Secret(JSON.stringify([...restoredValues])), "")
    .toString("base64");
}

/** The stored answer of an earlier run, with the values restored then, or its fault after what it gave. Today's policy does not apply. */
export async function replayIdempotentAnswer(
  inference: Inference,
  body: string,
  { parts, end, sealed }: StoredAnswer,
  send: DeliverParts | undefined,
): Promise<{ readonly answer: CollectedAnswer; readonly receipt: Receipt }> {
  const values = sealed === undefined ? undefined : openRedactions(body, sealed);
  const restored = values === undefined ? parts : new RedactionRestorer(values, isJson(inference)).restoreAll(parts);
  await send?.(restored);
  if ("fault" in end) throw end.fault;
  return { answer: CollectedAnswer.of(restored), receipt: end.receipt };
}

function openRedactions(body: string, sealed: string): ReadonlyMap<string, string> {
  const pairs: [string, string][] = JSON.parse(sealerOf(body).open(Buffer.from(sealed, "base64"), "").reveal());
  return new Map(pairs);
}

function sealerOf(body: string): Sealer {
  return new Sealer(new Secret(body), "values put back");
}

function isJson({ conversation }: Inference): boolean {
  return conversation.answerForm !== undefined;
}
