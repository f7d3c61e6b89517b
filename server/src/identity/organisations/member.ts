import type { Role } from "@trunkline/core/role.ts";

/** Somebody who belongs to an organisation. */
export interface Member {
  /** The person's. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
  /** When they last looked at this organisation, as far as their sessions tell. */
  readonly lastSeenAt: Date | undefined;
  readonly twoFactor: boolean;
  /** How many living keys of this organisation they made. */
  readonly keys: number;
}

export interface MemberStore {
  /** Newest people first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Member[]>;
  find(accountId: string, personId: string): Promise<Member | undefined>;
}
