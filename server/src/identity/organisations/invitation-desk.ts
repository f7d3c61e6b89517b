import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { Role } from "@trunkline/core/role.ts";
import { hashOfToken, newToken } from "@trunkline/core/token.ts";
import type { Invitation, InvitationStore } from "./invitation.ts";
import { type Deliver, invitationLetter } from "./letter.ts";
import { personOf, requireGovernance } from "./may-govern.ts";
import type { Roll, RollKeeper } from "./roll.ts";

const DAY_MS = 86_400_000;
const LASTS_MS = 7 * DAY_MS;
/** Nobody needs more, and whoever has taken over a session must not flood others' mailboxes. */
const LETTERS_A_DAY = 50;

/** What the desk is set up with. */
export interface InvitationDeskParts {
  readonly store: InvitationStore;
  readonly rolls: RollKeeper;
  readonly organisationName: (accountId: string) => Promise<string>;
  readonly deliver: Deliver;
  /** Refuses where a mailbox gets too many letters, whoever sends them. */
  readonly admit: (accountId: string, email: string) => Promise<void>;
  readonly clock: Clock;
}

/** An invitation and its link, which is told this once. */
export interface SentInvitation {
  readonly invitation: Invitation;
  readonly link: string;
}

/** Inviting people into an organisation. Their accepting is `InvitationAnswers`. */
export class InvitationDesk {
  readonly #parts: InvitationDeskParts;

  constructor(parts: InvitationDeskParts) {
    this.#parts = parts;
  }

  list({ accountId }: Caller, limit: number, cursor: string | undefined): Promise<Invitation[]> {
    return this.#parts.store.list(accountId, limit, cursor);
  }

  /** `origin` is the address under which the link works. */
  async invite(caller: Caller, email: string, role: Role, origin: string): Promise<SentInvitation> {
    const id = newId(this.#parts.clock.now());
    await this.#parts.admit(caller.accountId, email);
    return this.#send(caller, origin, async (roll, terms) => {
      requireGovernance(await roll.roleOf(terms.invitedBy), role);
      await refuseMember(roll, email);
      await roll.invite({ id, email, role, ...terms });
      return id;
    });
  }

  /** A new link to the same address, for 7 more days. */
  async resend(caller: Caller, id: string, origin: string): Promise<SentInvitation> {
    const { store, admit } = this.#parts;
    const waiting = isId(id) ? await store.find(caller.accountId, id) : undefined;
    if (waiting === undefined) throw noSuchInvitation();
    await admit(caller.accountId, waiting.email);
    return this.#send(caller, origin, async (roll, terms) => {
      const invitation = await findWaiting(roll, id);
      requireGovernance(await roll.roleOf(terms.invitedBy), invitation.role);
      await refuseMember(roll, invitation.email);
      await roll.renew(id, terms);
      return id;
    });
  }

  revoke(caller: Caller, id: string): Promise<Invitation> {
    return this.#parts.rolls.hold(caller.accountId, async (roll) => {
      const invitation = await findWaiting(roll, id);
      requireGovernance(await roll.roleOf(personOf(caller).id), invitation.role);
      await roll.revoke(id);
      return invitation;
    });
  }

  async #send(
    caller: Caller,
    origin: string,
    write: (
      roll: Roll,
      terms: { readonly hash: Buffer; readonly invitedBy: string; readonly expiresAt: Date },
    ) => Promise<string>,
  ): Promise<SentInvitation> {
    const { store, rolls, organisationName, deliver, clock } = this.#parts;
    const { accountId } = caller;
    const person = personOf(caller);
    const now = clock.now();
    const token = newToken();
    const id = await rolls.hold(accountId, async (roll) => {
      if ((await roll.lettersSince(new Date(now - DAY_MS))) >= LETTERS_A_DAY) throw tooManyLetters();
      return write(roll, {
        hash: hashOfToken(token),
        invitedBy: person.id,
        expiresAt: new Date(now + LASTS_MS),
      });
    });
    const invitation = await store.find(accountId, id);
    if (invitation === undefined) throw noSuchInvitation();
    // Behind the hash, so that no server on the way writes the token into a log.
    const link = `${origin}/invitation#${token}`;
    await deliver(
      invitationLetter({
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

async function findWaiting(roll: Roll, id: string): Promise<Invitation> {
  const invitation = isId(id) ? await roll.findInvitation(id) : undefined;
  if (invitation === undefined) throw noSuchInvitation();
  return invitation;
}

async function refuseMember(roll: Roll, email: string): Promise<void> {
  if (!(await roll.hasMember(email))) return;
  throw new Fault("conflict", `${email} is a member already. Change the role in the list of members.`, {
    param: "email",
  });
}

function tooManyLetters(): Fault {
  return new Fault(
    "rate_limited",
    `An organisation may send ${LETTERS_A_DAY} invitations a day. Send the next one tomorrow.`,
    { retryAfterSeconds: 3_600 },
  );
}

function noSuchInvitation(): Fault {
  return new Fault("not_found", "There is no such invitation. List them with GET /v1/invitations.");
}
