import { newId } from "@trunkline/core/id.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loggedToken, newAddress, openBrowser, PASSWORD, startBrowserService } from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

const act = (method: string, path: string) => service.call(method, `/v1/admin/sign-ups${path}`);
const waiting = async (email: string) =>
  (await act("GET", "?limit=100")).json.data.find((one: { email: string }) => one.email === email);

/** A sign-up that waits, and the browser that it was begun in. */
async function beginSignUp(more: Record<string, unknown> = { password: PASSWORD }) {
  const email = newAddress();
  const browser = openBrowser(service);
  await browser.post("/v1/auth/sign-up", { email, name: "Ada", ...more });
  await expect.poll(() => waiting(email)).toBeDefined();
  return { email, browser, id: (await waiting(email)).id as string };
}

const logIn = (email: string, password = PASSWORD) => openBrowser(service).post("/v1/auth/log-in", { email, password });
const personOf = (email: string) => service.services.identity.people.findByEmail(email);

describe("a sign-up that waits", () => {
  it("is listed until it is confirmed, without a secret", async () => {
    const { email, browser, id } = await beginSignUp({ password: PASSWORD, organisation: "Engines Ltd" });
    expect(await waiting(email)).toEqual({
      id,
      email,
      name: "Ada",
      organisation: "Engines Ltd",
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    await browser.post("/v1/auth/verify", { token: await loggedToken(service, email, "verify") });
    expect(await waiting(email)).toBeUndefined();
    expectRefusal(await act("POST", `/${id}/approve`), 404, "not_found");
  });

  it("lets its browser in once it is approved, and asks for no password again", async () => {
    const { email, browser, id } = await beginSignUp();
    expect((await browser.post("/v1/auth/resume-sign-up")).json).toEqual({ state: "waiting", email });
    expect((await act("POST", `/${id}/approve`)).json).toMatchObject({ id, email });
    const resumed = await browser.post("/v1/auth/resume-sign-up");
    expect(resumed.json).toEqual({ state: "approved", email, has_password: true });
    expect((await browser.call("GET", "/v1/session")).json.person).toMatchObject({ email, email_verified: false });
    // It is told once, and to no other browser.
    expectRefusal(await browser.post("/v1/auth/resume-sign-up"), 404, "not_found");
    expectRefusal(await openBrowser(service).post("/v1/auth/resume-sign-up"), 404, "not_found");
    expect((await logIn(email)).status).toBe(200);
  });

  it("is approved once, however often at once", async () => {
    const { email, id } = await beginSignUp();
    const answers = await Promise.all([1, 2, 3].map(() => act("POST", `/${id}/approve`)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404]);
    const person = await personOf(email);
    expect(await service.services.identity.people.membershipsOf(person?.id ?? "")).toHaveLength(1);
  });

  it("is confirmed by a link that the operator passes on, which proves no mailbox", async () => {
    const { email, browser, id } = await beginSignUp();
    const made = await act("POST", `/${id}/link`);
    expect(made.status).toBe(201);
    const [, token = ""] = /\/verify#([\w-]{43})$/.exec(made.json.link) ?? [];
    expect((await act("GET", "?limit=100")).json.data.filter((one: { id: string }) => one.id === id)).toHaveLength(1);
    expect((await browser.post("/v1/auth/verify", { token })).json).toEqual({ done: "sign_up", has_password: true });
    expect((await personOf(email))?.emailVerified).toBe(false);
    expect(await waiting(email)).toBeUndefined();
  });

  it("is over once it is declined, with its link", async () => {
    const { email, browser, id } = await beginSignUp();
    const token = await loggedToken(service, email, "verify");
    expect((await act("DELETE", `/${id}`)).json).toMatchObject({ email });
    expectRefusal(await browser.post("/v1/auth/verify", { token }), 404, "not_found");
    expectRefusal(await browser.post("/v1/auth/resume-sign-up"), 404, "not_found");
    for (const path of [`/${id}`, `/${newId()}`, "/nonsense"])
      expectRefusal(await act("DELETE", path), 404, "not_found");
    for (const path of [`/${id}/link`, `/${newId()}/approve`]) expectRefusal(await act("POST", path), 404, "not_found");
  });

  it("is in the operator's log, once something is done about it", async () => {
    const { email, id } = await beginSignUp();
    await act("POST", `/${id}/link`);
    await act("POST", `/${id}/approve`);
    const { json } = await service.call("GET", "/v1/admin/audit-log?action=sign_up.");
    const events = json.data.filter(({ subject }: { subject: { name: string } }) => subject.name === email);
    expect(events.map(({ action }: { action: string }) => action)).toEqual(["sign_up.approve", "sign_up.link"]);
    expect(JSON.stringify(json)).not.toContain("/verify#");
  });
});

it("says that there is no mail server, where a test mail is asked for", async () => {
  expect((await service.call("GET", "/v1/admin/mail")).json).toEqual({ configured: false, server: null, from: null });
  const to = newAddress();
  expectRefusal(await service.call("POST", "/v1/admin/mail/test", { to }), 409, "conflict", { message: /SMTP_URL/ });
});

describe("a log-in before the address is confirmed", () => {
  it("says so to whoever knows the password, and to nobody else", async () => {
    const { email } = await beginSignUp();
    const right = await logIn(email);
    expectRefusal(right, 401, "invalid_login", { message: /waiting for approval/ });
    const wrong = await logIn(email, "orchid tractor velvet sun");
    const unknown = await logIn(newAddress());
    for (const answer of [wrong, unknown])
      expectRefusal(answer, 401, "invalid_login", { message: /address or the password is wrong/ });
    const { email: without } = await beginSignUp({});
    expectRefusal(await logIn(without), 401, "invalid_login", { message: /address or the password is wrong/ });
  });
});
