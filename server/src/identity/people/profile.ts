import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/token.ts";
import {
  knownAddressLetter,
  type LinkMaker,
  newAddressLetter,
  noticeLetter,
} from "../../notify/mail/emails.ts";
import type { Postman } from "../../notify/mail/mailer.ts";
import { refuseWeakPassword } from "./judge-password.ts";
import type { PasswordHasher } from "./password-hash.ts";
import type { PeopleStore, PersonRecord, TokenStore } from "./person.ts";
import type { SessionKeeper } from "./session.ts";
import type { Turnstile } from "./turnstile.ts";

/** What one's own desk is made of. */
export interface OwnDeskKit {
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionKeeper;
  readonly hasher: PasswordHasher;
  readonly turnstile: Turnstile;
  readonly postman: Postman;
  readonly linkTo: LinkMaker;
  readonly inBackground: (work: () => Promise<void>) => void;
}

/** Who is at the desk, and what they show for a change that matters. */
export interface Visitor {
  readonly personId: string;
  readonly sessionId: string;
  readonly address: string;
  /** The current password; it may be left out shortly after a log-in. */
  readonly current: string | undefined;
}

const LINK_SECONDS = 86_400;

/** What somebody changes of themselves. */
export class OwnDesk {
  readonly #kit: OwnDeskKit;

  constructor(kit: OwnDeskKit) {
    this.#kit = kit;
  }

  async find(personId: string): Promise<PersonRecord> {
    const person = await this.#kit.people.find(personId);
    if (person === undefined) throw new Error("A session belongs to nobody.");
    return person;
  }

  /**
   * The one rule for changes that matter: the log-in is less than 15 minutes old, or the current password is given. A
   * cookie alone, left behind in an open browser, changes nothing of how its owner logs in.
   */
  async prove({ personId, sessionId, address, current }: Visitor): Promise<PersonRecord> {
    const { sessions, turnstile, hasher } = this.#kit;
    const person = await this.find(personId);
    if (current !== undefined && person.passwordHash !== undefined) {
      await turnstile.pass("proof", { address, subject: personId });
      if (await hasher.matches(person.passwordHash, current)) return person;
      throw new Fault("invalid_request", "The current password is wrong.", { param: "current" });
    }
    if (await sessions.isFresh(sessionId)) return person;
    throw new Fault(
      "recent_login_needed",
      person.passwordHash === undefined
        ? "Your log-in is more than 15 minutes old. Log in again, then change this."
        : "Your log-in is more than 15 minutes old. Give your current password as well.",
      { param: "current" },
    );
  }

  async rename(personId: string, name: string): Promise<void> {
    await this.#kit.people.change(personId, { name });
  }

  /** The address changes when the link in the mail to the new one is opened. Whether another has it shows in that mailbox alone. */
  async askForAddress(visitor: Visitor, email: string): Promise<void> {
    const { people, tokens, turnstile, postman, linkTo, inBackground } = this.#kit;
    const person = await this.prove(visitor);
    if (email === person.email) return;
    await turnstile.pass("mail", { address: visitor.address, subject: email });
    inBackground(async () => {
      postman.send(
        noticeLetter(person.email, "A new e-mail address was asked for in your account", linkTo("forgot")),
      );
      if ((await people.findByEmail(email)) !== undefined) {
        postman.send(knownAddressLetter(email, linkTo("log-in"), linkTo("forgot")));
        return;
      }
      const token = newToken();
      await tokens.end("email", person.id);
      await tokens.put(hashOfToken(token), "email", { personId: person.id, data: { email } }, LINK_SECONDS);
      postman.send(newAddressLetter(email, linkTo("verify", token)));
    });
  }

  /** Whoever else was logged in, or had a link, is out: also one by which the account would go to another address. */
  async changePassword(visitor: Visitor, password: string): Promise<void> {
    const { people, tokens, sessions, hasher } = this.#kit;
    const person = await this.prove(visitor);
    await refuseWeakPassword(password, person);
    await people.change(person.id, { passwordHash: await hasher.hash(password) });
    await tokens.end("reset", person.id);
    await tokens.end("email", person.id);
    await tokens.end("second-factor", person.id);
    await sessions.endAll(person.id, visitor.sessionId);
    this.notify(person.email, "Your password was changed");
  }

  /** Tells somebody of a change by mail, so that one they did not make does not go unseen. */
  notify(email: string, what: string): void {
    const { postman, linkTo } = this.#kit;
    postman.send(noticeLetter(email, what, linkTo("forgot")));
  }

  /** Codes and passwords given while logged in are counted too. */
  async countProof(personId: string, address: string): Promise<void> {
    await this.#kit.turnstile.pass("proof", { address, subject: personId });
  }
}
