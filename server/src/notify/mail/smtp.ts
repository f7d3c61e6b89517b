import type { Secret } from "@trunkline/core/secret.ts";

/** One mail, ready to go. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands mails to a server. */
export interface MailTransport {
  /** Rejects where the server did not take it. */
  send(mailMessage: MailMessage): Promise<void>;
  close(): void;
}

/** So that a server which says nothing holds up nobody for long. */
const SMTP_TIMEOUT_MS = 15_000;

/** A mail server that is spoken to by SMTP. It is the operator's own, and may be anywhere. */
export function createSmtpTransport(url: Secret, from: string): MailTransport {
  const opening = import("nodemailer").then(({ createTransport }) =>
    createTransport({
      url: url.reveal(),
      pool: true,
      maxConnections: 2,
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  opening.catch(() => undefined);
  return {
    async send({ to, subject, text, html }) {
      const transport = await opening;
      // As an object the address is never parsed: nobody adds a second one.
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text, html });
    },
    close() {
      opening.then(
        (transport) => transport.close(),
        () => undefined,
      );
    },
  };
}
