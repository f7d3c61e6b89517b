import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import { AlertMonitor } from "../notify/alert-monitor.ts";
import { AlertMailer } from "../notify/mail/alert-mailer.ts";
import { Mailer } from "../notify/mail/mailer.ts";
import { createSmtpTransport } from "../notify/mail/smtp.ts";
import { createWebhookSender } from "../notify/webhooks/deliver.ts";
import { WebhookDispatcher } from "../notify/webhooks/dispatcher.ts";
import { Webhooks } from "../notify/webhooks/webhooks.ts";
import { PostgresAlertMails } from "../store/notify/alert-mails.ts";
import { PostgresAlerts } from "../store/notify/alerts.ts";
import { PostgresOutbox } from "../store/notify/outbox.ts";
import { PostgresWebhooks } from "../store/notify/webhooks.ts";
import { BillingMail } from "./billing-mail.ts";
import type { BaseServices, NotifyServices } from "./services.ts";

/** Creates alerts, webhooks and e-mail. `onQueued` is to be called when an event was put into the outbox. */
export function createNotify({ config, database, elsewhere, sealer, dialer, clock, log, warnThrottled }: BaseServices) {
  const send = createWebhookSender(dialer, clock);
  const outbox = new PostgresOutbox(database, sealer);
  const dispatcher = new WebhookDispatcher(outbox, send, (error) =>
    warnThrottled(error, "Webhook deliveries could not be sent."),
  );
  const onQueued = () => dispatcher.wake();
  const transport = config.mail === undefined ? undefined : createSmtpTransport(config.mail.url, config.mail.from);
  const mailer = new Mailer({ transport, log });
  const billingMail = new BillingMail(config, database, mailer, (error) =>
    warnThrottled(error, "An alert could not be sent by e-mail."),
  );
  const alertMailer =
    transport === undefined
      ? undefined
      : new AlertMailer({
          store: new PostgresAlertMails(database),
          mailer,
          linkTo: billingMail.linkTo,
          log,
          onError: (error) => warnThrottled(error, "Alerts could not be sent by e-mail."),
        });
  const alerts = new PostgresAlerts(database, transport !== undefined, elsewhere);
  const alertMonitor = new AlertMonitor({
    store: alerts,
    startOfPeriod,
    endOfPeriod,
    clock,
    onQueued: () => {
      onQueued();
      alertMailer?.wake();
    },
    onError: (error) => warnThrottled(error, "Budgets and balances could not be checked for alerts."),
  });
  const webhooks = new Webhooks({
    store: new PostgresWebhooks(database, sealer),
    checkEndpoint,
    send,
    clock,
    onSubscribed: (accountId) => alertMonitor.onAccountChange(accountId),
  });
  const services: NotifyServices = { webhooks, alertMonitor, mailer };
  return {
    services,
    billingMail,
    onQueued,
    start() {
      alertMonitor.start();
      dispatcher.wake();
      alertMailer?.wake();
    },
    sweep: () => Promise.all([outbox.sweep(), alerts.sweep()]),
    /** To be called before anything that its e-mails may be about has ended. What is due then waits for the next start. */
    async stopMail(): Promise<void> {
      await alertMailer?.stop();
      await mailer.stop();
    },
    /** Without the mailer, which background work may use longer. */
    async stop(): Promise<void> {
      await alertMonitor.stop();
      await dispatcher.stop();
    },
  };
}
