import type { Caller } from "@trunkline/core/caller.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import type { Services } from "../app/services.ts";

const NO_VALUES: ReadonlyMap<string, string> = new Map();

/** Restores in the answer the values that were redacted in the request, if the policy says so. */
export function restorerFor(
  services: Services,
  caller: Caller,
  sent: Inference,
  redactions: Redactions,
): RedactionRestorer {
  const { restoresRedactions } = services.guardFor(caller);
  return new RedactionRestorer(restoresRedactions ? redactions.byPlaceholder : NO_VALUES, isJson(sent));
}

/**
 * Seals the values that were restored in an answer, to be stored with it; undefined when there are none. The request's body
 * is the key: only a client that sends the same body again, and so has the values, can open them.
 */
export function sealRedactions(body: string, restored: ReadonlyMap<string, string>): string | undefined {
  if (restored.size === 0) return undefined;
  return sealerOf(body)
    .seal(new Secret(JSON.stringify([...restored])), "")
    .toString("base64");
}

/** The stored answer of an earlier run, with the values restored then. Today's policy does not apply. */
export async function* replayIdempotentAnswer(
  inference: Inference,
  body: string,
  { parts, sealed }: { readonly parts: AsyncIterable<Part | Receipt>; readonly sealed: string | undefined },
): AsyncGenerator<Part | Receipt> {
  const restorer = new RedactionRestorer(
    sealed === undefined ? NO_VALUES : openRedactions(body, sealed),
    isJson(inference),
  );
  for await (const part of parts) {
    if (part.type !== "receipt") yield* restorer.read(part);
    else {
      yield* restorer.flush();
      yield part;
    }
  }
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
