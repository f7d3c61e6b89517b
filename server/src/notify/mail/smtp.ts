import type { Secret } from "@trunkline/core/secret.ts";

/** A rendered e-mail. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands e-mails to a server. */
export interface MailTransport {
  /** Rejects when the server did not accept it. */
  send(mailMessage: MailMessage): Promise<void>;
  /** Connects and logs in without sending anything. Rejects where that fails. */
  verify(): Promise<void>;
  close(): void;
}

/** How long a silent server may block a delivery. */
const SMTP_TIMEOUT_MS = 15_000;

/** Sends by SMTP. The server is the operator's own, so its address is not restricted. */
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
      // An address object is not parsed, so the address can't smuggle in a second recipient.
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text, html });
    },
    async verify() {
      await (await opening).verify();
    },
    close() {
      opening.then(
        (transport) => transport.close(),
        () => undefined,
      );
    },
  };
}
