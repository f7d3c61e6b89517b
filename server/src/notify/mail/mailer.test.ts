import { Secret } from "@trunkline/core/secret.ts";
import { type MailServer, startMailServer } from "@trunkline/testing/mail-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATIENTLY } from "../../../test/support/browser.ts";
import { passwordResetEmail } from "./emails.ts";
import { Mailer } from "./mailer.ts";
import { createSmtpTransport } from "./smtp.ts";

let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.stop());

function openPostman(waitsMs: number[]) {
  const lines: string[] = [];
  const note = (fields: unknown, words?: unknown) => lines.push(`${JSON.stringify(fields)} ${String(words)}`);
  const carrier = createSmtpTransport(new Secret(mail.url), "no-reply@example.test");
  return {
    lines,
    postman: new Mailer({ transport: carrier, log: { info: note, warn: note }, retryDelaysMs: waitsMs }),
  };
}

const email = passwordResetEmail("ada@example.test", "https://ai.example.test/reset#the-token");

describe("a postman", () => {
  it("tries again what the server did not take, and says so without the link", async () => {
    const { postman: mailer, lines } = openPostman([1, 1]);
    mail.refuse(2);
    mailer.send(email);
    await expect.poll(() => mail.mails.length, PATIENTLY).toBe(1);
    await mailer.stop();
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain("the-token");
    expect(mail.mails[0]?.text).toContain("/reset#the-token");
  });

  it("gives up after the last try, and says so", async () => {
    const { postman: mailer, lines } = openPostman([1]);
    const before = mail.mails.length;
    mail.refuse(2);
    mailer.send(email);
    await expect.poll(() => lines.at(-1), PATIENTLY).toContain("given up");
    await mailer.stop();
    expect(mail.mails).toHaveLength(before);
  });

  it("waits for no further try when the service stops", async () => {
    const { postman: mailer, lines } = openPostman([3_600_000]);
    mail.refuse(2);
    mailer.send(email);
    await expect.poll(() => lines.length, PATIENTLY).toBe(1);
    await mailer.stop();
    expect(lines.at(-1)).toContain("given up");
  });
});
