import type { Budget, Scope } from "../domain/caller.ts";

/** What a key may do. */
export interface KeyTerms {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly budget: Budget | undefined;
  readonly models: readonly string[] | undefined;
  readonly ips: readonly string[] | undefined;
}

export interface ApiKey extends KeyTerms {
  readonly id: string;
  readonly accountId: string;
  /** Enough of the newest secret to recognise it by. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

/** A secret as it is kept: its hash and what may be shown of it. */
export interface KeptSecret {
  readonly hash: string;
  readonly hint: string;
}

export interface ApiKeyStore {
  create(
    id: string,
    accountId: string,
    terms: KeyTerms,
    secret: KeptSecret,
    madeBy: string | undefined,
  ): Promise<ApiKey>;
  /** Living keys only, newest first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<ApiKey[]>;
  find(accountId: string, id: string): Promise<ApiKey | undefined>;
  change(id: string, terms: KeyTerms): Promise<void>;
  /** The new secret holds at once; older ones end at `oldEndsAt`. */
  rotate(id: string, secret: KeptSecret, oldEndsAt: Date): Promise<void>;
  /** False where there is no such living key. */
  revoke(accountId: string, id: string): Promise<boolean>;
}
