import { autoTopUpStoppedEmail } from "../notify/mail/emails.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import { AutoTopUps } from "../payments/card/auto-top-ups.ts";
import { CardPayments } from "../payments/card/card-payments.ts";
import { PostgresMembers } from "../store/identity/members.ts";
import { PostgresAutoTopUps } from "../store/payments/auto-top-ups.ts";
import { PostgresCardOrders } from "../store/payments/card-orders.ts";
import type { CardConfig } from "./config/card-config.ts";
import type { BaseServices, IdentityServices, NotifyServices, PaymentServices } from "./services.ts";

interface PaymentsOptions extends BaseServices {
  readonly notify: NotifyServices;
  /** Called when an event was put into the outbox. */
  readonly onQueued: () => void;
  readonly identity: Pick<IdentityServices, "linkTo">;
}

/** A way to pay, and how its jobs end. */
interface CreatedPayments {
  readonly services: PaymentServices;
  stop(): Promise<void>;
}

/** How often automatic payments are made and open orders are reconciled. */
const CARD_JOBS_MS = 5_000;
const MAILED_MEMBERS_MAX = 50;

/** Creates the ways to pay that the operator has set up. */
export function createPayments(options: PaymentsOptions): CreatedPayments {
  const { card } = options.config;
  if (card === undefined) return { services: { card: undefined, autoTopUps: undefined }, stop: async () => undefined };
  return createCardPayments(options, card);
}

function createCardPayments(options: PaymentsOptions, terms: CardConfig): CreatedPayments {
  const { database, dialer, clock, warnThrottled, notify, onQueued, identity } = options;
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
    onAutoFailed: (accountId, reason) => autoTopUps.stop(accountId, reason),
    resumeAuto: (order) => autoTopUps.resume(order, clock.now()),
    onError: warnThrottled,
  });
  const autoTopUps = new AutoTopUps({
    store: new PostgresAutoTopUps(database, (reason) =>
      createWebhookEvent("auto_top_up.stopped", { reason }, clock.now()),
    ),
    card,
    onStopped: async (accountId) => {
      onQueued();
      for (const { email, role } of await members.list(accountId, MAILED_MEMBERS_MAX, undefined)) {
        if (role !== "developer" && role !== "viewer") notify.mailer.send(autoTopUpStoppedEmail(email, billingUrl));
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
    services: { card, autoTopUps },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
