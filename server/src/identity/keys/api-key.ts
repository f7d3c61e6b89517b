import type { Budget, Scope } from "@trunkline/core/caller.ts";
import type { CacheOptions } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { SafetyRules } from "@trunkline/core/safety-rules.ts";

/** What a key may do. */
export interface ApiKeySettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly budget: Budget | undefined;
  readonly models: readonly string[] | undefined;
  readonly ips: readonly string[] | undefined;
  /** For how long its answers may be given again; undefined: never, unless a request asks for it. */
  readonly cache?: CacheOptions | undefined;
  /** What it says of safety, laid over what its account says; undefined: nothing. */
  readonly safety?: SafetyRules | undefined;
}

export interface ApiKey extends ApiKeySettings {
  readonly id: string;
  readonly accountId: string;
  /** Enough of the newest secret to recognise it by. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  /** The member who made it; undefined: another key did, or the operator. */
  readonly madeBy: { readonly id: string; readonly name: string } | undefined;
  /** Until when a secret from before the last rotation still holds. */
  readonly oldSecretEndsAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** The zone of its account, in which the periods of its budget begin. */
  readonly timeZone: string;
}

export const KEY_STATES = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** What was done with a key. */
export interface KeyUsage {
  /** Answered ones, ever. */
  readonly requests: bigint;
  readonly spent: NanoCredits;
  /** Of `spent`, what was spent since the moment that was asked for. */
  readonly spentSince: NanoCredits;
}

/** A key and how it stands. */
export interface ApiKeyWithUsage extends ApiKey {
  readonly state: KeyState;
  readonly requests: bigint;
  readonly spent: NanoCredits;
  /** In the running period of its budget; undefined: it has none. */
  readonly spentInPeriod: NanoCredits | undefined;
  /** When its budget begins anew; undefined: never. */
  readonly periodEndsAt: Date | undefined;
}

/** Which keys are listed. */
export interface KeyFilter {
  /** undefined: all that are not revoked. */
  readonly state: KeyState | undefined;
  /** Found in the name or in the hint, whatever the case of its letters. */
  readonly search: string | undefined;
}

/** A secret as it is kept: its hash and what may be shown of it. */
export interface StoredSecret {
  readonly hash: string;
  readonly hint: string;
}

export interface ApiKeyStore {
  create(
    id: string,
    accountId: string,
    terms: ApiKeySettings,
    secret: StoredSecret,
    madeBy: string | undefined,
  ): Promise<ApiKey>;
  /** Newest first. */
  list(
    accountId: string,
    filter: KeyFilter & { readonly now: Date },
    limit: number,
    cursor: string | undefined,
  ): Promise<ApiKey[]>;
  /** What was done with keys, each looked at from a moment of its own; undefined: from the beginning. */
  usageOf(keys: readonly { readonly id: string; readonly since: Date | undefined }[]): Promise<KeyUsage[]>;
  find(accountId: string, id: string): Promise<ApiKey | undefined>;
  change(id: string, terms: ApiKeySettings): Promise<void>;
  /** The new secret holds at once; older ones end at `oldEndsAt`. */
  rotate(id: string, secret: StoredSecret, oldEndsAt: Date): Promise<void>;
  /** False where there is no such living key. */
  revoke(accountId: string, id: string): Promise<boolean>;
}
