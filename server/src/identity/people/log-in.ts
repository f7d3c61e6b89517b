import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/token.ts";
import { type LinkMaker, noticeLetter, resetLetter } from "../../notify/mail/emails.ts";
import type { Postman } from "../../notify/mail/mailer.ts";
import { refuseWeakPassword } from "./judge-password.ts";
import type { PasskeyDesk } from "./passkeys.ts";
import type { PasswordHasher } from "./password-hash.ts";
import type { PeopleStore, PersonRecord, TokenStore } from "./person.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { Knock, Turnstile } from "./turnstile.ts";

/** What came of knocking: somebody is in, or owes a second factor, for which there is a ticket. */
export type Entry =
  | { readonly person: PersonRecord; readonly by: string }
  | { readonly person: PersonRecord; readonly ticket: string };

/** What the log-in is made of. */
export interface LogInKit {
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly sessions: { endAll(personId: string): Promise<void> };
  readonly hasher: PasswordHasher;
  readonly secondFactor: SecondFactor;
  readonly passkeys: PasskeyDesk;
  readonly turnstile: Turnstile;
  readonly postman: Postman;
  readonly linkTo: LinkMaker;
  /** Goes on with something after the answer is given. */
  readonly inBackground: (work: () => Promise<void>) => void;
  /** Told of every code that was wrong. */
  readonly onWrongCode: (person: PersonRecord, address: string) => Promise<void>;
}

const TICKET_SECONDS = 300;
const TICKET_TRIES = 5;
const RESET_SECONDS = 3_600;

/** Finds out who somebody is. One answer for whatever is wrong, so that nobody learns who is known here. */
export class LogIn {
  readonly #kit: LogInKit;

  constructor(kit: LogInKit) {
    this.#kit = kit;
  }

  async byPassword(email: string, password: string, knock: Knock): Promise<Entry> {
    const { turnstile, people, hasher } = this.#kit;
    await turnstile.pass("log-in", { ...knock, subject: email });
    const person = await people.findByEmail(email);
    const isRight = await hasher.matches(person?.passwordHash, password);
    if (person === undefined || !isRight) {
      throw new Fault("invalid_login", "The e-mail address or the password is wrong.");
    }
    return this.admit(person, "password");
  }

  /** Somebody who has shown the first factor is in, or is asked for the second. */
  async admit(person: PersonRecord, by: string): Promise<Entry> {
    if (!person.hasTotp) return { person, by };
    const ticket = newToken();
    const content = { personId: person.id, data: { by } };
    await this.#kit.tokens.put(hashOfToken(ticket), "second-factor", content, TICKET_SECONDS);
    return { person, ticket };
  }

  async bySecondFactor(
    ticket: string,
    code: string,
    {
      address,
      deviceFor,
    }: { readonly address: string; readonly deviceFor: (email: string) => string | undefined },
  ): Promise<Entry> {
    const { tokens, people, turnstile, secondFactor, onWrongCode } = this.#kit;
    const hash = hashOfToken(ticket);
    const waiting = await tokens.look(hash, "second-factor");
    const person = waiting?.personId === undefined ? undefined : await people.find(waiting.personId);
    if (person === undefined) throw tooLate();
    await turnstile.pass("second-factor", { address, subject: person.id, device: deviceFor(person.email) });
    // Counted before the code is looked at: many tries at once are many tries.
    if ((await tokens.countTry(hash, "second-factor", TICKET_TRIES)) === undefined) throw tooLate();
    const by = await secondFactor.use(person.id, code);
    if (by === undefined) {
      await onWrongCode(person, address);
      throw new Fault("invalid_login", "This code is wrong, or was used before.", { param: "code" });
    }
    if ((await tokens.take(hash, "second-factor")) === undefined) throw tooLate();
    return { person, by };
  }

  /** A passkey is something one has and something one is or knows: both factors at once. */
  async byPasskey(
    origin: string,
    ticket: string,
    response: Parameters<PasskeyDesk["check"]>[2],
    { address }: Knock,
  ): Promise<Entry> {
    const { passkeys, people, turnstile } = this.#kit;
    await turnstile.pass("passkey", { address });
    const personId = await passkeys.check(origin, ticket, response);
    const person = personId === undefined ? undefined : await people.find(personId);
    if (person === undefined) {
      throw new Fault("invalid_login", "This passkey is not known here, or this took too long. Try again.");
    }
    return { person, by: "passkey" };
  }

  async askForPasskey(origin: string, { address }: Knock) {
    await this.#kit.turnstile.pass("passkey", { address });
    return this.#kit.passkeys.askFor(origin);
  }

  /** Whether anybody is known by this address shows in their mailbox alone. */
  async forget(email: string, knock: Knock): Promise<void> {
    const { turnstile, people, tokens, postman, linkTo, inBackground } = this.#kit;
    await turnstile.pass("mail", { ...knock, subject: email });
    inBackground(async () => {
      const person = await people.findByEmail(email);
      if (person === undefined) return;
      const token = newToken();
      await tokens.put(hashOfToken(token), "reset", { personId: person.id, data: {} }, RESET_SECONDS);
      postman.send(resetLetter(person.email, linkTo("reset", token)));
    });
  }

  /** The link proves the mailbox, not the second factor: that is still asked for. */
  async reset(token: string, password: string, { address }: Knock): Promise<Entry> {
    const { turnstile, people, tokens, hasher, postman, linkTo } = this.#kit;
    await turnstile.pass("link", { address });
    const hash = hashOfToken(token);
    const found = await tokens.look(hash, "reset");
    const person = found?.personId === undefined ? undefined : await people.find(found.personId);
    if (person === undefined) throw deadLink();
    await refuseWeakPassword(password, person);
    const passwordHash = await hasher.hash(password);
    if ((await tokens.take(hash, "reset")) === undefined) throw deadLink();
    await people.change(person.id, { passwordHash });
    await this.endEverything(person.id);
    postman.send(noticeLetter(person.email, "Your password was changed", linkTo("forgot")));
    return this.admit({ ...person, passwordHash }, "reset");
  }

  /** Whoever was logged in, or on the way in, is out; so is an address that they asked for. */
  async endEverything(personId: string): Promise<void> {
    const { tokens, sessions } = this.#kit;
    await tokens.end("reset", personId);
    await tokens.end("email", personId);
    await tokens.end("second-factor", personId);
    await sessions.endAll(personId);
  }
}

/** One answer for links that never were, were used, or are over. */
export function deadLink(): Fault {
  return new Fault("not_found", "This link was used before, or is over. Ask for a new one.");
}

function tooLate(): Fault {
  return new Fault("not_found", "This took too long, or too many tries. Log in again from the start.");
}
