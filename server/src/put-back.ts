import type { Part } from "./domain/answer.ts";
import type { Caller } from "./domain/caller.ts";
import type { Inference } from "./domain/inference.ts";
import type { Receipt } from "./domain/receipt.ts";
import type { House } from "./house.ts";
import { redact } from "./safety/private/redact.ts";
import { Restorer } from "./safety/private/restore.ts";
import { Vault } from "./safety/private/vault.ts";

/** Puts back into the answer what was taken out of the request, where the policy says so. */
export function restorerFor(house: House, caller: Caller, sent: Inference, vault: Vault): Restorer {
  const { restores } = house.guardFor(caller);
  return new Restorer(restores ? vault : new Vault(), sent.conversation.answerForm !== undefined);
}

/** What was kept of an earlier run holds placeholders, and the values are in this very request again. */
export async function* replayed(
  house: House,
  caller: Caller,
  inference: Inference,
  kept: AsyncIterable<Part | Receipt>,
): AsyncGenerator<Part | Receipt> {
  const guard = house.guardFor(caller);
  const { vault } = guard.redacts ? await redact(inference, guard.valuesIn) : { vault: new Vault() };
  const restorer = restorerFor(house, caller, inference, vault);
  for await (const part of kept) {
    if (part.type === "receipt") yield part;
    else yield* restorer.read(part);
  }
}
