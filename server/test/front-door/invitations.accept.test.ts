import { newId } from "@trunkline/core/id.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeRows } from "../support/change-rows.ts";
import { openMember, type TestMember } from "../support/member.ts";
import { call, type StartedService, startService } from "../support/started-service.ts";
import { openTeam } from "../support/team.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const PATH = "/v1/auth/accept-invitation";
const PASSWORD = "quiet otters cross the frozen canal";
const someone = () => `someone-${newId().slice(-12)}@example.test`;

async function invite(by: TestMember, email = someone(), role = "developer") {
  const { status, text, json } = await by.call("POST", "/v1/invitations", { email, role });
  expect(status, text).toBe(201);
  return { id: json.id, email, token: json.link.split("#")[1] };
}

const accept = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  call(service.url, "POST", PATH, body, { key: null, headers: { origin: service.url, ...headers } });
const cookieOf = (headers: Headers) => headers.get("set-cookie")?.split(";")[0] ?? "";
const asMember = (cookie: string, path: string) =>
  call(service.url, "GET", path, undefined, { key: null, headers: { cookie } });

describe("a new person who accepts", () => {
  it("is made, a member and logged in, all at once, with an address that is not verified without mail", async () => {
    const { owner } = await openTeam(service);
    const { token, email, id } = await invite(owner);
    const answer = await accept({ token, name: "Ada", password: PASSWORD });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({ log_in: false, organisation: "An organisation" });
    expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    const { json } = await asMember(cookieOf(answer.headers), "/v1/members");
    expect(json.data[0]).toMatchObject({ name: "Ada", email, role: "developer" });
    const [person] = await changeRows(service, "SELECT * FROM people WHERE email = $1", [email]);
    expect(person?.email_verified_at).toBeNull();
    expect((await asMember(cookieOf(answer.headers), "/v1/me")).json).toMatchObject({ email_verified: false });
    expect(person?.password_hash).toMatch(/^\$argon2id\$/);
    const log = await owner.call("GET", "/v1/audit-log?action=invitation.accept");
    expect(log.json.data).toMatchObject([
      { actor: { kind: "person", name: email }, subject: { id }, details: { role: "developer" } },
    ]);
  });

  it("does so once", async () => {
    const { owner } = await openTeam(service);
    const { token } = await invite(owner);
    const answers = await Promise.all(["Ada", "Eve"].map((name) => accept({ token, name, password: PASSWORD })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expectRefusal(await accept({ token, name: "Ida", password: PASSWORD }), 404, "not_found");
    expect((await owner.call("GET", "/v1/members")).json.data).toHaveLength(6);
  });

  it.each([
    ["name", { password: PASSWORD }],
    ["name", { name: " ", password: PASSWORD }],
    ["password", { name: "Ada" }],
    ["password", { name: "Ada", password: "short" }],
  ])("needs a good %s, and can try again", async (param, body) => {
    const { owner } = await openTeam(service);
    const { token } = await invite(owner);
    expectRefusal(await accept({ token, ...body }), 400, "invalid_request", { param });
    expect((await accept({ token, name: "Ada", password: PASSWORD })).status).toBe(200);
  });

  it("is not registered where the service is closed", async () => {
    const closed = await startService((config) => ({ ...config, signUp: "closed" }));
    try {
      const owner = await openMember(closed);
      const { token } = await invite(owner);
      const body = { token, name: "Ada", password: PASSWORD };
      expectRefusal(await call(closed.url, "POST", PATH, body, { key: null }), 409, "conflict");
    } finally {
      await closed.stop();
    }
  });
});

describe("a person who has an account", () => {
  it("is asked to log in first, and nothing happens", async () => {
    const { owner } = await openTeam(service);
    const known = await openMember(service);
    const { token } = await invite(owner, known.email);
    const answer = await accept({ token, name: "Not Ada", password: PASSWORD });
    expect(answer.json).toEqual({ log_in: true, organisation: null });
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect((await owner.call("GET", "/v1/members")).json.data).toHaveLength(5);
    expect((await owner.call("GET", "/v1/invitations")).json.data).toHaveLength(1);
  });

  it("joins by their session, which turns to the organisation", async () => {
    const { owner } = await openTeam(service);
    const known = await openMember(service);
    const { token } = await invite(owner, known.email.toUpperCase(), "billing");
    expect((await accept({ token }, { cookie: known.cookie })).json.log_in).toBe(false);
    expect((await known.call("GET", "/v1/organisation")).json.id).toBe(owner.accountId);
    expect((await known.call("POST", "/v1/keys", { name: "k", scopes: ["read"] })).status).toBe(403);
  });

  it("is not let in by another person's session", async () => {
    const { owner } = await openTeam(service);
    const [known, other] = [await openMember(service), await openMember(service)];
    for (const { token, email } of [await invite(owner, known.email), await invite(owner)]) {
      const refused = await accept({ token, name: "Ada", password: PASSWORD }, { cookie: other.cookie });
      expectRefusal(refused, 409, "conflict", { message: new RegExp(`${other.email}.*${email}.*Log out`) });
    }
  });

  it("is not let in by another site's page, nor by a cookie that no page of ours sends", async () => {
    const { owner } = await openTeam(service);
    const known = await openMember(service);
    const { token } = await invite(owner, known.email);
    const evil = await accept({ token }, { cookie: known.cookie, origin: "https://evil.example" });
    expectRefusal(evil, 403, "cross_site");
    const bare = await call(service.url, "POST", PATH, { token }, { key: null, headers: { cookie: known.cookie } });
    expect(bare.json.log_in).toBe(true);
  });

  it("stays what they are where they came in by another way meanwhile", async () => {
    const { owner, viewer } = await openTeam(service);
    const email = someone();
    const { token } = await invite(owner, email, "admin");
    await changeRows(service, "UPDATE people SET email = $1 WHERE id = $2", [email, viewer.personId]);
    expect((await accept({ token }, { cookie: viewer.cookie })).status).toBe(200);
    expect((await owner.call("GET", "/v1/members")).json.data[0]).toMatchObject({ role: "viewer" });
  });
});

describe("an invitation is void", () => {
  it.each([
    ["is no member any more", "DELETE", undefined],
    ["may not invite any more", "PATCH", { role: "developer" }],
  ])("when its sender %s", async (_, method, body) => {
    const { owner, admin } = await openTeam(service);
    const { token } = await invite(admin);
    expect((await owner.call(method, `/v1/members/${admin.personId}`, body)).status).toBeLessThan(300);
    expectRefusal(await accept({ token, name: "Ada", password: PASSWORD }), 404, "not_found");
  });

  it("to be an owner when its sender is none any more", async () => {
    const { owner, admin } = await openTeam(service);
    await owner.call("PATCH", `/v1/members/${admin.personId}`, { role: "owner" });
    const [asOwner, asViewer] = [await invite(admin, someone(), "owner"), await invite(admin)];
    await owner.call("PATCH", `/v1/members/${admin.personId}`, { role: "admin" });
    const body = { name: "Ada", password: PASSWORD };
    expectRefusal(await accept({ ...body, token: asOwner.token }), 404, "not_found");
    expect((await accept({ ...body, token: asViewer.token })).status).toBe(200);
  });

  it("when the organisation is closed", async () => {
    const owner = await openMember(service);
    const { token } = await invite(owner);
    await owner.call("DELETE", "/v1/organisation");
    expectRefusal(await accept({ token, name: "Ada", password: PASSWORD }), 404, "not_found");
  });

  it("for as long as the organisation is suspended", async () => {
    const owner = await openMember(service);
    const { token } = await invite(owner);
    const suspend = (value: string) =>
      changeRows(service, `UPDATE accounts SET suspended_at = ${value} WHERE id = $1`, [owner.accountId]);
    await suspend("now()");
    expectRefusal(await accept({ token, name: "Ada", password: PASSWORD }), 403, "account_suspended");
    await suspend("NULL");
    expect((await accept({ token, name: "Ada", password: PASSWORD })).status).toBe(200);
  });

  it("when it was made up", async () => {
    for (const token of ["x", "x".repeat(43)])
      expectRefusal(await accept({ token, name: "Ada", password: PASSWORD }), 404, "not_found");
    expectRefusal(await accept({ token: "" }), 400, "invalid_request", { param: "token" });
  });
});
