import type { Secret } from "@trunkline/core/secret.ts";

/** One mail, ready to go. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands mails to a server. */
export interface MailCarrier {
  /** Rejects where the server did not take it. */
  carry(mail: Mail): Promise<void>;
  close(): void;
}

/** So that a server which says nothing holds up nobody for long. */
const PATIENCE_MS = 15_000;

/** A mail server that is spoken to by SMTP. It is the operator's own, and may be anywhere. */
export function openSmtp(url: Secret, from: string): MailCarrier {
  const opening = import("nodemailer").then(({ createTransport }) =>
    createTransport({
      url: url.reveal(),
      pool: true,
      maxConnections: 2,
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  opening.catch(() => undefined);
  return {
    async carry({ to, subject, text, html }) {
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
