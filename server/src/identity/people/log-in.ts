import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import { type LinkBuilder, passwordResetEmail, securityNoticeEmail } from "../../notify/mail/emails.ts";
import type { Mailer } from "../../notify/mail/mailer.ts";
import type { AttemptLimiter, AuthAttempt } from "./attempt-limiter.ts";
import { expiredLink } from "./expired-link.ts";
import type { Passkeys } from "./passkeys.ts";
import { type PasswordHasher, refuseWeakPassword } from "./password.ts";
import type { PeopleStore, PersonRecord, TokenStore } from "./person.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { WaitingSignUpStore } from "./waiting-sign-ups.ts";
import type { SignedMessage, Wallets } from "./wallets.ts";

/** The result of a log-in: done, or a ticket for the second factor. */
export type LogInResult =
  | { readonly person: PersonRecord; readonly by: string }
  | { readonly person: PersonRecord; readonly ticket: string };

export interface LogInDependencies {
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly waitingSignUps: Pick<WaitingSignUpStore, "findByEmail">;
  readonly sessions: { endAll(personId: string): Promise<void> };
  readonly hasher: PasswordHasher;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly attemptLimiter: AttemptLimiter;
  readonly mailer: Mailer;
  readonly linkTo: LinkBuilder;
  /** Runs work after the response is sent. */
  readonly inBackground: (work: () => Promise<void>) => void;
  /** Called for every wrong code. */
  readonly onWrongCode: (person: PersonRecord, address: string) => Promise<void>;
}

const TICKET_SECONDS = 300;
const TICKET_ATTEMPTS = 5;
const RESET_SECONDS = 3_600;

/** Authenticates people. Every failure has the same fault, so that a client can't learn which addresses are known. */
export class LogIn {
  readonly #dependencies: LogInDependencies;

  constructor(dependencies: LogInDependencies) {
    this.#dependencies = dependencies;
  }

  async byPassword(email: string, password: string, authAttempt: AuthAttempt): Promise<LogInResult> {
    const { attemptLimiter, people, waitingSignUps, hasher, mailer } = this.#dependencies;
    await attemptLimiter.check("log-in", { ...authAttempt, subject: email });
    const [person, waiting] = await Promise.all([people.findByEmail(email), waitingSignUps.findByEmail(email)]);
    // One comparison in any case, so that the time of the response does not show who is known.
    const isRight = await hasher.matches(person === undefined ? waiting?.passwordHash : person.passwordHash, password);
    if (person === undefined && isRight) {
      throw new Fault(
        "invalid_login",
        mailer.channel === "mail"
          ? "Confirm your email address first: open the link that we sent you."
          : "Your account is waiting for approval. The operator of this service has to approve it, or send you a link.",
      );
    }
    if (person === undefined || !isRight) {
      throw new Fault("invalid_login", "The email address or the password is wrong.");
    }
    return this.completeFirstFactor(person, "password");
  }

  /** Completes the log-in, or asks for the second factor where the person has one. */
  async completeFirstFactor(person: PersonRecord, by: string): Promise<LogInResult> {
    if (!person.hasTotp) return { person, by };
    const ticket = newToken();
    const content = { personId: person.id, data: { by } };
    await this.#dependencies.tokens.put(hashOfToken(ticket), "second-factor", content, TICKET_SECONDS);
    return { person, ticket };
  }

  async bySecondFactor(
    ticket: string,
    code: string,
    { address, deviceFor }: { readonly address: string; readonly deviceFor: (email: string) => string | undefined },
  ): Promise<LogInResult> {
    const { tokens, people, attemptLimiter, secondFactor, onWrongCode } = this.#dependencies;
    const hash = hashOfToken(ticket);
    const pending = await tokens.peek(hash, "second-factor");
    const person = pending?.personId === undefined ? undefined : await people.find(pending.personId);
    if (person === undefined) throw expiredTicket();
    await attemptLimiter.check("second-factor", {
      address,
      subject: person.id,
      device: deviceFor(person.email),
    });
    // Counted before the code is checked, so that concurrent attempts all count.
    if ((await tokens.countAttempt(hash, "second-factor", TICKET_ATTEMPTS)) === undefined) throw expiredTicket();
    const by = await secondFactor.verify(person.id, code);
    if (by === undefined) {
      await onWrongCode(person, address);
      throw new Fault("invalid_login", "This code is wrong, or was used before.", { param: "code" });
    }
    if ((await tokens.consume(hash, "second-factor")) === undefined) throw expiredTicket();
    return { person, by };
  }

  /** A passkey is something you have plus something you are or know, so it counts as both factors. */
  async byPasskey(
    origin: string,
    ticket: string,
    response: Parameters<Passkeys["finishAuthentication"]>[2],
    { address }: AuthAttempt,
  ): Promise<LogInResult> {
    const { passkeys, people, attemptLimiter } = this.#dependencies;
    await attemptLimiter.check("passkey", { address });
    const personId = await passkeys.finishAuthentication(origin, ticket, response);
    const person = personId === undefined ? undefined : await people.find(personId);
    if (person === undefined) {
      throw new Fault("invalid_login", "This passkey is not known here, or this took too long. Try again.");
    }
    return { person, by: "passkey" };
  }

  async beginPasskey(origin: string, { address }: AuthAttempt) {
    await this.#dependencies.attemptLimiter.check("passkey", { address });
    return this.#dependencies.passkeys.beginAuthentication(origin);
  }

  /** A wallet is something you have: the second factor is still required. */
  async byWallet(
    wallets: Wallets,
    origin: string,
    signed: SignedMessage,
    { address }: AuthAttempt,
  ): Promise<LogInResult> {
    const { people, attemptLimiter } = this.#dependencies;
    await attemptLimiter.check("wallet", { address });
    const personId = await wallets.finishLogIn(origin, signed);
    const person = personId === undefined ? undefined : await people.find(personId);
    if (person === undefined) {
      throw new Fault(
        "invalid_login",
        "Nobody logs in by this wallet here, or its signature is wrong or came too late. Try again, or log in otherwise and link it.",
      );
    }
    return this.completeFirstFactor(person, "wallet");
  }

  async beginWallet(wallets: Wallets, origin: string, wallet: string, { address }: AuthAttempt) {
    await this.#dependencies.attemptLimiter.check("wallet", { address });
    return wallets.beginLogIn(origin, wallet);
  }

  /** Only the mailbox shows whether the address is known. */
  async requestPasswordReset(email: string, authAttempt: AuthAttempt): Promise<void> {
    const { attemptLimiter, people, tokens, mailer, linkTo, inBackground } = this.#dependencies;
    await attemptLimiter.check("mail", { ...authAttempt, subject: email });
    inBackground(async () => {
      const person = await people.findByEmail(email);
      if (person === undefined) return;
      const token = newToken();
      await tokens.put(hashOfToken(token), "reset", { personId: person.id, data: {} }, RESET_SECONDS);
      mailer.send(passwordResetEmail(person.email, linkTo("reset", token)));
    });
  }

  /** The link proves the mailbox. The second factor is still required. */
  async resetPassword(token: string, password: string, { address }: AuthAttempt): Promise<LogInResult> {
    const { attemptLimiter, people, tokens, hasher, mailer, linkTo } = this.#dependencies;
    await attemptLimiter.check("link", { address });
    const hash = hashOfToken(token);
    const found = await tokens.peek(hash, "reset");
    const person = found?.personId === undefined ? undefined : await people.find(found.personId);
    if (person === undefined) throw expiredLink();
    await refuseWeakPassword(password, person);
    const passwordHash = await hasher.hash(password);
    if ((await tokens.consume(hash, "reset")) === undefined) throw expiredLink();
    // The link came by mail, so the address is theirs. What was added before may be another person's.
    await people.change(person.id, { passwordHash, ...(person.emailVerified ? {} : { email: person.email }) });
    if (!person.emailVerified) await people.removeSignInMethods(person.id);
    await this.revokeAllAccess(person.id);
    mailer.send(securityNoticeEmail(person.email, "Your password was changed", linkTo("forgot")));
    return this.completeFirstFactor((await people.find(person.id)) ?? { ...person, passwordHash }, "reset");
  }

  /** Ends all sessions, pending log-ins, reset links and requested address changes of a person. */
  async revokeAllAccess(personId: string): Promise<void> {
    const { tokens, sessions } = this.#dependencies;
    await tokens.revoke("reset", personId);
    await tokens.revoke("email", personId);
    await tokens.revoke("second-factor", personId);
    await sessions.endAll(personId);
  }
}

function expiredTicket(): Fault {
  return new Fault("not_found", "This took too long, or too many tries. Log in again from the start.");
}
