import { setTimeout as wait } from "node:timers/promises";
import { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Logger } from "@trunkline/core/log.ts";
import { type Email, renderEmail } from "./emails.ts";
import type { MailTransport } from "./smtp.ts";

/** How long to wait before each try but the first. */
const RETRY_DELAYS_MS = [2_000, 15_000, 60_000];
/** Mails wait in memory: past this many the server is not merely slow. */
const QUEUE_MAX = 500;

/** What a postman needs. */
export interface MailerOptions {
  /** undefined: there is no mail server, and links go to the log, which is the operator's. */
  readonly transport: MailTransport | undefined;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly retryDelaysMs?: readonly number[];
}

/** Brings letters to people, behind the back of whoever asked: a slow mail server changes no answer and no answer's time. */
export class Mailer {
  readonly #kit: MailerOptions;
  readonly #deliveries = new BackgroundWork();
  readonly #stopping = new AbortController();
  #waiting = 0;

  constructor(kit: MailerOptions) {
    this.#kit = kit;
  }

  /** Where letters go to. */
  get channel(): "mail" | "log" {
    return this.#kit.transport === undefined ? "log" : "mail";
  }

  send(email: Email): void {
    const { transport: carrier, log } = this.#kit;
    const { to, subject, link } = email;
    if (carrier === undefined) {
      log.info({ to, subject, link: link?.url }, "There is no mail server: this would have been mailed.");
      return;
    }
    if (this.#waiting >= QUEUE_MAX) {
      log.warn({ to, subject }, "Too many mails wait for the mail server: this one was dropped.");
      return;
    }
    this.#waiting += 1;
    void this.#deliveries.track(this.#deliver(carrier, email)).finally(() => {
      this.#waiting -= 1;
    });
  }

  /** Waits for what is on its way, but for no further tries. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#deliveries.whenIdle();
    this.#kit.transport?.close();
  }

  async #deliver(carrier: MailTransport, email: Email): Promise<void> {
    const { log, retryDelaysMs: waitsMs = RETRY_DELAYS_MS } = this.#kit;
    const { to, subject } = email;
    for (const waitMs of [...waitsMs, undefined]) {
      try {
        return await carrier.send(renderEmail(email));
      } catch (error) {
        const givenUp = waitMs === undefined || this.#stopping.signal.aborted;
        log.warn({ error, to, subject }, givenUp ? "A mail was given up." : "A mail was not taken; it is tried again.");
        if (givenUp) return;
        await wait(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }
}
