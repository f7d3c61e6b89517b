import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { mailTestEmail } from "../../../notify/mail/emails.ts";
import { emailSchema } from "../../responses/person.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const readMail = controlEndpoint({
  method: "GET",
  path: "/v1/admin/mail",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "How the service sends mail",
  description: "`SMTP_URL` and `MAIL_FROM` set it.",
  faults: [],
  response: z.object({
    configured: z.boolean(),
    server: z.string().nullable().describe("The mail server's host and port."),
    from: z.string().nullable().describe("Whom the mails come from."),
  }),
  async handle({ services: { config } }) {
    const { mail } = config;
    if (mail === undefined) return { configured: false, server: null, from: null };
    return { configured: true, server: new URL(mail.url.reveal()).host, from: mail.from };
  },
});

const sendTestMail = controlEndpoint({
  method: "POST",
  path: "/v1/admin/mail/test",
  permission: "operator.change",
  audit: { action: "mail.test", nameOf: ({ body }) => body.to, details: (_, result) => ({ sent: result.sent }) },
  status: 200,
  tag: "Operator",
  summary: "Send a test mail",
  description: "Waits until the mail server has accepted or refused it.",
  faults: ["conflict"],
  body: z.object({ to: emailSchema }),
  response: z.object({
    sent: z.boolean(),
    error: z.string().nullable().describe("What the mail server said, where it did not accept the mail."),
  }),
  async handle({ services, body, request }) {
    if (services.notify.mailer.channel === "log") {
      throw new Fault("conflict", "No mail server is set up. Set SMTP_URL and MAIL_FROM, and restart the service.");
    }
    await services.identity.attemptLimiter.check("mail", { address: request.ip, subject: body.to });
    try {
      await services.notify.mailer.sendNow(mailTestEmail(body.to, services.identity.linkTo("")));
      return { sent: true, error: null };
    } catch (error) {
      return { sent: false, error: error instanceof Error ? error.message : String(error) };
    }
  },
});

export const operatorMailEndpoints: readonly Endpoint[] = [readMail, sendTestMail];
