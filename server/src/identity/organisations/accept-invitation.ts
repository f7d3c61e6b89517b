import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken } from "@trunkline/core/secret.ts";
import { canManageRole, type InvitationStore, type MembershipLock, type OpenInvitation } from "./membership.ts";

/** What the answers are set up with. */
interface InvitationAcceptanceDependencies {
  readonly store: InvitationStore;
  readonly memberships: MembershipLock;
  readonly registration: InviteeRegistration;
  /** Whether people without an account may come in at all. */
  readonly allowsNewPeople: () => boolean;
  readonly clock: Clock;
}

/** Who answers an invitation, and with what. */
interface Invitee {
  readonly token: string;
  /** Who is logged in where the link was opened. */
  readonly caller: Caller | undefined;
  readonly name: string | undefined;
  readonly password: string | undefined;
  readonly origin: SessionOrigin;
}

/** What came of an answer. */
type AcceptanceResult =
  | { readonly outcome: "log in" }
  | {
      readonly outcome: "joined";
      readonly invitation: OpenInvitation;
      readonly personId: string;
      /** A new session's, where the person is new. */
      readonly sessionToken: string | undefined;
    };

/** What whoever has an invitation's link may do with it. */
export class InvitationAcceptance {
  readonly #parts: InvitationAcceptanceDependencies;

  constructor(parts: InvitationAcceptanceDependencies) {
    this.#parts = parts;
  }

  /** One answer for unknown, used, revoked, expired and void: a stranger learns nothing of which it was. */
  async find(token: string): Promise<OpenInvitation> {
    return this.#requireValid(await this.#parts.store.findByHash(hashOfToken(token)));
  }

  async accept(invitee: Invitee): Promise<AcceptanceResult> {
    const invitation = await this.find(invitee.token);
    if (invitation.suspended) {
      throw new Fault(
        "account_suspended",
        `${invitation.organisation} is suspended: nobody can join it for now. Ask whoever invited you.`,
      );
    }
    const { caller } = invitee;
    if (caller?.person === undefined) {
      return invitation.hasAccount ? { outcome: "log in" } : this.#register(invitee, invitation);
    }
    if (!isSameAddress(caller.person.email, invitation.email)) {
      throw new Fault(
        "conflict",
        `You are logged in as ${caller.person.email}, but this invitation is for ${invitation.email}. Log out, then open the link again.`,
      );
    }
    const { id, email, sessionId } = caller.person;
    await this.#join(invitee.token, invitation, { id, email }, undefined, sessionId);
    return { outcome: "joined", invitation, personId: id, sessionToken: undefined };
  }

  /** The link came to the address, so whoever has it has the address: it counts as verified. */
  async #register(
    { token, name, password, origin: sessionOrigin }: Invitee,
    invitation: OpenInvitation,
  ): Promise<AcceptanceResult> {
    const { registration: inviteeRegistration, allowsNewPeople: takesNewcomers } = this.#parts;
    if (!takesNewcomers()) {
      throw new Fault("conflict", "This service takes in nobody new at present. Ask its operator.");
    }
    if (name === undefined) throw new Fault("invalid_request", "`name` is required.", { param: "name" });
    if (password === undefined) throw new Fault("invalid_request", "`password` is required.", { param: "password" });
    const passwordHash = await inviteeRegistration.hashPassword(password, { email: invitation.email, name });
    const person = { id: newId(), email: invitation.email };
    const isNew = await this.#join(token, invitation, person, { name, passwordHash }, undefined);
    if (!isNew) return { outcome: "log in" };
    const sessionToken = await inviteeRegistration.openSession(person.id, invitation.accountId, sessionOrigin);
    return { outcome: "joined", invitation, personId: person.id, sessionToken };
  }

  /** All or nothing, and once: what held a moment ago is looked at again while nobody changes it. False: the address is taken. */
  async #join(
    token: string,
    { id, accountId }: OpenInvitation,
    person: { readonly id: string; readonly email: string },
    newcomer: { readonly name: string; readonly passwordHash: string } | undefined,
    sessionId: string | undefined,
  ): Promise<boolean> {
    return this.#parts.memberships.withLock(accountId, async (membership) => {
      const { role } = this.#requireValid(await membership.findByHash(hashOfToken(token)));
      if (newcomer !== undefined && !(await membership.createPerson({ ...person, ...newcomer }))) return false;
      await membership.markUsed(id);
      await membership.join(person, role, sessionId);
      return true;
    });
  }

  #requireValid(invitation: OpenInvitation | undefined): OpenInvitation {
    const isWorthIt =
      invitation !== undefined &&
      invitation.expiresAt.getTime() > this.#parts.clock.now() &&
      canManageRole(invitation.inviterRole, invitation.role);
    if (isWorthIt) return invitation;
    throw new Fault(
      "not_found",
      "This invitation was used, taken back or is too old. Ask whoever invited you for a new one.",
    );
  }
}

function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Where somebody sits, as their session remembers it. */
interface SessionOrigin {
  readonly address: string;
  readonly agent: string;
}

/** Whose password it is: their own names make bad ones. */
interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/** What invitations need of those who know people: how a password is judged and kept, and how a session begins. */
export interface InviteeRegistration {
  /** What is kept of a password. Refuses one that is too easily guessed. */
  hashPassword(password: string, owner: PasswordOwner): Promise<string>;
  /** The session's token, for the cookie. */
  openSession(personId: string, accountId: string, sessionOrigin: SessionOrigin): Promise<string>;
}
