import { Secret as OtpSecret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  loggedToken,
  openBrowser,
  PASSWORD,
  signUp,
  startBrowserService,
  type TestBrowser,
} from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

/** What an authenticator app shows, a number of steps from now. */
function codeOf(secret: string, stepsFromNow = 0): string {
  const totp = new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: OtpSecret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + stepsFromNow * 30_000 });
}

const stepNow = () => Math.floor(Date.now() / 30_000);

/** A person with a second factor. Setting it up uses the step before this one, so that this one is free. */
async function withSecondFactor() {
  const { browser, email } = await signUp(service);
  const { json } = await browser.post("/v1/me/totp");
  const confirm = () => browser.post("/v1/me/totp/confirm", { code: codeOf(json.secret, -1) });
  let step = stepNow();
  let confirmed = await confirm();
  // A step that ended on the way made the code too old.
  while (confirmed.status === 400 && stepNow() > step) {
    step = stepNow();
    confirmed = await confirm();
  }
  expect(confirmed.status, confirmed.text).toBe(200);
  const codes: string[] = confirmed.json.recovery_codes;
  return { browser, email, secret: json.secret as string, codes };
}

async function ticketFor(email: string, browser: TestBrowser = openBrowser(service)): Promise<string> {
  const answer = await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
  expect(answer.json).toEqual({ second_factor: true, ticket: expect.any(String) });
  expect(answer.headers.getSetCookie()).toEqual([]);
  return answer.json.ticket;
}

describe("setting up a second factor", () => {
  it("gives a secret for an app, and ten recovery codes once a code confirms it", async () => {
    const { browser } = await signUp(service);
    const begun = await browser.post("/v1/me/totp");
    expect(begun.json.uri).toMatch(/^otpauth:\/\/totp\/Trunkline:/);
    expect(begun.json.uri).toContain(`secret=${begun.json.secret}`);
    expect((await browser.call("GET", "/v1/me")).json.has_totp).toBe(false);
    const wrong = await browser.post("/v1/me/totp/confirm", { code: codeOf(begun.json.secret, 10) });
    expect(wrong.json.error).toMatchObject({ type: "invalid_request", param: "code" });
    const right = await browser.post("/v1/me/totp/confirm", { code: codeOf(begun.json.secret) });
    expect(new Set(right.json.recovery_codes).size).toBe(10);
    expect((await browser.call("GET", "/v1/me")).json.has_totp).toBe(true);
    expect((await browser.post("/v1/me/totp")).json.error.type).toBe("conflict");
    expect((await browser.post("/v1/me/totp/confirm", { code: "123456" })).json.error.type).toBe("conflict");
  });

  it("is not asked for until it is confirmed", async () => {
    const { browser, email } = await signUp(service);
    await browser.post("/v1/me/totp");
    const answer = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(answer.json).toEqual({ second_factor: false });
  });
});

describe("the second factor", () => {
  it("is asked for after the password, and takes each code once", async () => {
    const { email, secret } = await withSecondFactor();
    const code = codeOf(secret);
    const browser = openBrowser(service);
    const done = await browser.post("/v1/auth/second-factor", {
      ticket: await ticketFor(email, browser),
      code,
    });
    expect(done.json).toEqual({ second_factor: false });
    expect((await browser.call("GET", "/v1/session")).status).toBe(200);
    const replay = await openBrowser(service).post("/v1/auth/second-factor", {
      ticket: await ticketFor(email),
      code,
    });
    expect(replay.json.error.type).toBe("invalid_login");
    expect(replay.headers.getSetCookie()).toEqual([]);
  });

  it("takes one of two who send the same code at once", async () => {
    const { email, secret } = await withSecondFactor();
    const tickets = [await ticketFor(email), await ticketFor(email)];
    const code = codeOf(secret);
    const answers = await Promise.all(
      tickets.map((ticket) => openBrowser(service).post("/v1/auth/second-factor", { ticket, code })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401]);
  });

  it("takes a recovery code once, however it is typed", async () => {
    const { email, codes } = await withSecondFactor();
    const [code = ""] = codes;
    const typed = ` ${code.toUpperCase().replaceAll("-", " ")}`;
    const first = await openBrowser(service).post("/v1/auth/second-factor", {
      ticket: await ticketFor(email),
      code: typed,
    });
    expect(first.status, first.text).toBe(200);
    const again = await openBrowser(service).post("/v1/auth/second-factor", {
      ticket: await ticketFor(email),
      code,
    });
    expect(again.status).toBe(401);
  });

  it("allows a ticket five tries, and notes each failure", async () => {
    const { browser: own, email, secret } = await withSecondFactor();
    const ticket = await ticketFor(email);
    const browser = openBrowser(service);
    const types: string[] = [];
    for (let guess = 0; guess < 6; guess++) {
      const answer = await browser.post("/v1/auth/second-factor", {
        ticket,
        code: codeOf(secret, 10 + guess),
      });
      types.push(answer.json.error.type);
    }
    expect(types).toEqual([...Array(5).fill("invalid_login"), "not_found"]);
    const right = await browser.post("/v1/auth/second-factor", { ticket, code: codeOf(secret) });
    expect(right.status).toBe(404);
    const { json } = await own.call("GET", "/v1/session");
    const auditEvents = await service.services.identity.auditLog.list(
      { accountId: json.account.id, action: "second_factor.fail" },
      10,
      undefined,
    );
    expect(auditEvents).toHaveLength(5);
  });

  it("can't be guessed by asking for more tickets, while a known browser still gets in", async () => {
    const { browser: own, email, secret } = await withSecondFactor();
    let last = 0;
    for (let round = 0; round < 3; round++) {
      const ticket = await ticketFor(email);
      for (let guess = 0; guess < 4; guess++) {
        const answer = await openBrowser(service).post("/v1/auth/second-factor", { ticket, code: "000000" });
        last = answer.status;
      }
    }
    expect(last).toBe(429);
    const code = codeOf(secret);
    const known = await own.post("/v1/auth/second-factor", { ticket: await ticketFor(email, own), code });
    expect(known.status, known.text).toBe(200);
  });

  it("is still asked for after a reset, whose older tickets are dead", async () => {
    const { email, secret } = await withSecondFactor();
    const older = await ticketFor(email);
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const browser = openBrowser(service);
    const token = await loggedToken(service, email, "reset");
    const reset = await browser.post("/v1/auth/reset", { token, password: "lantern quartz ribbon fog" });
    expect(reset.json.second_factor).toBe(true);
    expect(reset.headers.getSetCookie()).toEqual([]);
    const late = await openBrowser(service).post("/v1/auth/second-factor", {
      ticket: older,
      code: codeOf(secret),
    });
    expect(late.status).toBe(404);
    const done = await browser.post("/v1/auth/second-factor", {
      ticket: reset.json.ticket,
      code: codeOf(secret),
    });
    expect(done.status, done.text).toBe(200);
  });

  it("gets new recovery codes, which end the old ones, and can be removed", async () => {
    const { browser, email, codes } = await withSecondFactor();
    const renewed = await browser.post("/v1/me/totp/recovery-codes");
    expect(renewed.json.recovery_codes).toHaveLength(10);
    const old = await openBrowser(service).post("/v1/auth/second-factor", {
      ticket: await ticketFor(email),
      code: codes[1],
    });
    expect(old.status).toBe(401);
    expect((await browser.call("DELETE", "/v1/me/totp", { current: "wrong" })).json.error.param).toBe("current");
    expect((await browser.call("DELETE", "/v1/me/totp")).status).toBe(204);
    expect((await browser.call("DELETE", "/v1/me/totp")).json.error.type).toBe("conflict");
    expect((await browser.post("/v1/me/totp/recovery-codes")).json.error.type).toBe("conflict");
    const answer = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(answer.json).toEqual({ second_factor: false });
  });

  it("leaves no secret and no code in the log or in the audit log", async () => {
    const { browser, secret, codes } = await withSecondFactor();
    const { json } = await browser.call("GET", "/v1/session");
    const events = JSON.stringify(
      await service.services.identity.auditLog.list({ accountId: json.account.id }, 50, undefined),
    );
    for (const hidden of [secret, ...codes, PASSWORD, browser.cookies.get("trunkline_session") ?? ""]) {
      expect(service.logged()).not.toContain(hidden);
      expect(events).not.toContain(hidden);
    }
  });
});
