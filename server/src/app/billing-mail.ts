import { createLinkBuilder, type Email, type LinkBuilder } from "../notify/mail/emails.ts";
import type { Mailer } from "../notify/mail/mailer.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresMembers } from "../store/identity/members.ts";
import type { Config } from "./config/config.ts";

/** No organisation has more people who look after its bills. */
const MAILED_MEMBERS_MAX = 50;

/** The service's own address: links in e-mails lead there, whatever host a request names. */
export function originOf({ publicUrl, tls, port }: Config): string {
  return publicUrl ?? `${tls === undefined ? "http" : "https"}://localhost:${port}`;
}

/** Sends e-mails to the members of an account who look after its bills. */
export class BillingMail {
  readonly #members: PostgresMembers;
  readonly #mailer: Mailer;
  readonly #onError: (error: unknown) => void;
  readonly linkTo: LinkBuilder;

  constructor(config: Config, database: Database, mailer: Mailer, onError: (error: unknown) => void) {
    this.#members = new PostgresMembers(database);
    this.#mailer = mailer;
    this.#onError = onError;
    this.linkTo = createLinkBuilder(originOf(config));
  }

  /** Does nothing where the service can't send e-mail. `compose` may return none. */
  send(accountId: string, compose: (to: string) => Email | undefined): void {
    if (this.#mailer.channel !== "mail") return;
    this.#members
      .list(accountId, MAILED_MEMBERS_MAX, undefined)
      .then((members) => {
        for (const { email, role } of members) {
          const composed = role === "developer" || role === "viewer" ? undefined : compose(email);
          if (composed !== undefined) this.#mailer.send(composed);
        }
      })
      .catch(this.#onError);
  }

  /** Sends an e-mail to one person. */
  sendTo(email: Email): void {
    if (this.#mailer.channel === "mail") this.#mailer.send(email);
  }
}
