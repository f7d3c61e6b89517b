import { setTimeout as wait } from "node:timers/promises";
import { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Logger } from "@trunkline/core/log.ts";
import { type Email, renderEmail } from "./emails.ts";
import type { MailTransport } from "./smtp.ts";

/** The delay before each retry. */
const RETRY_DELAYS_MS = [2_000, 15_000, 60_000];
/** E-mails wait in memory. Beyond this many, the mail server is not just slow. */
const QUEUE_MAX = 500;

export interface MailerOptions {
  /** undefined: there is no mail server, and links go to the operator's log. */
  readonly transport: Pick<MailTransport, "send" | "close"> | undefined;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly retryDelaysMs?: readonly number[];
}

/** Sends e-mails in the background, so that a slow mail server does not delay responses. */
export class Mailer {
  readonly #options: MailerOptions;
  readonly #deliveries = new BackgroundWork();
  readonly #stopping = new AbortController();
  #waiting = 0;

  constructor(options: MailerOptions) {
    this.#options = options;
  }

  get channel(): "mail" | "log" {
    return this.#options.transport === undefined ? "log" : "mail";
  }

  send(email: Email): void {
    const { transport, log } = this.#options;
    const { to, subject, link } = email;
    if (transport === undefined) {
      log.info({ to, subject, link: link?.url }, "No mail server is configured: this e-mail was not sent.");
      return;
    }
    if (this.#waiting >= QUEUE_MAX) {
      log.warn({ to, subject }, "Too many e-mails are waiting for the mail server: this one was dropped.");
      return;
    }
    this.#waiting += 1;
    void this.#deliveries.track(this.#deliver(transport, email)).finally(() => {
      this.#waiting -= 1;
    });
  }

  /** Sends at once, without retries. Rejects where there is no mail server, or where it did not accept the e-mail. */
  async sendNow(email: Email): Promise<void> {
    const { transport } = this.#options;
    if (transport === undefined) throw new Error("No mail server is configured.");
    await transport.send(renderEmail(email));
  }

  /** Waits for running deliveries, but not for retries. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#deliveries.whenIdle();
    this.#options.transport?.close();
  }

  async #deliver(transport: Pick<MailTransport, "send">, email: Email): Promise<void> {
    const { log, retryDelaysMs = RETRY_DELAYS_MS } = this.#options;
    const { to, subject } = email;
    for (const delayMs of [...retryDelaysMs, undefined]) {
      try {
        return await transport.send(renderEmail(email));
      } catch (error) {
        const givenUp = delayMs === undefined || this.#stopping.signal.aborted;
        log.warn(
          { error, to, subject },
          givenUp
            ? "An e-mail could not be delivered and was dropped."
            : "An e-mail could not be delivered; it will be retried.",
        );
        if (givenUp) return;
        await wait(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }
}
