import type { EventType } from "@trunkline/core/alerts.ts";
import type { Logger } from "@trunkline/core/log.ts";
import { RETRY_DELAYS_MS } from "../webhooks/dispatcher.ts";
import { alertEmail, type LinkBuilder } from "./emails.ts";
import type { Mailer } from "./mailer.ts";

/** An e-mail of an alert that this instance claimed for the length of a lease. */
export interface ClaimedAlertMail {
  readonly id: string;
  readonly to: string;
  readonly type: EventType;
  /** The event, as webhooks get it. */
  readonly body: string;
  /** Which attempt this is, counted from 1. */
  readonly attempt: number;
}

export interface AlertMailStore {
  /** Claims due e-mails. No other instance claims them while the lease lasts. */
  claim(most: number, leaseMs: number): Promise<ClaimedAlertMail[]>;
  /** The time until an e-mail is due; undefined where none waits. */
  dueInMs(): Promise<number | undefined>;
  remove(mail: ClaimedAlertMail): Promise<void>;
  retryIn(mail: ClaimedAlertMail, pauseMs: number): Promise<void>;
}

export interface AlertMailerOptions {
  readonly store: AlertMailStore;
  readonly mailer: Pick<Mailer, "sendNow">;
  readonly linkTo: LinkBuilder;
  readonly log: Pick<Logger, "warn">;
  readonly onError: (error: unknown) => void;
}

/** The mail server takes two at once. */
const CLAIMED_MAX = 4;
/** Longer than any attempt can take. */
const LEASE_MS = 120_000;
/** How often the store is checked when nothing is due: another instance may have died while it sent. */
const IDLE_MS = 30_000;

/** Sends alerts by e-mail at least once, on any number of instances. */
export class AlertMailer {
  readonly #options: AlertMailerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(options: AlertMailerOptions) {
    this.#options = options;
  }

  /** Sends what is due now. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    clearTimeout(this.#timer);
    this.#running ??= this.#sendWhileWoken();
  }

  /** Claims nothing more, and waits for what is being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #sendWhileWoken(): Promise<void> {
    let pauseMs = IDLE_MS;
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      pauseMs = await this.#sendDue().catch((error: unknown) => {
        this.#options.onError(error);
        return IDLE_MS;
      });
    }
    // No await since the last check of `#isWoken`: a `wake` from now on starts a new loop.
    this.#running = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.wake(), pauseMs);
    this.#timer.unref();
  }

  /** Returns when to check again. */
  async #sendDue(): Promise<number> {
    const { store } = this.#options;
    while (!this.#isStopped) {
      const mails = await store.claim(CLAIMED_MAX, LEASE_MS);
      if (mails.length === 0) break;
      await Promise.all(mails.map((mail) => this.#send(mail)));
    }
    return Math.min(IDLE_MS, (await store.dueInMs()) ?? IDLE_MS);
  }

  async #send(mail: ClaimedAlertMail): Promise<void> {
    const { store, mailer, linkTo, log } = this.#options;
    const email = alertEmail(mail.to, mail.type, JSON.parse(mail.body).data, linkTo("billing"));
    if (email === undefined) return store.remove(mail);
    try {
      await mailer.sendNow(email);
    } catch (error) {
      const pauseMs = RETRY_DELAYS_MS[mail.attempt - 1];
      const { to, subject } = email;
      log.warn(
        { error, to, subject },
        pauseMs === undefined
          ? "An alert could not be delivered by e-mail and was dropped."
          : "An alert could not be delivered by e-mail; it will be retried.",
      );
      return pauseMs === undefined ? store.remove(mail) : store.retryIn(mail, pauseMs);
    }
    await store.remove(mail);
  }
}
