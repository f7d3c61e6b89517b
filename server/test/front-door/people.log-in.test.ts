import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { loggedToken, newAddress, openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import { openMember } from "../support/member.ts";
import { call, type StartedService, startSibling } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

const NEW_PASSWORD = "lantern quartz ribbon fog";

/** Changes something in the store that only time changes. */
async function letTimePass(statement: string, values: unknown[]): Promise<void> {
  const database = openDatabase(service.address, () => undefined, { connections: 1 });
  try {
    await database.query(statement, values);
  } finally {
    await database.close();
  }
}

describe("logging in", () => {
  it("sets a cookie that scripts can't read and other sites don't send", async () => {
    const { email } = await signUp(service);
    const answer = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(answer.json).toEqual({ second_factor: false });
    const [session, device] = answer.headers.getSetCookie();
    expect(session).toMatch(/^trunkline_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(device).toMatch(/^trunkline_device=[^;]+; Max-Age=34560000; Path=\/v1\/auth; HttpOnly; SameSite=Strict$/);
  });

  it("marks the cookie as secure where the browser came by https", async () => {
    const { email } = await signUp(service);
    const answer = await call(
      service.url,
      "POST",
      "/v1/auth/log-in",
      { email, password: PASSWORD },
      {
        key: null,
        headers: { "x-forwarded-proto": "https", "x-forwarded-for": "10.9.9.9" },
      },
    );
    for (const cookie of answer.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
  });

  it("answers the same for a wrong password, an unknown address and a person without a password", async () => {
    const { email } = await signUp(service);
    const member = await openMember(service);
    const answers = [];
    for (const address of [email, newAddress(), member.email]) {
      const answer = await openBrowser(service).post("/v1/auth/log-in", {
        email: address,
        password: "wrong one",
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
      const { request_id: _, ...error } = answer.json.error;
      answers.push({ status: answer.status, error, headers: [...answer.headers.keys()].toSorted() });
    }
    expect(answers[0]).toMatchObject({ status: 401, error: { type: "invalid_login" } });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it("takes the same password however its characters were composed, and the address in any case", async () => {
    const email = newAddress();
    const browser = openBrowser(service);
    await browser.post("/v1/auth/sign-up", { email, password: "crème brûlée tractor moon", name: "Ada" });
    await browser.post("/v1/auth/verify", { token: await loggedToken(service, email, "verify") });
    const answer = await openBrowser(service).post("/v1/auth/log-in", {
      email: email.toUpperCase(),
      password: "crème brûlée tractor moon".normalize("NFD"),
    });
    expect(answer.status).toBe(200);
  });

  it("gives a new session each time, and ends the one that was shown", async () => {
    const { browser, email } = await signUp(service);
    const before = browser.cookies.get("trunkline_session") ?? "";
    await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(browser.cookies.get("trunkline_session")).not.toBe(before);
    const old = openBrowser(service);
    old.cookies.set("trunkline_session", before);
    expect((await old.call("GET", "/v1/session")).json.error.type).toBe("invalid_session");
  });

  it("never takes over a session that another party has put into the browser", async () => {
    const { email } = await signUp(service);
    const planted = "p".repeat(43);
    const browser = openBrowser(service);
    browser.cookies.set("trunkline_session", planted);
    await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(browser.cookies.get("trunkline_session")).not.toBe(planted);
    const attacker = openBrowser(service);
    attacker.cookies.set("trunkline_session", planted);
    expect((await attacker.call("GET", "/v1/session")).status).toBe(401);
  });

  it("is refused to a page of another site", async () => {
    const { email } = await signUp(service);
    const evil = openBrowser(service, "https://evil.example");
    for (const path of ["log-in", "sign-up", "forgot", "passkey-options"]) {
      const answer = await evil.post(`/v1/auth/${path}`, { email, password: PASSWORD, name: "E" });
      expect(answer.json.error.type, path).toBe("cross_site");
    }
  });

  it("is put into the audit log, with how and from where", async () => {
    const { browser, email } = await signUp(service);
    await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    const { json } = await browser.call("GET", "/v1/session");
    const auditEvents = await service.services.identity.auditLog.list({ accountId: json.account.id }, 10, undefined);
    expect(auditEvents).toMatchObject([
      { action: "session.open", actor: { name: email }, details: { by: "password" } },
      { action: "session.open", details: { by: "sign_up" } },
    ]);
    expect(auditEvents[0]?.address).toMatch(/^10\.1\./);
  });

  it("needs an organisation to look at", async () => {
    const { email, browser } = await signUp(service);
    const { json } = await browser.call("GET", "/v1/session");
    await letTimePass("DELETE FROM members WHERE person_id = $1", [json.person.id]);
    const answer = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(answer.json.error.type).toBe("insufficient_role");
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});

describe("guessing", () => {
  it("ends after ten tries at one address, wherever they come from, on all instances together", async () => {
    const { browser, email } = await signUp(service);
    const sibling = await startSibling(service, (config) => ({ ...config, trustProxy: true }));
    try {
      const doors = [service, sibling];
      const statuses: number[] = [];
      for (let guess = 0; guess < 11; guess++) {
        const answer = await openBrowser(doors[guess % 2] ?? service).post("/v1/auth/log-in", {
          email,
          password: `guess ${guess}`,
        });
        statuses.push(answer.status);
        if (answer.status === 429) {
          expect(answer.json.error.type).toBe("rate_limited");
          expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
        }
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
    } finally {
      await sibling.stop();
    }
    const right = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(right.status).toBe(429);
    // A browser that they have logged in with before is not kept out by an attacker's tries.
    const known = await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(known.status, known.text).toBe(200);
  });

  it("ends after fifty tries from one network, whatever the addresses, and a success gives none back", async () => {
    const { email } = await signUp(service);
    const network = "2001:db8:1:2";
    const begun = performance.now();
    let admitted = 0;
    for (;;) {
      const isRight = admitted === 20;
      const { status } = await call(
        service.url,
        "POST",
        "/v1/auth/log-in",
        isRight ? { email, password: PASSWORD } : { email: newAddress(), password: "guess" },
        { key: null, headers: { "x-forwarded-for": `${network}::${admitted + 1}` } },
      );
      if (status === 429) break;
      expect(status).toBe(isRight ? 200 : 401);
      admitted++;
      // A try comes back every 18 s, and a slow machine takes longer than that.
      expect(admitted).toBeLessThanOrEqual(50 + Math.floor((performance.now() - begun) / 18_000));
    }
    expect(admitted).toBeGreaterThanOrEqual(50);
  });

  it("is not helped by a browser's mark for another address, or by one that was made up", async () => {
    const { browser: known } = await signUp(service);
    const { email } = await signUp(service);
    for (let guess = 0; guess < 10; guess++)
      await openBrowser(service).post("/v1/auth/log-in", { email, password: "guess" });
    for (const mark of [known.cookies.get("trunkline_device") ?? "", `${"n".repeat(22)}.${"s".repeat(43)}`]) {
      const browser = openBrowser(service);
      browser.cookies.set("trunkline_device", mark);
      expect((await browser.post("/v1/auth/log-in", { email, password: PASSWORD })).status).toBe(429);
    }
  });
});

describe("a forgotten password", () => {
  it("is asked for with one answer for known and unknown addresses", async () => {
    const { email } = await signUp(service);
    const known = await openBrowser(service).post("/v1/auth/forgot", { email });
    const unknown = await openBrowser(service).post("/v1/auth/forgot", { email: newAddress() });
    for (const answer of [known, unknown]) {
      expect(answer.status).toBe(202);
      expect(answer.json).toEqual({ sent: "log" });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it("is replaced once by the link, which ends every session and logs in", async () => {
    const { browser, email } = await signUp(service);
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const token = await loggedToken(service, email, "reset");
    const other = openBrowser(service);
    const weak = await other.post("/v1/auth/reset", { token, password: "password123" });
    expect(weak.json.error.param).toBe("password");
    const reset = await other.post("/v1/auth/reset", { token, password: NEW_PASSWORD });
    expect(reset.json).toEqual({ second_factor: false });
    expect((await other.call("GET", "/v1/session")).status).toBe(200);
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
    const again = await openBrowser(service).post("/v1/auth/reset", { token, password: PASSWORD });
    expect(again.json.error.type).toBe("not_found");
    expect((await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD })).status).toBe(401);
    const { json } = await other.call("GET", "/v1/session");
    const auditEvents = await service.services.identity.auditLog.list({ accountId: json.account.id }, 2, undefined);
    expect(auditEvents).toMatchObject([
      { action: "session.open", details: { by: "reset" } },
      { action: "password.reset" },
    ]);
  });

  it("is not replaced by a link that is over", async () => {
    const { email } = await signUp(service);
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const token = await loggedToken(service, email, "reset");
    await letTimePass("UPDATE one_time_tokens SET expires_at = now() WHERE purpose = 'reset'", []);
    const answer = await openBrowser(service).post("/v1/auth/reset", { token, password: NEW_PASSWORD });
    expect(answer.json.error.type).toBe("not_found");
  });

  it("is mailed about five times an hour at most", async () => {
    const email = newAddress();
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++)
      statuses.push((await openBrowser(service).post("/v1/auth/forgot", { email })).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });
});
