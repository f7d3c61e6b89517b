import type { Caller, Person, Role } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { PERMISSIONS } from "@trunkline/core/permissions.ts";

export interface NewInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly hash: Buffer;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

/** The members and invitations of one organisation, under its lock. */
export interface Membership {
  roleOf(personId: string): Promise<Role | undefined>;
  hasOtherOwner(personId: string): Promise<boolean>;
  changeRole(personId: string, role: Role): Promise<void>;
  /** Their sessions switch to another of their organisations, or end. Returns how many keys were revoked. */
  remove(personId: string, revokeKeys: boolean): Promise<number>;
  hasMember(email: string): Promise<boolean>;
  /** A given session switches to this organisation. */
  join(person: { readonly id: string; readonly email: string }, role: Role, sessionId?: string): Promise<void>;
  /** False where another person has that address. */
  createPerson(person: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly passwordHash: string;
    /** Whether the address is known to be theirs. */
    readonly isVerified: boolean;
  }): Promise<boolean>;
  /** How many e-mails were sent since a time, or slightly more. */
  emailsSince(moment: Date): Promise<number>;
  /** A pending invitation; undefined where it was used or revoked. */
  findInvitation(id: string): Promise<Invitation | undefined>;
  findByHash(hash: Buffer): Promise<OpenInvitation | undefined>;
  /** Replaces pending invitations for the same address. */
  invite(draft: NewInvitation): Promise<void>;
  /** Gives an invitation a new link. The old one becomes invalid. */
  renew(id: string, terms: Pick<NewInvitation, "hash" | "invitedBy" | "expiresAt">): Promise<void>;
  revoke(id: string): Promise<void>;
  markUsed(id: string): Promise<void>;
}

/** Serialises changes to an organisation's members, so that concurrent changes can't bypass a rule. */
export interface MembershipLock {
  withLock<Result>(accountId: string, work: (membership: Membership) => Promise<Result>): Promise<Result>;
}

/** Whether a role may add, change or remove members of another: admins all except owners, owners all. */
export function canManageRole(role: Role | undefined, managed: Role): boolean {
  const managers: readonly Role[] = PERMISSIONS["members.change"].roles;
  return role !== undefined && managers.includes(role) && (managed !== "owner" || role === "owner");
}

/** Refuses unless the role may manage the other. `role` is read under the lock, as it may have changed since log-in. */
export function requireRoleManagement(role: Role | undefined, managed: Role): void {
  if (canManageRole(role, managed)) return;
  throw new Fault(
    "insufficient_role",
    managed === "owner"
      ? "Only an owner may make, change or remove owners. Ask one of them."
      : "Your role here is no longer enough for this. Ask an owner or admin.",
  );
}

/** The person of a session. Only for operations whose permission no key has. */
export function personOf({ person }: Caller): Person {
  if (person === undefined) throw new Error("A key came where only people have the power.");
  return person;
}

/** A pending invitation into an organisation. */
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

/** An invitation as its link shows it. */
export interface OpenInvitation extends Invitation {
  readonly organisation: string;
  readonly suspended: boolean;
  /** The inviter's current role there; undefined: they are no longer a member. */
  readonly inviterRole: Role | undefined;
  readonly hasAccount: boolean;
}

export interface InvitationStore {
  /** Pending ones, including expired, newest first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Invitation[]>;
  find(accountId: string, id: string): Promise<Invitation | undefined>;
  findByHash(hash: Buffer): Promise<OpenInvitation | undefined>;
}
