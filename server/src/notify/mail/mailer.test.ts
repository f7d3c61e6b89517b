import { Secret } from "@trunkline/core/secret.ts";
import { type MailServer, startMailServer } from "@trunkline/testing/mail-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { passwordResetEmail } from "./emails.ts";
import { Mailer } from "./mailer.ts";
import { createSmtpTransport } from "./smtp.ts";

let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.stop());

function openMailer(retryDelaysMs: number[]) {
  const lines: string[] = [];
  const note = (fields: unknown, words?: unknown) => lines.push(`${JSON.stringify(fields)} ${String(words)}`);
  const transport = createSmtpTransport(new Secret(mail.url), "no-reply@example.test");
  return {
    lines,
    mailer: new Mailer({ transport, log: { info: note, warn: note }, retryDelaysMs }),
  };
}

const email = passwordResetEmail("ada@example.test", "https://ai.example.test/reset#the-token");

describe("Mailer", () => {
  it("retries what the server did not accept, and logs it without the link", async () => {
    const { mailer, lines } = openMailer([1, 1]);
    mail.refuse(2);
    mailer.send(email);
    await expect.poll(() => mail.mails.length).toBe(1);
    await mailer.stop();
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain("the-token");
    expect(mail.mails[0]?.text).toContain("/reset#the-token");
  });

  it("gives up after the last retry, and logs it", async () => {
    const { mailer, lines } = openMailer([1]);
    const before = mail.mails.length;
    mail.refuse(2);
    mailer.send(email);
    await expect.poll(() => lines.at(-1)).toContain("was dropped");
    await mailer.stop();
    expect(mail.mails).toHaveLength(before);
  });

  it("waits for no retry when the service stops", async () => {
    const { mailer, lines } = openMailer([3_600_000]);
    mail.refuse(2);
    mailer.send(email);
    await expect.poll(() => lines.length).toBe(1);
    await mailer.stop();
    expect(lines.at(-1)).toContain("was dropped");
  });
});
