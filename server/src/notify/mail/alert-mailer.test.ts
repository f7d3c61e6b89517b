import { describe, expect, it } from "vitest";
import { RETRY_DELAYS_MS } from "../webhooks/dispatcher.ts";
import { AlertMailer, type AlertMailStore, type ClaimedAlertMail } from "./alert-mailer.ts";
import type { Email } from "./emails.ts";

const BODY = JSON.stringify({ data: { balance: 1, low_balance: 5 } });
const MAIL: ClaimedAlertMail = { id: "one", to: "ada@example.com", type: "balance.low", body: BODY, attempt: 1 };

/** E-mails that are due once, and what became of them. */
class DueOnce implements AlertMailStore {
  readonly ends: string[] = [];
  #due: ClaimedAlertMail[];

  constructor(...due: ClaimedAlertMail[]) {
    this.#due = due;
  }

  async claim(most: number) {
    return this.#due.splice(0, most);
  }

  async dueInMs() {
    return undefined;
  }

  async remove({ id }: ClaimedAlertMail) {
    this.ends.push(`${id} removed`);
  }

  async retryIn({ id }: ClaimedAlertMail, pauseMs: number) {
    this.ends.push(`${id} again in ${pauseMs} ms`);
  }
}

async function sendAll(store: AlertMailStore, sendNow: (email: Email) => Promise<void>) {
  const warnings: string[] = [];
  const mailer = new AlertMailer({
    store,
    mailer: { sendNow },
    linkTo: (page) => `https://gateway.example/${page}`,
    log: { warn: (_fields: unknown, text?: string) => void warnings.push(text ?? "") },
    onError: (error) => expect.fail(String(error)),
  });
  mailer.wake();
  mailer.wake();
  await expect.poll(() => "ends" in store && (store as DueOnce).ends.length).toBeGreaterThan(0);
  await mailer.stop();
  return warnings;
}

describe("an alert by e-mail", () => {
  it("is removed once the mail server has accepted it", async () => {
    const store = new DueOnce(MAIL);
    const sent: Email[] = [];
    await sendAll(store, async (email) => void sent.push(email));
    expect(sent).toMatchObject([{ to: "ada@example.com", link: { url: "https://gateway.example/billing" } }]);
    expect(sent[0]?.lines.join()).toContain("$1.00");
    expect(store.ends).toEqual(["one removed"]);
  });

  it("is tried again later where the mail server did not accept it", async () => {
    const store = new DueOnce({ ...MAIL, attempt: 2 });
    const warnings = await sendAll(store, () => Promise.reject(new Error("busy")));
    expect(store.ends).toEqual([`one again in ${RETRY_DELAYS_MS[1]} ms`]);
    expect(warnings.join()).toContain("will be retried");
  });

  it("is dropped with a warning after the last attempt", async () => {
    const store = new DueOnce({ ...MAIL, attempt: RETRY_DELAYS_MS.length + 1 });
    const warnings = await sendAll(store, () => Promise.reject(new Error("gone")));
    expect(store.ends).toEqual(["one removed"]);
    expect(warnings.join()).toContain("was dropped");
  });
});
