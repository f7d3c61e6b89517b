import type { Caller } from "@trunkline/core/caller.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import type { Services } from "../app/services.ts";

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Puts back into the answer what was taken out of the request, where the policy says so. */
export function restorerFor(
  services: Services,
  caller: Caller,
  sent: Inference,
  redactions: Redactions,
): RedactionRestorer {
  const { restoresRedactions: restores } = services.guardFor(caller);
  return new RedactionRestorer(restores ? redactions.byPlaceholder : NOTHING, isJson(sent));
}

/**
 * What was put back into an answer, to be kept beside it: undefined, where that is nothing. The body that was asked with is
 * the key, so that it opens for nobody but those who send the same again, and have the values anyway.
 */
export function sealRedactions(body: string, putBack: ReadonlyMap<string, string>): string | undefined {
  if (putBack.size === 0) return undefined;
  return sealerOf(body)
    .seal(new Secret(JSON.stringify([...putBack])), "")
    .toString("base64");
}

/** What was kept of an earlier run, with the values that were put into it at that time: by no rule of today's. */
export async function* replayIdempotentAnswer(
  inference: Inference,
  body: string,
  { parts, sealed }: { readonly parts: AsyncIterable<Part | Receipt>; readonly sealed: string | undefined },
): AsyncGenerator<Part | Receipt> {
  const redactionRestorer = new RedactionRestorer(
    sealed === undefined ? NOTHING : openRedactions(body, sealed),
    isJson(inference),
  );
  for await (const part of parts) {
    if (part.type !== "receipt") yield* redactionRestorer.read(part);
    else {
      yield* redactionRestorer.flush();
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
