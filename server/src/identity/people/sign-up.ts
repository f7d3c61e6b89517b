import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import { accountExistsEmail, type LinkBuilder, signUpEmail } from "../../notify/mail/emails.ts";
import type { Mailer } from "../../notify/mail/mailer.ts";
import type { AttemptLimiter, AuthAttempt } from "./attempt-limiter.ts";
import { expiredLink } from "./expired-link.ts";
import { type PasswordHasher, refuseWeakPassword } from "./password.ts";
import type { PeopleStore, PersonRecord, TokenStore } from "./person.ts";
import { SIGN_UP_SECONDS } from "./waiting-sign-ups.ts";

/** A request for an account. */
export interface SignUpRequest {
  readonly email: string;
  readonly name: string;
  /** undefined: the person will log in by passkey. */
  readonly password: string | undefined;
  /** The organisation's name; undefined: it is named after the person. */
  readonly organisation: string | undefined;
}

export interface SignUpDependencies {
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly hasher: PasswordHasher;
  readonly attemptLimiter: AttemptLimiter;
  readonly mailer: Mailer;
  readonly linkTo: LinkBuilder;
  readonly inBackground: (work: () => Promise<void>) => void;
  /** Whether anyone may open an account. */
  readonly isOpen: () => boolean;
  /** The credits of a new organisation. */
  readonly welcomeCredits: () => NanoCredits;
}

/** The result of opening a link from an e-mail. */
export type VerificationResult =
  | { readonly done: "sign_up"; readonly person: PersonRecord }
  | { readonly done: "email"; readonly person: PersonRecord };

/** The operator's first link is valid until the next start replaces it, at most for this long. */
const FIRST_LOGIN_SECONDS = 7 * 86_400;

/** Creates accounts. A person is created only after their e-mail address is verified. */
export class SignUp {
  readonly #dependencies: SignUpDependencies;

  constructor(dependencies: SignUpDependencies) {
    this.#dependencies = dependencies;
  }

  /** Checked when a sign-up begins and when it ends: the operator may close sign-up in between. */
  #requireOpen(): void {
    if (this.#dependencies.isOpen()) return;
    throw new Fault("sign_up_closed", "Nobody can sign up here by themselves. Ask for an invitation.");
  }

  /** `browser` is a secret in the browser's cookie. Only there does the link keep the chosen password. */
  async begin(signUpRequest: SignUpRequest, browser: string, { address }: AuthAttempt): Promise<void> {
    const { attemptLimiter, hasher, people, tokens, mailer, linkTo, inBackground } = this.#dependencies;
    const { email, name, password, organisation } = signUpRequest;
    this.#requireOpen();
    await attemptLimiter.check("sign-up", { address });
    if (password !== undefined) await refuseWeakPassword(password, signUpRequest);
    await attemptLimiter.check("mail", { address, subject: email });
    const passwordHash = password === undefined ? undefined : await hasher.hash(password);
    // Looked up after the response, so that its time does not show whether the address is known.
    inBackground(async () => {
      if ((await people.findByEmail(email)) !== undefined) {
        mailer.send(accountExistsEmail(email, linkTo("log-in"), linkTo("forgot")));
        return;
      }
      const token = newToken();
      const data = {
        id: newId(),
        email,
        name,
        passwordHash,
        organisation,
        browser: hashOfToken(browser).toString("base64url"),
      };
      await tokens.put(hashOfToken(token), "sign-up", { personId: undefined, data }, SIGN_UP_SECONDS);
      mailer.send(signUpEmail(email, linkTo("verify", token)));
    });
  }

  /** Opens a link from an e-mail: of a sign-up, or of a new address. */
  async verify(token: string, browser: string | undefined, { address }: AuthAttempt): Promise<VerificationResult> {
    const { attemptLimiter, tokens } = this.#dependencies;
    await attemptLimiter.check("link", { address });
    const hash = hashOfToken(token);
    const pending = await tokens.peek(hash, "sign-up");
    if (pending !== undefined) return this.#open(hash, pending.data, browser);
    return this.#changeAddress(hash);
  }

  /** Creates the operator's first owner, by the link that the start printed. */
  async completeFirstLogin(
    token: string,
    signUpRequest: SignUpRequest & { readonly password: string },
    { address }: AuthAttempt,
  ) {
    const { attemptLimiter, tokens, people, hasher } = this.#dependencies;
    await attemptLimiter.check("link", { address });
    if ((await tokens.peek(hashOfToken(token), "first-login")) === undefined) throw expiredLink();
    await refuseWeakPassword(signUpRequest.password, signUpRequest);
    const { email, name } = signUpRequest;
    if ((await people.findByEmail(email)) !== undefined) {
      throw new Fault("conflict", "A person with this address has signed up already. Use another address.", {
        param: "email",
      });
    }
    const passwordHash = await hasher.hash(signUpRequest.password);
    const person = await people.createFirstOwner({ id: newId(), email, name, passwordHash, emailVerified: true });
    if (person === undefined) throw expiredLink();
    await tokens.revoke("first-login");
    return person;
  }

  /** A new link for the operator's first log-in. Older ones become invalid. */
  async createFirstLoginLink(): Promise<string> {
    const { tokens } = this.#dependencies;
    const token = newToken();
    await tokens.revoke("first-login");
    await tokens.put(hashOfToken(token), "first-login", { personId: undefined, data: {} }, FIRST_LOGIN_SECONDS);
    return token;
  }

  /**
   * Opening the link in another browser proves the mailbox, but not that the same person chose the password. Then the
   * password is dropped. Otherwise an attacker could sign up with another's address and wait for the click.
   */
  async #open(
    hash: Buffer,
    data: Readonly<Record<string, unknown>>,
    browser: string | undefined,
  ): Promise<VerificationResult> {
    this.#requireOpen();
    const { people, tokens } = this.#dependencies;
    const { email, name } = data;
    if (typeof email !== "string" || typeof name !== "string") throw new Error("A sign-up has no address or name.");
    const isSameBrowser = browser !== undefined && data.browser === hashOfToken(browser).toString("base64url");
    const passwordHash = isSameBrowser && typeof data.passwordHash === "string" ? data.passwordHash : undefined;
    const organisation = typeof data.organisation === "string" ? data.organisation : `${name}'s organisation`;
    const firstOrganisation = { organisation, credits: this.#dependencies.welcomeCredits() };
    // A link that the operator handed out proves no mailbox.
    const emailVerified = data.byOperator !== true;
    const person = await people.create({ id: newId(), email, name, passwordHash, emailVerified }, firstOrganisation);
    await tokens.consume(hash, "sign-up");
    // The same link in another tab, or another link to the same address, was faster.
    if (person === undefined) throw expiredLink();
    return { done: "sign_up", person };
  }

  async #changeAddress(hash: Buffer): Promise<VerificationResult> {
    const { people, tokens } = this.#dependencies;
    const change = await tokens.consume(hash, "email");
    const email = change?.data.email;
    if (change?.personId === undefined || typeof email !== "string") throw expiredLink();
    if (!(await people.change(change.personId, { email }))) throw expiredLink();
    // Links that were sent to the old address become invalid.
    await tokens.revoke("reset", change.personId);
    await tokens.revoke("email", change.personId);
    const person = await people.find(change.personId);
    if (person === undefined) throw expiredLink();
    return { done: "email", person };
  }
}
