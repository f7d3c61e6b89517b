import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly to: string[];
  /** As it came over the wire. */
  readonly source: string;
  /** Its text, without the line breaks of quoted-printable. */
  readonly text: string;
}

/** A real SMTP server that keeps what it is sent. */
export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Makes it refuse this number of mails from now on. */
  refuse(times: number): void;
  /** Makes it keep clients waiting until the returned function is called. */
  hold(): () => void;
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refusals = 0;
  let held = Promise.resolve();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        void held.then(() => {
          if (refusals > 0) {
            refusals -= 1;
            done(new Error("Not now."));
            return;
          }
          const source = Buffer.concat(chunks).toString();
          const text = source.replaceAll("=\r\n", "").replaceAll("=3D", "=");
          mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), source, text });
          done();
        });
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse(times) {
      refusals = times;
    },
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
