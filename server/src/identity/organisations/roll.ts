import type { Role } from "@trunkline/core/role.ts";
import type { Invitation, OpenInvitation } from "./invitation.ts";

/** Who is to be let in. */
export interface NewInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly hash: Buffer;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

/** The members and invitations of one organisation, while nobody else changes them. */
export interface Membership {
  roleOf(personId: string): Promise<Role | undefined>;
  hasOtherOwner(personId: string): Promise<boolean>;
  changeRole(personId: string, role: Role): Promise<void>;
  /** Their sessions look at another organisation of theirs from then on, or end. Says how many keys were revoked. */
  remove(personId: string, revokeKeys: boolean): Promise<number>;
  hasMember(email: string): Promise<boolean>;
  /** A session, where one is given, looks at this organisation from then on. */
  join(
    person: { readonly id: string; readonly email: string },
    role: Role,
    sessionId?: string,
  ): Promise<void>;
  /** Makes a person whose address is known to be theirs; false where somebody has that address already. */
  createPerson(person: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly passwordHash: string;
  }): Promise<boolean>;
  /** How many letters went out since a moment, or a little more. */
  emailsSince(moment: Date): Promise<number>;
  /** One that waits; undefined where it was used or revoked. */
  findInvitation(id: string): Promise<Invitation | undefined>;
  findByHash(hash: Buffer): Promise<OpenInvitation | undefined>;
  /** Takes the place of those that wait for the same address. */
  invite(draft: NewInvitation): Promise<void>;
  /** Gives one a new link; the old one is worth nothing any more. */
  renew(id: string, terms: Pick<NewInvitation, "hash" | "invitedBy" | "expiresAt">): Promise<void>;
  revoke(id: string): Promise<void>;
  markUsed(id: string): Promise<void>;
}

/** Lets one at a time change who belongs to an organisation, so that nobody slips past a rule meanwhile. */
export interface MembershipLock {
  withLock<Result>(accountId: string, work: (membership: Membership) => Promise<Result>): Promise<Result>;
}
