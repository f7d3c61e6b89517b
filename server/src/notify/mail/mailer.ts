import { setTimeout as wait } from "node:timers/promises";
import { Following } from "@trunkline/core/following.ts";
import type { Logger } from "@trunkline/core/log.ts";
import { type Letter, mailOf } from "./emails.ts";
import type { MailCarrier } from "./smtp.ts";

/** How long to wait before each try but the first. */
const WAITS_MS = [2_000, 15_000, 60_000];
/** Mails wait in memory: past this many the server is not merely slow. */
const WAITING_MAX = 500;

/** What a postman needs. */
export interface PostmanKit {
  /** undefined: there is no mail server, and links go to the log, which is the operator's. */
  readonly carrier: MailCarrier | undefined;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly waitsMs?: readonly number[];
}

/** Brings letters to people, behind the back of whoever asked: a slow mail server changes no answer and no answer's time. */
export class Postman {
  readonly #kit: PostmanKit;
  readonly #bag = new Following();
  readonly #stopping = new AbortController();
  #waiting = 0;

  constructor(kit: PostmanKit) {
    this.#kit = kit;
  }

  /** Where letters go to. */
  get way(): "mail" | "log" {
    return this.#kit.carrier === undefined ? "log" : "mail";
  }

  send(letter: Letter): void {
    const { carrier, log } = this.#kit;
    const { to, subject, link } = letter;
    if (carrier === undefined) {
      log.info({ to, subject, link: link?.url }, "There is no mail server: this would have been mailed.");
      return;
    }
    if (this.#waiting >= WAITING_MAX) {
      log.warn({ to, subject }, "Too many mails wait for the mail server: this one was dropped.");
      return;
    }
    this.#waiting += 1;
    void this.#bag.follow(this.#deliver(carrier, letter)).finally(() => {
      this.#waiting -= 1;
    });
  }

  /** Waits for what is on its way, but for no further tries. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#bag.idle();
    this.#kit.carrier?.close();
  }

  async #deliver(carrier: MailCarrier, letter: Letter): Promise<void> {
    const { log, waitsMs = WAITS_MS } = this.#kit;
    const { to, subject } = letter;
    for (const waitMs of [...waitsMs, undefined]) {
      try {
        return await carrier.carry(mailOf(letter));
      } catch (error) {
        const givenUp = waitMs === undefined || this.#stopping.signal.aborted;
        log.warn(
          { error, to, subject },
          givenUp ? "A mail was given up." : "A mail was not taken; it is tried again.",
        );
        if (givenUp) return;
        await wait(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }
}
