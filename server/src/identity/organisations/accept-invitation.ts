import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken } from "@trunkline/core/secret.ts";
import { canManageRole, type InvitationStore, type MembershipLock, type OpenInvitation } from "./membership.ts";

interface InvitationAcceptanceDependencies {
  readonly store: InvitationStore;
  readonly memberships: MembershipLock;
  readonly registration: InviteeRegistration;
  /** Whether people without an account may join at all. */
  readonly allowsNewPeople: () => boolean;
  /** Whether links go to the address by mail. Otherwise the inviter has the link, and opening it proves nothing. */
  readonly mailsLinks: boolean;
  readonly clock: Clock;
}

/** A person who accepts an invitation. */
interface Invitee {
  readonly token: string;
  /** The caller of the browser's session, if any. */
  readonly caller: Caller | undefined;
  readonly name: string | undefined;
  readonly password: string | undefined;
  readonly origin: SessionOrigin;
}

/** The result of accepting. "log in": the invitee must log in first. */
type AcceptanceResult =
  | { readonly outcome: "log in" }
  | {
      readonly outcome: "joined";
      readonly invitation: OpenInvitation;
      readonly personId: string;
      /** The token of a new person's session. */
      readonly sessionToken: string | undefined;
    };

/** Reads and accepts invitations by their link. */
export class InvitationAcceptance {
  readonly #dependencies: InvitationAcceptanceDependencies;

  constructor(dependencies: InvitationAcceptanceDependencies) {
    this.#dependencies = dependencies;
  }

  /** One fault for unknown, used, revoked and expired links, so that a client can't learn which existed. */
  async find(token: string): Promise<OpenInvitation> {
    return this.#requireValid(await this.#dependencies.store.findByHash(hashOfToken(token)));
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
    if (caller.person.email.toLowerCase() !== invitation.email.toLowerCase()) {
      throw new Fault(
        "conflict",
        `You are logged in as ${caller.person.email}, but this invitation is for ${invitation.email}. Log out, then open the link again.`,
      );
    }
    const { id, email, sessionId } = caller.person;
    await this.#join(invitee.token, invitation, { id, email }, undefined, sessionId);
    return { outcome: "joined", invitation, personId: id, sessionToken: undefined };
  }

  /** A link that was mailed to the address verifies it. */
  async #register({ token, name, password, origin }: Invitee, invitation: OpenInvitation): Promise<AcceptanceResult> {
    const { registration, allowsNewPeople } = this.#dependencies;
    if (!allowsNewPeople()) {
      throw new Fault("conflict", "This service takes in nobody new at present. Ask its operator.");
    }
    if (name === undefined) throw new Fault("invalid_request", "`name` is required.", { param: "name" });
    if (password === undefined) throw new Fault("invalid_request", "`password` is required.", { param: "password" });
    const passwordHash = await registration.hashPassword(password, { email: invitation.email, name });
    const person = { id: newId(), email: invitation.email };
    const isNew = await this.#join(token, invitation, person, { name, passwordHash }, undefined);
    if (!isNew) return { outcome: "log in" };
    const sessionToken = await registration.openSession(person.id, invitation.accountId, origin);
    return { outcome: "joined", invitation, personId: person.id, sessionToken };
  }

  /** Checks the invitation again under the lock, then joins once, all or nothing. False: the e-mail address is taken. */
  async #join(
    token: string,
    { id, accountId }: OpenInvitation,
    person: { readonly id: string; readonly email: string },
    newPerson: { readonly name: string; readonly passwordHash: string } | undefined,
    sessionId: string | undefined,
  ): Promise<boolean> {
    const { memberships, mailsLinks } = this.#dependencies;
    return memberships.withLock(accountId, async (membership) => {
      const { role } = this.#requireValid(await membership.findByHash(hashOfToken(token)));
      if (
        newPerson !== undefined &&
        !(await membership.createPerson({ ...person, ...newPerson, isVerified: mailsLinks }))
      )
        return false;
      await membership.markUsed(id);
      await membership.join(person, role, sessionId);
      return true;
    });
  }

  #requireValid(invitation: OpenInvitation | undefined): OpenInvitation {
    const isValid =
      invitation !== undefined &&
      invitation.expiresAt.getTime() > this.#dependencies.clock.now() &&
      canManageRole(invitation.inviterRole, invitation.role);
    if (isValid) return invitation;
    throw new Fault(
      "not_found",
      "This invitation was used, taken back or is too old. Ask whoever invited you for a new one.",
    );
  }
}

/** The IP address and browser of a session. */
interface SessionOrigin {
  readonly address: string;
  readonly agent: string;
}

/** What accepting needs to create a person: password hashing and the first session. */
export interface InviteeRegistration {
  /** Refuses a password that is too easy to guess, also by the owner's own names. */
  hashPassword(password: string, owner: { readonly email: string; readonly name: string }): Promise<string>;
  /** The session's token, for the cookie. */
  openSession(personId: string, accountId: string, sessionOrigin: SessionOrigin): Promise<string>;
}
