import { Fault } from "@trunkline/core/fault.ts";
import { type Sealer, Secret } from "@trunkline/core/secret.ts";

/** One item of a conversation, in the form of OpenAI's Responses. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** Called with the size of what was read before it is decrypted. It may refuse it. */
export type CountBytes = (bytes: number) => void;

/** Whether a text can be the id of an item: clients give items ids of their own, and not every text can be stored. */
export function isItemId(text: string): boolean {
  return /^[\w.:+/=-]{1,128}$/.test(text);
}

/** Encrypts a value. It opens only under the same owner: the account and the row that it belongs to. */
export function sealJson(sealer: Sealer, value: unknown, owner: string): Buffer {
  return sealer.seal(new Secret(JSON.stringify(value)), owner);
}

/** Decrypts a value. One that was encrypted under another secret, or for another owner, counts as missing. */
export function openJson(sealer: Sealer, box: Buffer, owner: string): unknown {
  let text: string;
  try {
    text = sealer.open(box, owner).reveal();
  } catch (cause) {
    throw new Fault(
      "not_found",
      "What was kept here was encrypted under another secret and can't be read.",
      {},
      { cause },
    );
  }
  return JSON.parse(text);
}
