import { autoTopUpStoppedEmail } from "../notify/mail/emails.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import { AutoTopUps } from "../payments/card/auto-top-ups.ts";
import { CardPayments } from "../payments/card/card-payments.ts";
import { PostgresMembers } from "../store/identity/members.ts";
import { PostgresAutoTopUps } from "../store/payments/auto-top-ups.ts";
import { PostgresCardOrders } from "../store/payments/card-orders.ts";
import type { CardConfig } from "./config/card-config.ts";
import type { BaseServices, CardServices, IdentityServices, NotifyServices } from "./services.ts";

interface CardOptions extends BaseServices {
  readonly notify: NotifyServices;
  /** Called when an event was put into the outbox. */
  readonly onQueued: () => void;
  readonly identity: Pick<IdentityServices, "linkTo">;
}

/** How often automatic payments are made and open orders are reconciled. */
const CARD_JOBS_MS = 5_000;
const MAILED_MEMBERS_MAX = 50;

/** Creates payments by card, where the operator has set them up. */
export function createCard(options: CardOptions): {
  readonly services: CardServices | undefined;
  stop(): Promise<void>;
} {
  const { card } = options.config;
  return card === undefined ? { services: undefined, stop: async () => undefined } : createCardPayments(options, card);
}

function createCardPayments(options: CardOptions, terms: CardConfig) {
  const { database, elsewhere, dialer, clock, warnThrottled, notify, onQueued, identity } = options;
  const members = new PostgresMembers(database);
  const billingUrl = identity.linkTo("billing");
  const card: CardPayments = new CardPayments({
    store: new PostgresCardOrders(database),
    // The processor's library is loaded when it is first needed.
    loadProcessor: async () => {
      const { createStripeProcessor } = await import("../payments/card/stripe-processor.ts");
      return createStripeProcessor(terms.stripe, dialer);
    },
    terms,
    billingUrl,
    onBalanceChange: (accountId) => notify.alertMonitor.onBalanceChange(accountId),
    stopAutoTopUps: (accountId, reason) => autoTopUps.stop(accountId, reason),
    resumeAuto: (order) => autoTopUps.resume(order, clock.now()),
    onError: warnThrottled,
  });
  const autoTopUps = new AutoTopUps({
    store: new PostgresAutoTopUps(
      database,
      (reason) => createWebhookEvent("auto_top_up.stopped", { reason }, clock.now()),
      elsewhere,
    ),
    card,
    onStopped: async (accountId, reason) => {
      onQueued();
      for (const { email, role } of await members.list(accountId, MAILED_MEMBERS_MAX, undefined)) {
        if (role !== "developer" && role !== "viewer")
          notify.mailer.send(autoTopUpStoppedEmail(email, reason, billingUrl));
      }
    },
    onError: warnThrottled,
  });
  let isRunning = false;
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = Promise.all([autoTopUps.run(), card.reconcile(clock.now())])
      .catch((error: unknown) => warnThrottled(error, "Card payments could not be looked after."))
      .finally(() => {
        isRunning = false;
      });
  }, CARD_JOBS_MS);
  timer.unref();
  return {
    services: { payments: card, autoTopUps },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
