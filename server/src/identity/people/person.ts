import type { Role } from "@trunkline/core/caller.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";

/** Somebody who can log in, with what the door has to know of them. */
export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** undefined: logs in by passkey only. */
  readonly passwordHash: string | undefined;
  readonly emailVerified: boolean;
  /** The second factor was set up and confirmed. */
  readonly hasTotp: boolean;
  /** How many passkeys they have. */
  readonly passkeys: number;
  readonly createdAt: Date;
}

export interface NewPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | undefined;
}

/** Where somebody new belongs: an organisation that is made for them, or one that is there. */
export type FirstOrganisation =
  | { readonly organisation: string; readonly credits: NanoCredits }
  | { readonly accountId: string; readonly role: Role };

/** An organisation that somebody belongs to. */
export interface JoinedOrganisation {
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly operator: boolean;
}

export interface PersonChange {
  readonly name?: string;
  readonly email?: string;
  readonly passwordHash?: string;
}

/** What the room asks of the store about people. */
export interface PeopleStore {
  find(id: string): Promise<PersonRecord | undefined>;
  findByEmail(email: string): Promise<PersonRecord | undefined>;
  /** Makes somebody whose address is proven, with their first place; undefined where the address is taken. */
  create(person: NewPerson, place: FirstOrganisation): Promise<PersonRecord | undefined>;
  /** Makes the operator's first owner; undefined where there is one, or where the address is taken. */
  createFirstOwner(person: NewPerson): Promise<PersonRecord | undefined>;
  /** Also proves the address where it is changed; false where another has it. */
  change(id: string, change: PersonChange): Promise<boolean>;
}

/** What links and tickets that work once are for. */
const TOKEN_PURPOSES = ["sign-up", "email", "reset", "second-factor", "passkey", "new-passkey", "first-login"] as const;
export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];

export interface TokenContent {
  readonly personId: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What the room asks of the store about links and tickets. Only their hashes are known there. */
export interface TokenStore {
  put(hash: Buffer, purpose: TokenPurpose, content: TokenContent, lifetimeSeconds: number): Promise<void>;
  /** Looks without using it up. */
  peek(hash: Buffer, purpose: TokenPurpose): Promise<TokenContent | undefined>;
  /** Uses it up: of many who try at once, one gets it. */
  consume(hash: Buffer, purpose: TokenPurpose): Promise<TokenContent | undefined>;
  /** Counts one try; undefined where none is left. */
  countAttempt(hash: Buffer, purpose: TokenPurpose, most: number): Promise<TokenContent | undefined>;
  /** Ends all of a purpose, or those of one person. */
  revoke(purpose: TokenPurpose, personId?: string): Promise<void>;
}

/** A session that is to be opened. */
export interface NewSession {
  readonly id: string;
  readonly hash: Buffer;
  readonly personId: string;
  /** What was kept of the password when the person was recognised: where it changed meanwhile, they are not let in. */
  readonly passwordHash: string | undefined;
  readonly accountId: string;
  readonly address: string;
  readonly agent: string;
  /** The hash of the cookie that the same browser showed: that session ends. */
  readonly replaces: Buffer | undefined;
}

/** A place where somebody is logged in. */
export interface ActiveSession {
  readonly id: string;
  readonly address: string;
  readonly agent: string;
  /** Which organisation it looks at. */
  readonly organisation: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** What the room asks of the store about sessions. */
export interface SessionControl {
  isFresh(id: string): Promise<boolean>;
  endAll(personId: string, butId?: string): Promise<void>;
}
