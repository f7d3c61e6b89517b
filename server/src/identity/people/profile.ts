import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import {
  accountExistsEmail,
  confirmAddressEmail,
  type LinkBuilder,
  securityNoticeEmail,
} from "../../notify/mail/emails.ts";
import type { Mailer } from "../../notify/mail/mailer.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import { type PasswordHasher, refuseWeakPassword } from "./password.ts";
import type { PeopleStore, PersonRecord, SessionControl, TokenStore } from "./person.ts";

export interface ProfileDependencies {
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionControl;
  readonly hasher: PasswordHasher;
  readonly attemptLimiter: AttemptLimiter;
  readonly mailer: Mailer;
  readonly linkTo: LinkBuilder;
  readonly inBackground: (work: () => Promise<void>) => void;
}

/** A logged-in person, and their proof of identity for a sensitive change. */
export interface ProfileActor {
  readonly personId: string;
  readonly sessionId: string;
  readonly address: string;
  /** The current password. It may be missing shortly after a log-in. */
  readonly current: string | undefined;
}

const LINK_SECONDS = 86_400;

/** A person's own profile and sensitive changes to it. */
export class Profile {
  readonly #dependencies: ProfileDependencies;

  constructor(dependencies: ProfileDependencies) {
    this.#dependencies = dependencies;
  }

  async find(personId: string): Promise<PersonRecord> {
    const person = await this.#dependencies.people.find(personId);
    if (person === undefined) throw new Error("A session belongs to no person.");
    return person;
  }

  /**
   * Sensitive changes need a log-in less than 15 minutes old, or the current password. So a cookie in an unattended
   * browser can't change how its owner logs in.
   */
  async reauthenticate({ personId, sessionId, address, current }: ProfileActor): Promise<PersonRecord> {
    const { sessions, attemptLimiter, hasher } = this.#dependencies;
    const person = await this.find(personId);
    if (current !== undefined && person.passwordHash !== undefined) {
      await attemptLimiter.check("proof", { address, subject: personId });
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
    await this.#dependencies.people.change(personId, { name });
  }

  /** The address changes when the link in the e-mail is opened. Only that mailbox shows whether the address is taken. */
  async requestEmailChange(profileActor: ProfileActor, email: string): Promise<void> {
    const { people, tokens, attemptLimiter, mailer, linkTo, inBackground } = this.#dependencies;
    const person = await this.reauthenticate(profileActor);
    if (email === person.email) return;
    await attemptLimiter.check("mail", { address: profileActor.address, subject: email });
    inBackground(async () => {
      mailer.send(
        securityNoticeEmail(person.email, "A new e-mail address was asked for in your account", linkTo("forgot")),
      );
      if ((await people.findByEmail(email)) !== undefined) {
        mailer.send(accountExistsEmail(email, linkTo("log-in"), linkTo("forgot")));
        return;
      }
      const token = newToken();
      await tokens.revoke("email", person.id);
      await tokens.put(hashOfToken(token), "email", { personId: person.id, data: { email } }, LINK_SECONDS);
      mailer.send(confirmAddressEmail(email, linkTo("verify", token)));
    });
  }

  /** Ends all other sessions and revokes all links, also one that would change the account's address. */
  async changePassword(profileActor: ProfileActor, password: string): Promise<void> {
    const { people, tokens, sessions, hasher } = this.#dependencies;
    const person = await this.reauthenticate(profileActor);
    await refuseWeakPassword(password, person);
    await people.change(person.id, { passwordHash: await hasher.hash(password) });
    await tokens.revoke("reset", person.id);
    await tokens.revoke("email", person.id);
    await tokens.revoke("second-factor", person.id);
    await sessions.endAll(person.id, profileActor.sessionId);
    this.notify(person.email, "Your password was changed");
  }

  /** Notifies a person of a change by e-mail, so that they notice one that they did not make. */
  notify(email: string, what: string): void {
    const { mailer, linkTo } = this.#dependencies;
    mailer.send(securityNoticeEmail(email, what, linkTo("forgot")));
  }

  /** Counts a code or password that a logged-in person enters. */
  async countReauthentication(personId: string, address: string): Promise<void> {
    await this.#dependencies.attemptLimiter.check("proof", { address, subject: personId });
  }
}
