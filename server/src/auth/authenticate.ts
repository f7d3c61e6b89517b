import type { Caller, Scope } from "../domain/caller.ts";
import { Fault } from "../kit/fault.ts";
import { isInRanges } from "../kit/ip-ranges.ts";
import { hashOfKey, isPlausibleKey } from "./key-format.ts";
import type { Keyring } from "./keyring.ts";

/** Stage 1. Only a hash of the key is ever looked up, so the store can leak without leaking keys. */
export async function authenticate(keyring: Keyring, authorization: string | undefined): Promise<Caller> {
  if (authorization === undefined || authorization.trim() === "") {
    throw new Fault("missing_api_key", "Send your key as `Authorization: Bearer <key>`.");
  }
  const key = /^(?:bearer +)?(\S+)$/i.exec(authorization.trim())?.[1];
  const caller = key === undefined ? undefined : await findCaller(keyring, key);
  // One answer for unknown, revoked and expired: a stranger learns nothing of which it was.
  if (caller === undefined)
    throw new Fault(
      "invalid_api_key",
      "This key is unknown, revoked or expired. Check it, or make a new one.",
    );
  return caller;
}

async function findCaller(keyring: Keyring, key: string): Promise<Caller | undefined> {
  const hash = hashOfKey(key);
  if (!isPlausibleKey(key) && !keyring.isExempt(hash)) return undefined;
  return keyring.find(hash);
}

/** Stage 2. What the key may do, and from where. */
export function requireScope(caller: Caller, scope: Scope | undefined, address: string): void {
  if (caller.ips !== undefined && !isInRanges(address, caller.ips)) {
    throw new Fault(
      "insufficient_scope",
      "This key may not be used from your address. Its owner can change the allowed ranges.",
    );
  }
  if (scope !== undefined && !caller.scopes.has(scope)) {
    throw new Fault("insufficient_scope", `This key lacks the scope \`${scope}\`. Use a key that has it.`);
  }
}
