import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isInRanges } from "@trunkline/core/ip-address.ts";
import { isOriginIn } from "@trunkline/core/origins.ts";
import { hasPermission, isBeyondSso, isReadOnly, PERMISSIONS, type Permission } from "@trunkline/core/permissions.ts";
import { hashOfToken } from "@trunkline/core/secret.ts";
import { hashOfKey, isPlausibleKey, type Keyring } from "../keys/keyring.ts";

/** What a request authenticates with: a key, or the cookie of a session. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly session: SessionCookie | undefined;
}

export interface SessionCookie {
  readonly token: string;
  /** One of our own pages sent the request, or it only reads. Browsers send cookies also for pages of other sites. */
  readonly trusted: boolean;
}

export interface SessionLookup {
  findCaller(hash: Buffer): Promise<Caller | undefined>;
}

const BEARER = "Bearer ";

/**
 * Only a hash of the key or the cookie is ever looked up, so the store can leak without leaking them.
 * Returns a promise only where the store must be asked.
 */
export function authenticate(
  keyring: Keyring,
  sessions: SessionLookup,
  { authorization, session }: Credentials,
): Caller | Promise<Caller> {
  const known = cachedCallerOf(keyring, authorization);
  if (known !== undefined) return known;
  if (authorization === undefined || authorization.trim() === "") {
    if (session !== undefined) return resumeSession(sessions, session);
    throw new Fault("missing_api_key", "Send your key as `Authorization: Bearer <key>`.");
  }
  const key = /^(?:bearer +)?(\S+)$/i.exec(authorization.trim())?.[1];
  return requireKnownKey(key === undefined ? undefined : findCallerByKey(keyring, key));
}

/** The caller of a key that was used lately, sent in the usual form. Only plausible keys are cached, so no other check is needed. */
export function cachedCallerOf(keyring: Keyring, authorization: string | undefined): Caller | undefined {
  if (authorization === undefined || !authorization.startsWith(BEARER)) return undefined;
  return keyring.findCached(hashOfKey(authorization.slice(BEARER.length)));
}

/** For background work of a key, such as a batch. Fails once the key is revoked or expired. */
export function authenticateById(keyring: Keyring, keyId: string): Caller | Promise<Caller> {
  return requireKnownKey(keyring.findById(keyId));
}

/** One fault for unknown, revoked and expired keys, so that a client can't learn which keys existed. */
function requireKnownKey(caller: Caller | undefined | Promise<Caller | undefined>): Caller | Promise<Caller> {
  if (caller instanceof Promise) return caller.then(requireKnownKey);
  if (caller !== undefined) return caller;
  throw new Fault("invalid_api_key", "This key is unknown, revoked or expired. Check it, or make a new one.");
}

async function resumeSession(sessions: SessionLookup, { token, trusted }: SessionCookie): Promise<Caller> {
  if (!trusted) {
    throw new Fault("cross_site", "A page of another site asked for this. Use the dashboard itself, or a key.");
  }
  const caller = await sessions.findCaller(hashOfToken(token));
  if (caller === undefined) throw new Fault("invalid_session", "You are logged out. Log in again.");
  return caller;
}

function findCallerByKey(keyring: Keyring, key: string): Caller | undefined | Promise<Caller | undefined> {
  const hash = hashOfKey(key);
  if (!isPlausibleKey(key) && !keyring.allowsAnyFormat(hash)) return undefined;
  return keyring.find(hash);
}

/** Where a request comes from. */
export interface RequestSource {
  /** The client's network address. */
  readonly address: string;
  /** The site whose page sent it; undefined: one of our own, or no page. */
  readonly origin?: string | undefined;
}

/** Checks the caller's address, page and permission, and that the account is not suspended. */
export function requirePermission(
  caller: Caller,
  permission: Permission | undefined,
  { address, origin }: RequestSource,
): void {
  if (caller.ips !== undefined && !isInRanges(address, caller.ips)) {
    throw new Fault(
      "insufficient_scope",
      "This key may not be used from your address. Its owner can change the allowed ranges.",
    );
  }
  if (origin !== undefined && caller.origins !== undefined && !isOriginIn(origin, caller.origins)) {
    throw new Fault(
      "insufficient_scope",
      "This key may not be used by pages of your site. Its owner can list the site in the key's `origins`; a key of the scope `inference` alone needs no list.",
    );
  }
  if (permission === undefined) return;
  if (!hasPermission(caller, permission)) throw missingPermission(caller, permission);
  if (caller.suspended && !isReadOnly(permission)) {
    throw new Fault(
      "account_suspended",
      "This account is suspended: it can be looked at, but not used. Ask the service's operator.",
    );
  }
}

function missingPermission(caller: Caller, permission: Permission): Fault {
  const { scope, roles } = PERMISSIONS[permission];
  if (caller.person !== undefined) {
    if (isBeyondSso(caller.person, permission))
      return new Fault(
        "insufficient_role",
        "You are logged in by single sign-on, which reaches this organisation only. Log in by your own password or passkey to change your profile.",
      );
    return new Fault(
      "insufficient_role",
      `Your role here is ${caller.person.role}. This takes ${roles.join(" or ")}${scope === "admin" ? " of the operator's organisation" : ""}.`,
    );
  }
  return scope === undefined
    ? new Fault("insufficient_scope", "No key may do this. Do it in the dashboard.")
    : new Fault("insufficient_scope", `This key lacks the scope \`${scope}\`. Use a key that has it.`);
}
