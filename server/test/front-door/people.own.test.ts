import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { addMember } from "../../src/store/identity/members.ts";
import { loggedToken, newAddress, openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

const NEW_PASSWORD = "lantern quartz ribbon fog";

async function inStore(statement: string, values: unknown[]): Promise<void> {
  const database = openDatabase(service.address, () => undefined, { connections: 1 });
  try {
    await database.query(statement, values);
  } finally {
    await database.close();
  }
}

/** Makes all log-ins too old to count as fresh. */
const ageSessions = (age: string) =>
  inStore(`UPDATE sessions SET created_at = now() - interval '${age}', last_seen_at = now() - interval '${age}'`, []);

describe("one's own profile", () => {
  it("shows and changes the name", async () => {
    const { browser, email } = await signUp(service);
    expect((await browser.call("PATCH", "/v1/me", { name: " Ada B. " })).json).toMatchObject({
      name: "Ada B.",
      email,
      sent: null,
    });
    expect((await browser.call("GET", "/v1/me")).json.name).toBe("Ada B.");
  });

  it("takes a new address once the link that was sent there is opened, and tells the old one", async () => {
    const { browser, email } = await signUp(service);
    const fresh = newAddress();
    const asked = await browser.call("PATCH", "/v1/me", { email: fresh });
    expect(asked.json).toMatchObject({ email, sent: "log" });
    const token = await loggedToken(service, fresh, "verify");
    expect(service.logged()).toContain(`"to":"${email}","subject":"A new e-mail address was asked for`);
    const opened = await openBrowser(service).post("/v1/auth/verify", { token });
    expect(opened.json).toEqual({ done: "email", has_password: true });
    expect(opened.headers.getSetCookie()).toEqual([]);
    expect((await browser.call("GET", "/v1/me")).json).toMatchObject({ email: fresh, email_verified: true });
    expect((await openBrowser(service).post("/v1/auth/verify", { token })).status).toBe(404);
    expect((await openBrowser(service).post("/v1/auth/log-in", { email: fresh, password: PASSWORD })).status).toBe(200);
  });

  it("does not tell that an address is another's, and does not take it", async () => {
    const { browser, email } = await signUp(service);
    const { email: taken } = await signUp(service);
    expect((await browser.call("PATCH", "/v1/me", { email: taken })).json).toMatchObject({
      email,
      sent: "log",
    });
    await expect
      .poll(() => service.logged())
      .toContain(`"to":"${taken}","subject":"You have a Trunkline account already"`);
  });

  it("does not take an address that another took while the link was on its way", async () => {
    const { browser } = await signUp(service);
    const wanted = newAddress();
    await browser.call("PATCH", "/v1/me", { email: wanted });
    const token = await loggedToken(service, wanted, "verify");
    const { json } = await browser.call("GET", "/v1/session");
    await service.services.identity.people.create(
      { id: json.account.id, email: wanted, name: "Faster", passwordHash: undefined, emailVerified: true },
      { organisation: "Faster", credits: 0n },
    );
    expect((await openBrowser(service).post("/v1/auth/verify", { token })).status).toBe(404);
  });
});

describe("a change of how one logs in", () => {
  it("needs the current password once the log-in is 15 minutes old", async () => {
    const { browser } = await signUp(service);
    await ageSessions("16 minutes");
    const attempts: [string, string, object][] = [
      ["POST", "/v1/me/password", { password: NEW_PASSWORD }],
      ["PATCH", "/v1/me", { email: newAddress() }],
      ["POST", "/v1/me/passkeys/options", {}],
      ["DELETE", "/v1/me/passkeys/x", {}],
      ["POST", "/v1/me/totp", {}],
      ["DELETE", "/v1/me/totp", {}],
      ["POST", "/v1/me/totp/recovery-codes", {}],
    ];
    for (const [method, path, body] of attempts) {
      const refused = await browser.call(method, path, body);
      expect(refused.json.error, `${method} ${path}`).toMatchObject({
        type: "recent_login_needed",
        code: 403,
      });
      const wrong = await browser.call(method, path, { ...body, current: "wrong" });
      expect(wrong.json.error, `${method} ${path}`).toMatchObject({
        type: "invalid_request",
        param: "current",
      });
    }
    const right = await browser.post("/v1/me/passkeys/options", { current: PASSWORD });
    expect(right.status, right.text).toBe(200);
    expect((await browser.call("PATCH", "/v1/me", { name: "Ada" })).status).toBe(200);
  });

  it("gives ten guesses at the current password and no more", async () => {
    const { browser } = await signUp(service);
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess++)
      statuses.push((await browser.post("/v1/me/totp", { current: `guess ${guess}` })).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  });

  it("such as another password ends all other sessions, and is refused where it is weak", async () => {
    const { browser, email } = await signUp(service);
    const other = openBrowser(service);
    await other.post("/v1/auth/log-in", { email, password: PASSWORD });
    const weak = await browser.post("/v1/me/password", { current: PASSWORD, password: "password1234" });
    expect(weak.json.error.param).toBe("password");
    expect((await browser.post("/v1/me/password", { current: PASSWORD, password: NEW_PASSWORD })).status).toBe(204);
    expect((await other.call("GET", "/v1/session")).status).toBe(401);
    expect((await browser.call("GET", "/v1/session")).status).toBe(200);
    expect((await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD })).status).toBe(401);
  });
});

describe("sessions", () => {
  it("are listed with this one marked, and ended one by one", async () => {
    const { browser, email } = await signUp(service);
    const other = openBrowser(service);
    await other.post("/v1/auth/log-in", { email, password: PASSWORD });
    const { json } = await browser.call("GET", "/v1/me/sessions");
    expect(json.data.map((session: { current: boolean }) => session.current)).toEqual([false, true]);
    expect(JSON.stringify(json)).not.toContain(other.cookies.get("trunkline_session") ?? "none");
    const [theirs] = json.data;
    const { browser: otherAccount } = await signUp(service);
    expect((await otherAccount.call("DELETE", `/v1/me/sessions/${theirs.id}`)).status).toBe(404);
    expect((await browser.call("DELETE", `/v1/me/sessions/${theirs.id}`)).status).toBe(204);
    expect((await other.call("GET", "/v1/session")).status).toBe(401);
  });

  it("end by logging out, which clears the cookie", async () => {
    const { browser } = await signUp(service);
    const cookie = browser.cookies.get("trunkline_session") ?? "";
    const answer = await browser.call("DELETE", "/v1/session");
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual(["trunkline_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"]);
    browser.cookies.set("trunkline_session", cookie);
    expect((await browser.call("GET", "/v1/session")).json.error.type).toBe("invalid_session");
  });

  it("end everywhere at once", async () => {
    const { browser, email } = await signUp(service);
    const other = openBrowser(service);
    await other.post("/v1/auth/log-in", { email, password: PASSWORD });
    expect((await other.call("DELETE", "/v1/me/sessions")).status).toBe(204);
    expect(other.cookies.has("trunkline_session")).toBe(false);
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
  });

  it("end after 14 days without use, and in any case after 90, and are swept", async () => {
    const idle = await signUp(service);
    const person = (await idle.browser.call("GET", "/v1/me")).json.id;
    await inStore("UPDATE sessions SET last_seen_at = now() - interval '15 days' WHERE person_id = $1", [person]);
    expect((await idle.browser.call("GET", "/v1/session")).status).toBe(401);
    const old = await signUp(service);
    const other = (await old.browser.call("GET", "/v1/me")).json.id;
    await inStore("UPDATE sessions SET expires_at = now() WHERE person_id = $1", [other]);
    expect((await old.browser.call("GET", "/v1/session")).status).toBe(401);
    await service.services.identity.sessions.sweep();
    expect(await service.services.identity.sessions.list(person, 10, undefined)).toEqual([]);
  });

  it("look at one organisation at a time, and only at one's own", async () => {
    const { browser, email } = await signUp(service);
    const { json: before } = await browser.call("GET", "/v1/session");
    const { browser: host } = await signUp(service);
    const { json: theirs } = await host.call("GET", "/v1/session");
    const refused = await browser.post("/v1/session/account", { account_id: theirs.account.id });
    expect(refused.json.error.type).toBe("not_found");
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    await addMember(database, theirs.account.id, { id: before.person.id, email }, "viewer");
    await database.close();
    expect((await browser.post("/v1/session/account", { account_id: theirs.account.id })).status).toBe(200);
    const { json: after } = await browser.call("GET", "/v1/session");
    expect(after.account).toMatchObject({ id: theirs.account.id, role: "viewer" });
    expect(after.accounts).toHaveLength(2);
    expect(after.powers).not.toContain("keys.change");
    // The next log-in looks where the last one did.
    await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    const { json: next } = await browser.call("GET", "/v1/session");
    expect(next.account.id).toBe(theirs.account.id);
  });

  it("are for people: no key gets at them", async () => {
    for (const path of ["/v1/session", "/v1/me", "/v1/me/sessions", "/v1/me/passkeys"]) {
      const answer = await service.call("GET", path);
      expect(answer.json.error.type, path).toBe("insufficient_scope");
    }
  });
});
