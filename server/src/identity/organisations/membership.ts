import type { Caller, Person, Role } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { PERMISSIONS } from "@trunkline/core/permissions.ts";

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
  join(person: { readonly id: string; readonly email: string }, role: Role, sessionId?: string): Promise<void>;
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

/** Whether somebody may make, change or remove members of a role: admins all but owners, owners all. */
export function canManageRole(role: Role | undefined, governed: Role): boolean {
  const leaders: readonly Role[] = PERMISSIONS["members.change"].roles;
  return role !== undefined && leaders.includes(role) && (governed !== "owner" || role === "owner");
}

/** Refuses what is an owner's alone. The role is the one that counts now, which may be less than it was at the door. */
export function requireRoleManagement(role: Role | undefined, governed: Role): void {
  if (canManageRole(role, governed)) return;
  throw new Fault(
    "insufficient_role",
    governed === "owner"
      ? "Only an owner may make, change or remove owners. Ask one of them."
      : "Your role here is no longer enough for this. Ask an owner or admin.",
  );
}

/** Who is at the dashboard. Operations that only people have the power for are never called by a plain key. */
export function personOf({ person }: Caller): Person {
  if (person === undefined) throw new Error("A key came where only people have the power.");
  return person;
}

/** A way into an organisation that waits to be used. */
export interface Invitation {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: { readonly id: string; readonly name: string } | undefined;
  readonly createdAt: Date;
  readonly sentAt: Date;
  readonly expiresAt: Date;
}

/** An invitation as whoever has its link sees it. */
export interface OpenInvitation extends Invitation {
  readonly organisation: string;
  /** The organisation may not be changed by anyone at present. */
  readonly suspended: boolean;
  /** What the one who invited is there now; undefined: nothing any more. */
  readonly inviterRole: Role | undefined;
  readonly hasAccount: boolean;
}

export interface InvitationStore {
  /** Those that wait, newest first, also where their time is over. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Invitation[]>;
  find(accountId: string, id: string): Promise<Invitation | undefined>;
  findByHash(hash: Buffer): Promise<OpenInvitation | undefined>;
}
