import { Secret } from "@trunkline/core/secret.ts";
import { type MailServer, startMailServer } from "@trunkline/testing/mail-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFirstLogin } from "../../src/app/first-start.ts";
import { newAddress, openBrowser, PASSWORD, startBrowserService } from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let mail: MailServer;
let service: StartedService;

beforeAll(async () => {
  mail = await startMailServer();
  service = await startBrowserService((config) => ({
    ...config,
    publicUrl: "https://ai.example.test",
    mail: { url: new Secret(mail.url), from: "Trunkline <no-reply@example.test>" },
  }));
});
afterAll(async () => {
  await service.stop();
  await mail.stop();
});

/** A loaded machine takes its time. */

async function mailTo(email: string, subject: string) {
  let found: MailServer["mails"][number] | undefined;
  await expect
    .poll(() => {
      found = mail.mails.find(({ to, source }) => to.includes(email) && source.includes(`Subject: ${subject}`));
      return found;
    })
    .toBeDefined();
  return found?.text ?? "";
}

describe("a service with a mail server", () => {
  it("mails the links, as text and as HTML, and logs none of them", async () => {
    const email = newAddress();
    const browser = openBrowser(service, "https://ai.example.test");
    const asked = await browser.post("/v1/auth/sign-up", {
      email,
      password: PASSWORD,
      name: "<b>Buy now</b>",
    });
    expect(asked.json).toEqual({ sent: "mail" });
    const text = await mailTo(email, "Confirm your e-mail address");
    expect(text).toContain("From: Trunkline <no-reply@example.test>");
    expect(text).toContain("Content-Type: text/html");
    expect(text).not.toContain("Buy now");
    const token = /https:\/\/ai\.example\.test\/verify#([\w-]{43})/.exec(text)?.[1] ?? "";
    const verified = await browser.post("/v1/auth/verify", { token });
    expect(verified.status, verified.text).toBe(200);
    // The public address says that there is TLS, whatever the proxy says.
    for (const cookie of verified.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
    expect((await browser.call("GET", "/v1/session")).json.features.mail).toBe(true);
    await browser.post("/v1/auth/forgot", { email });
    const reset = await mailTo(email, "Choose a new password");
    const resetToken = /\/reset#([\w-]{43})/.exec(reset)?.[1] ?? "none";
    for (const hidden of [token, resetToken]) expect(service.logged()).not.toContain(hidden);
  });

  it("never lets a request say where the links lead", async () => {
    const email = newAddress();
    await openBrowser(service, "https://ai.example.test").call(
      "POST",
      "/v1/auth/sign-up",
      { email, password: PASSWORD, name: "Ada" },
      { "x-forwarded-host": "evil.example" },
    );
    expect(await mailTo(email, "Confirm your e-mail address")).not.toContain("evil.example");
  });

  it("answers while the mail server keeps it waiting", async () => {
    const release = mail.hold();
    const email = newAddress();
    const before = mail.mails.length;
    const asked = await openBrowser(service, "https://ai.example.test").post("/v1/auth/sign-up", {
      email,
      password: PASSWORD,
      name: "Ada",
    });
    expect(asked.status).toBe(202);
    expect(mail.mails).toHaveLength(before);
    release();
    await mailTo(email, "Confirm your e-mail address");
  });
});

describe("the operator's first log-in", () => {
  it("makes the first owner by the link of the newest start, once", async () => {
    const older = (await makeFirstLogin(service.services)) ?? "";
    const token = (await makeFirstLogin(service.services)) ?? "";
    const email = newAddress();
    const own = () => openBrowser(service, "https://ai.example.test");
    const body = { email, name: "Op", password: PASSWORD };
    expect((await own().post("/v1/auth/first-login", { ...body, token: older })).json.error.type).toBe("not_found");
    const weak = await own().post("/v1/auth/first-login", { ...body, token, password: "operator12" });
    expect(weak.json.error.param).toBe("password");
    const browsers = [own(), own(), own()];
    const answers = await Promise.all(
      browsers.map((browser, index) =>
        browser.post("/v1/auth/first-login", { ...body, email: `${index}-${email}`, token }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404]);
    const winner = browsers[answers.findIndex(({ status }) => status === 200)] ?? own();
    const { json } = await winner.call("GET", "/v1/session");
    expect(json.account).toMatchObject({ operator: true, role: "owner", provider: "operator" });
    expect(json.powers).toContain("operator.change");
    expect(await makeFirstLogin(service.services)).toBeUndefined();
  });
});

describe("the set-up of mail", () => {
  it("sends a test mail, and tells what the mail server said", async () => {
    const to = newAddress();
    const read = await service.call("GET", "/v1/admin/mail");
    expect(read.json).toEqual({
      configured: true,
      server: new URL(mail.url).host,
      from: "Trunkline <no-reply@example.test>",
    });
    expect((await service.call("POST", "/v1/admin/mail/test", { to })).json).toEqual({ sent: true, error: null });
    expect(await mailTo(to, "Trunkline can send mail")).toContain("https://ai.example.test/");
    const wrong = await service.call("POST", "/v1/admin/mail/test", { to: "nobody" });
    expect(wrong.json.error).toMatchObject({ type: "invalid_request", param: "to" });
  });

  it("asks for the confirmation of an address before the log-in", async () => {
    const email = newAddress();
    const browser = openBrowser(service, "https://ai.example.test");
    await browser.post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Ada" });
    await mailTo(email, "Confirm your e-mail address");
    const early = await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(early.status).toBe(401);
    expect(early.json.error.message).toMatch(/^Confirm your email address first/);
  });
});
