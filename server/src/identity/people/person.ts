import type { Role } from "@trunkline/core/caller.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";

/** A person who can log in. */
export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** undefined: logs in by passkey only. */
  readonly passwordHash: string | undefined;
  readonly emailVerified: boolean;
  /** A second factor is confirmed. */
  readonly hasTotp: boolean;
  /** The number of their passkeys. */
  readonly passkeys: number;
  readonly createdAt: Date;
}

export interface NewPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | undefined;
  /** Whether a link to the mailbox was opened. */
  readonly emailVerified: boolean;
}

/** A new person's first organisation: a new one, or an existing one. */
export type FirstOrganisation =
  | { readonly organisation: string; readonly credits: NanoCredits }
  | { readonly accountId: string; readonly role: Role };

/** An organisation that a person belongs to. */
export interface JoinedOrganisation {
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly operator: boolean;
  /** Its members reach it by single sign-on only. */
  readonly ssoEnforced: boolean;
}

export interface PersonChange {
  readonly name?: string;
  readonly email?: string;
  readonly passwordHash?: string;
}

export interface PeopleStore {
  find(id: string): Promise<PersonRecord | undefined>;
  findByEmail(email: string): Promise<PersonRecord | undefined>;
  /** undefined where the address is taken. */
  create(person: NewPerson, firstOrganisation: FirstOrganisation): Promise<PersonRecord | undefined>;
  /** Creates the operator's first owner; undefined where there is one, or where the address is taken. */
  createFirstOwner(person: NewPerson): Promise<PersonRecord | undefined>;
  /** A changed address counts as verified; false where another person has it. */
  change(id: string, change: PersonChange): Promise<boolean>;
  /** Removes passkeys and the second factor. Wallets stay linked, but log nobody in. */
  removeSignInMethods(id: string): Promise<void>;
}

/** The purposes of one-time links and tickets. */
const TOKEN_PURPOSES = [
  "sign-up",
  "approved-sign-up",
  "email",
  "reset",
  "second-factor",
  "passkey",
  "new-passkey",
  "first-login",
  "wallet",
  "link-wallet",
  "sso",
  "sso-address",
] as const;
export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];

export interface TokenContent {
  readonly personId: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Stores one-time links and tickets, by their hashes only. */
export interface TokenStore {
  put(hash: Buffer, purpose: TokenPurpose, content: TokenContent, lifetimeSeconds: number): Promise<void>;
  /** Reads without consuming it. */
  peek(hash: Buffer, purpose: TokenPurpose): Promise<TokenContent | undefined>;
  /** Consumes it: of concurrent calls, only one gets it. */
  consume(hash: Buffer, purpose: TokenPurpose): Promise<TokenContent | undefined>;
  /** Counts one attempt; undefined where none is left. */
  countAttempt(hash: Buffer, purpose: TokenPurpose, attemptsMax: number): Promise<TokenContent | undefined>;
  /** Revokes all of a purpose, or those of one person. */
  revoke(purpose: TokenPurpose, personId?: string): Promise<void>;
}

export interface NewSession {
  readonly id: string;
  readonly hash: Buffer;
  readonly personId: string;
  /** The password's hash at authentication. The session is refused if it changed meanwhile. */
  readonly passwordHash: string | undefined;
  readonly accountId: string;
  readonly address: string;
  readonly agent: string;
  /** The hash of the browser's previous cookie. That session ends. */
  readonly replaces: Buffer | undefined;
  /** The identity provider of `accountId` authenticated the person. The session reaches no other organisation. */
  readonly bySso?: boolean;
}

export interface ActiveSession {
  readonly id: string;
  readonly address: string;
  readonly agent: string;
  /** The name of its current organisation. */
  readonly organisation: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

export interface SessionControl {
  isFresh(id: string): Promise<boolean>;
  endAll(personId: string, butId?: string): Promise<void>;
}
