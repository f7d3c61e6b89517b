import type { Caller, Role } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import {
  type Invitation,
  type InvitationStore,
  type Membership,
  type MembershipLock,
  personOf,
  requireRoleManagement,
} from "./membership.ts";

const DAY_MS = 86_400_000;
const LIFETIME_MS = 7 * DAY_MS;
/** More than any organisation needs. It limits how many mailboxes a stolen session can flood. */
const EMAILS_PER_DAY = 50;

interface InvitationsDependencies {
  readonly store: InvitationStore;
  readonly memberships: MembershipLock;
  readonly organisationName: (accountId: string) => Promise<string>;
  readonly sendEmail: SendInvitationEmail;
  /** Refuses when a mailbox gets too many e-mails, from any sender. */
  readonly limitEmails: (accountId: string, email: string) => Promise<void>;
  readonly clock: Clock;
}

/** An invitation and its link, which is shown only once. */
export interface SentInvitation {
  readonly invitation: Invitation;
  readonly link: string;
}

/** Invites people into an organisation. `InvitationAcceptance` is their side of it. */
export class Invitations {
  readonly #dependencies: InvitationsDependencies;

  constructor(dependencies: InvitationsDependencies) {
    this.#dependencies = dependencies;
  }

  list({ accountId }: Caller, limit: number, cursor: string | undefined): Promise<Invitation[]> {
    return this.#dependencies.store.list(accountId, limit, cursor);
  }

  /** `origin` is the origin of the link. */
  async invite(caller: Caller, email: string, role: Role, origin: string): Promise<SentInvitation> {
    const id = newId(this.#dependencies.clock.now());
    await this.#dependencies.limitEmails(caller.accountId, email);
    return this.#send(caller, origin, async (membership, terms) => {
      requireRoleManagement(await membership.roleOf(terms.invitedBy), role);
      await refuseMember(membership, email);
      await membership.invite({ id, email, role, ...terms });
      return id;
    });
  }

  /** A new link to the same address, for 7 more days. */
  async resend(caller: Caller, id: string, origin: string): Promise<SentInvitation> {
    const { store, limitEmails } = this.#dependencies;
    const pending = isId(id) ? await store.find(caller.accountId, id) : undefined;
    if (pending === undefined) throw noSuchInvitation();
    await limitEmails(caller.accountId, pending.email);
    return this.#send(caller, origin, async (membership, terms) => {
      const invitation = await findPending(membership, id);
      requireRoleManagement(await membership.roleOf(terms.invitedBy), invitation.role);
      await refuseMember(membership, invitation.email);
      await membership.renew(id, terms);
      return id;
    });
  }

  revoke(caller: Caller, id: string): Promise<Invitation> {
    return this.#dependencies.memberships.withLock(caller.accountId, async (membership) => {
      const invitation = await findPending(membership, id);
      requireRoleManagement(await membership.roleOf(personOf(caller).id), invitation.role);
      await membership.revoke(id);
      return invitation;
    });
  }

  async #send(
    caller: Caller,
    origin: string,
    write: (
      membership: Membership,
      terms: { readonly hash: Buffer; readonly invitedBy: string; readonly expiresAt: Date },
    ) => Promise<string>,
  ): Promise<SentInvitation> {
    const { store, memberships, organisationName, sendEmail, clock } = this.#dependencies;
    const { accountId } = caller;
    const person = personOf(caller);
    const now = clock.now();
    const token = newToken();
    const id = await memberships.withLock(accountId, async (membership) => {
      if ((await membership.emailsSince(new Date(now - DAY_MS))) >= EMAILS_PER_DAY) throw tooManyInvitations();
      return write(membership, {
        hash: hashOfToken(token),
        invitedBy: person.id,
        expiresAt: new Date(now + LIFETIME_MS),
      });
    });
    const invitation = await store.find(accountId, id);
    if (invitation === undefined) throw noSuchInvitation();
    // Browsers don't send the fragment, so no server on the way can log the token.
    const link = `${origin}/invitation#${token}`;
    await sendEmail(
      composeInvitationEmail({
        to: invitation.email,
        inviter: person.name,
        organisation: await organisationName(accountId),
        role: invitation.role,
        link,
      }),
    );
    return { invitation, link };
  }
}

async function findPending(membership: Membership, id: string): Promise<Invitation> {
  const invitation = isId(id) ? await membership.findInvitation(id) : undefined;
  if (invitation === undefined) throw noSuchInvitation();
  return invitation;
}

async function refuseMember(membership: Membership, email: string): Promise<void> {
  if (!(await membership.hasMember(email))) return;
  throw new Fault("conflict", `${email} is a member already. Change the role in the list of members.`, {
    param: "email",
  });
}

function tooManyInvitations(): Fault {
  return new Fault(
    "rate_limited",
    `An organisation may send ${EMAILS_PER_DAY} invitations a day. Send the next one tomorrow.`,
    { retryAfterSeconds: 3_600 },
  );
}

function noSuchInvitation(): Fault {
  return new Fault("not_found", "There is no such invitation. List them with GET /v1/invitations.");
}

/** An e-mail with one link below its text. */
interface InvitationEmail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly link: string;
}

export type SendInvitationEmail = (invitationEmail: InvitationEmail) => Promise<void>;

/** The invitation's e-mail. Names come from users, so they must not add line breaks. */
export function composeInvitationEmail(invitation: {
  readonly to: string;
  readonly inviter: string;
  readonly organisation: string;
  readonly role: Role;
  readonly link: string;
}): InvitationEmail {
  const { to, role, link } = invitation;
  const [inviter, organisation] = [oneLine(invitation.inviter), oneLine(invitation.organisation)];
  return {
    to,
    subject: `${inviter} invites you to ${organisation}`,
    text: `${inviter} invites you to join ${organisation} on Trunkline, as ${role}. The link works once, and for 7 days. If you don't know them, you need not do anything.`,
    link,
  };
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}
