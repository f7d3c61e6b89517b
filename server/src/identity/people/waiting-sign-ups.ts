import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import type { LinkBuilder } from "../../notify/mail/emails.ts";
import type { AttemptLimiter, AuthAttempt } from "./attempt-limiter.ts";
import { expiredLink } from "./expired-link.ts";
import type { PeopleStore, PersonRecord, TokenStore } from "./person.ts";

/** How long a link to confirm an address works, and how long a sign-up waits for it. */
export const SIGN_UP_SECONDS = 86_400;

/** A sign-up whose address is not confirmed yet. */
export interface WaitingSignUp {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** undefined: it is named after the person. */
  readonly organisation: string | undefined;
  /** undefined: the person will log in by passkey. */
  readonly passwordHash: string | undefined;
  /** The hash of the secret in the browser's cookie, in base64url. */
  readonly browser: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Sign-ups that wait. Each is one, however many links lead to it, until somebody has its address. */
export interface WaitingSignUpStore {
  /** Newest first. */
  list(limit: number, cursor: string | undefined): Promise<WaitingSignUp[]>;
  find(id: string): Promise<WaitingSignUp | undefined>;
  /** The newest with this address. */
  findByEmail(email: string): Promise<WaitingSignUp | undefined>;
  /** The newest that was begun in this browser. */
  findByBrowser(browser: string): Promise<WaitingSignUp | undefined>;
  /** Removes it with all its links; false where there was none. */
  remove(id: string): Promise<boolean>;
}

export interface WaitingSignUpDependencies {
  readonly store: WaitingSignUpStore;
  readonly people: PeopleStore;
  readonly tokens: TokenStore;
  readonly attemptLimiter: AttemptLimiter;
  readonly linkTo: LinkBuilder;
  readonly welcomeCredits: () => NanoCredits;
}

/** Where a sign-up stands, for the browser that began it. */
export type SignUpProgress =
  | { readonly state: "waiting"; readonly email: string }
  | { readonly state: "approved"; readonly person: PersonRecord };

/**
 * Lets the operator take in people whom no mail reaches. Neither a link that the operator hands out nor an approval proves
 * a mailbox: the address stays unverified.
 */
export class WaitingSignUps {
  readonly #dependencies: WaitingSignUpDependencies;

  constructor(dependencies: WaitingSignUpDependencies) {
    this.#dependencies = dependencies;
  }

  list(limit: number, cursor: string | undefined): Promise<WaitingSignUp[]> {
    return this.#dependencies.store.list(limit, cursor);
  }

  /** A new link for the operator to pass on. Links that were sent before still work. */
  async createLink(id: string): Promise<{ readonly signUp: WaitingSignUp; readonly link: string }> {
    const { tokens, linkTo } = this.#dependencies;
    const signUp = await this.#find(id);
    const { email, name, organisation, passwordHash, browser } = signUp;
    const token = newToken();
    const data = { id, email, name, organisation, passwordHash, browser, byOperator: true };
    await tokens.put(hashOfToken(token), "sign-up", { personId: undefined, data }, SIGN_UP_SECONDS);
    return { signUp, link: linkTo("verify", token) };
  }

  /** Opens the account. The browser that began the sign-up is let in by `resume`, any other by the chosen password. */
  async approve(id: string): Promise<WaitingSignUp> {
    const { store, people, tokens, welcomeCredits } = this.#dependencies;
    const signUp = await this.#find(id);
    const { email, name, passwordHash, browser } = signUp;
    const organisation = signUp.organisation ?? `${name}'s organisation`;
    const person = await people.create(
      { id: newId(), email, name, passwordHash, emailVerified: false },
      { organisation, credits: welcomeCredits() },
    );
    await store.remove(id);
    // The person confirmed the address just now, or another operator was faster.
    if (person === undefined) throw notWaiting();
    const hash = Buffer.from(browser, "base64url");
    await tokens.consume(hash, "approved-sign-up");
    await tokens.put(hash, "approved-sign-up", { personId: person.id, data: {} }, SIGN_UP_SECONDS);
    return signUp;
  }

  async decline(id: string): Promise<WaitingSignUp> {
    const signUp = await this.#find(id);
    if (!(await this.#dependencies.store.remove(id))) throw notWaiting();
    return signUp;
  }

  /** What became of the sign-up that was begun in this browser. An approved one is told once. */
  async resume(browser: string | undefined, { address }: AuthAttempt): Promise<SignUpProgress> {
    const { store, people, tokens, attemptLimiter } = this.#dependencies;
    await attemptLimiter.check("sign-up-state", { address });
    if (browser === undefined) throw expiredLink();
    const hash = hashOfToken(browser);
    const approved = await tokens.consume(hash, "approved-sign-up");
    const person = approved?.personId === undefined ? undefined : await people.find(approved.personId);
    if (person !== undefined) return { state: "approved", person };
    const waiting = await store.findByBrowser(hash.toString("base64url"));
    if (waiting === undefined) throw expiredLink();
    return { state: "waiting", email: waiting.email };
  }

  async #find(id: string): Promise<WaitingSignUp> {
    const signUp = await this.#dependencies.store.find(id);
    if (signUp === undefined) throw notWaiting();
    return signUp;
  }
}

function notWaiting(): Fault {
  return new Fault(
    "not_found",
    "This sign-up is no longer waiting: it was confirmed, approved, declined, or has expired.",
  );
}
