import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import { type LinkBuilder, passwordResetEmail, securityNoticeEmail } from "../../notify/mail/emails.ts";
import type { Mailer } from "../../notify/mail/mailer.ts";
import type { AttemptLimiter, AuthAttempt } from "./attempt-limiter.ts";
import type { Passkeys } from "./passkeys.ts";
import { type PasswordHasher, refuseWeakPassword } from "./password.ts";
import type { PeopleStore, PersonRecord, TokenStore } from "./person.ts";
import type { SecondFactor } from "./second-factor.ts";

/** What came of knocking: somebody is in, or owes a second factor, for which there is a ticket. */
export type LogInResult =
  | { readonly person: PersonRecord; readonly by: string }
  | { readonly person: PersonRecord; readonly ticket: string };

/** What the log-in is made of. */
export interface LogInDependencies {
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly sessions: { endAll(personId: string): Promise<void> };
  readonly hasher: PasswordHasher;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly attemptLimiter: AttemptLimiter;
  readonly mailer: Mailer;
  readonly linkTo: LinkBuilder;
  /** Goes on with something after the answer is given. */
  readonly inBackground: (work: () => Promise<void>) => void;
  /** Told of every code that was wrong. */
  readonly onWrongCode: (person: PersonRecord, address: string) => Promise<void>;
}

const TICKET_SECONDS = 300;
const TICKET_ATTEMPTS = 5;
const RESET_SECONDS = 3_600;

/** Finds out who somebody is. One answer for whatever is wrong, so that nobody learns who is known here. */
export class LogIn {
  readonly #kit: LogInDependencies;

  constructor(kit: LogInDependencies) {
    this.#kit = kit;
  }

  async byPassword(email: string, password: string, authAttempt: AuthAttempt): Promise<LogInResult> {
    const { attemptLimiter, people, hasher } = this.#kit;
    await attemptLimiter.check("log-in", { ...authAttempt, subject: email });
    const person = await people.findByEmail(email);
    const isRight = await hasher.matches(person?.passwordHash, password);
    if (person === undefined || !isRight) {
      throw new Fault("invalid_login", "The e-mail address or the password is wrong.");
    }
    return this.completeFirstFactor(person, "password");
  }

  /** Somebody who has shown the first factor is in, or is asked for the second. */
  async completeFirstFactor(person: PersonRecord, by: string): Promise<LogInResult> {
    if (!person.hasTotp) return { person, by };
    const ticket = newToken();
    const content = { personId: person.id, data: { by } };
    await this.#kit.tokens.put(hashOfToken(ticket), "second-factor", content, TICKET_SECONDS);
    return { person, ticket };
  }

  async bySecondFactor(
    ticket: string,
    code: string,
    { address, deviceFor }: { readonly address: string; readonly deviceFor: (email: string) => string | undefined },
  ): Promise<LogInResult> {
    const { tokens, people, attemptLimiter, secondFactor, onWrongCode } = this.#kit;
    const hash = hashOfToken(ticket);
    const waiting = await tokens.peek(hash, "second-factor");
    const person = waiting?.personId === undefined ? undefined : await people.find(waiting.personId);
    if (person === undefined) throw expiredTicket();
    await attemptLimiter.check("second-factor", {
      address,
      subject: person.id,
      device: deviceFor(person.email),
    });
    // Counted before the code is looked at: many tries at once are many tries.
    if ((await tokens.countAttempt(hash, "second-factor", TICKET_ATTEMPTS)) === undefined) throw expiredTicket();
    const by = await secondFactor.verify(person.id, code);
    if (by === undefined) {
      await onWrongCode(person, address);
      throw new Fault("invalid_login", "This code is wrong, or was used before.", { param: "code" });
    }
    if ((await tokens.consume(hash, "second-factor")) === undefined) throw expiredTicket();
    return { person, by };
  }

  /** A passkey is something one has and something one is or knows: both factors at once. */
  async byPasskey(
    origin: string,
    ticket: string,
    response: Parameters<Passkeys["finishAuthentication"]>[2],
    { address }: AuthAttempt,
  ): Promise<LogInResult> {
    const { passkeys, people, attemptLimiter } = this.#kit;
    await attemptLimiter.check("passkey", { address });
    const personId = await passkeys.finishAuthentication(origin, ticket, response);
    const person = personId === undefined ? undefined : await people.find(personId);
    if (person === undefined) {
      throw new Fault("invalid_login", "This passkey is not known here, or this took too long. Try again.");
    }
    return { person, by: "passkey" };
  }

  async beginPasskey(origin: string, { address }: AuthAttempt) {
    await this.#kit.attemptLimiter.check("passkey", { address });
    return this.#kit.passkeys.beginAuthentication(origin);
  }

  /** Whether anybody is known by this address shows in their mailbox alone. */
  async requestPasswordReset(email: string, authAttempt: AuthAttempt): Promise<void> {
    const { attemptLimiter, people, tokens, mailer, linkTo, inBackground } = this.#kit;
    await attemptLimiter.check("mail", { ...authAttempt, subject: email });
    inBackground(async () => {
      const person = await people.findByEmail(email);
      if (person === undefined) return;
      const token = newToken();
      await tokens.put(hashOfToken(token), "reset", { personId: person.id, data: {} }, RESET_SECONDS);
      mailer.send(passwordResetEmail(person.email, linkTo("reset", token)));
    });
  }

  /** The link proves the mailbox, not the second factor: that is still asked for. */
  async resetPassword(token: string, password: string, { address }: AuthAttempt): Promise<LogInResult> {
    const { attemptLimiter, people, tokens, hasher, mailer, linkTo } = this.#kit;
    await attemptLimiter.check("link", { address });
    const hash = hashOfToken(token);
    const found = await tokens.peek(hash, "reset");
    const person = found?.personId === undefined ? undefined : await people.find(found.personId);
    if (person === undefined) throw expiredLink();
    await refuseWeakPassword(password, person);
    const passwordHash = await hasher.hash(password);
    if ((await tokens.consume(hash, "reset")) === undefined) throw expiredLink();
    await people.change(person.id, { passwordHash });
    await this.revokeAllAccess(person.id);
    mailer.send(securityNoticeEmail(person.email, "Your password was changed", linkTo("forgot")));
    return this.completeFirstFactor({ ...person, passwordHash }, "reset");
  }

  /** Whoever was logged in, or on the way in, is out; so is an address that they asked for. */
  async revokeAllAccess(personId: string): Promise<void> {
    const { tokens, sessions } = this.#kit;
    await tokens.revoke("reset", personId);
    await tokens.revoke("email", personId);
    await tokens.revoke("second-factor", personId);
    await sessions.endAll(personId);
  }
}

/** One answer for links that never were, were used, or are over. */
export function expiredLink(): Fault {
  return new Fault("not_found", "This link was used before, or is over. Ask for a new one.");
}

function expiredTicket(): Fault {
  return new Fault("not_found", "This took too long, or too many tries. Log in again from the start.");
}
