import { newId } from "@trunkline/core/id.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeRows } from "../support/change-rows.ts";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { openTeam } from "../support/team.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const someone = () => `someone-${newId().slice(-12)}@example.test`;
const tokenOf = (link: string) => link.split("#")[1];
const look = (token: unknown) => service.call("POST", "/v1/auth/invitation", { token }, { key: null });

async function invite(by: TestMember, email = someone(), role = "viewer") {
  const answer = await by.call("POST", "/v1/invitations", { email, role });
  expect(answer.status, answer.text).toBe(201);
  return { ...answer.json, token: tokenOf(answer.json.link) };
}

describe("an invitation", () => {
  it("is listed with who sent it and until when it lasts, and never with its link", async () => {
    const { owner, viewer } = await openTeam(service);
    const sent = await invite(owner, "New.Person@example.test", "developer");
    expect(sent.link).toMatch(new RegExp(`^${service.url}/invitation#[A-Za-z0-9_-]{43}$`));
    const { json } = await viewer.call("GET", "/v1/invitations");
    expect(json).toEqual({
      data: [
        {
          id: sent.id,
          email: "New.Person@example.test",
          role: "developer",
          invited_by: { id: owner.personId, name: "The owner" },
          state: "pending",
          created_at: expect.any(String),
          sent_at: expect.any(String),
          expires_at: expect.any(String),
        },
      ],
      next_cursor: null,
    });
    expect(Date.parse(sent.expires_at) - Date.parse(sent.created_at)).toBeCloseTo(7 * 86_400_000, -4);
    expect(JSON.stringify(json)).not.toContain(sent.token);
  });

  it("shows what it is for to a person with its link", async () => {
    const { owner } = await openTeam(service);
    const { token, email } = await invite(owner);
    expect((await look(token)).json).toEqual({
      organisation: "An organisation",
      role: "viewer",
      email,
      invited_by: "The owner",
      has_account: false,
    });
  });

  it("to an address that has an account says so to that account alone, as the inviter has the link", async () => {
    const [owner, other] = [await openMember(service), await openMember(service)];
    const { token } = await invite(owner, other.email.toUpperCase());
    expect((await look(token)).json).toMatchObject({ has_account: false });
    const asOwner = await owner.call("POST", "/v1/auth/invitation", { token });
    expect(asOwner.json).toMatchObject({ has_account: false });
    const asOther = await other.call("POST", "/v1/auth/invitation", { token });
    expect(asOther.json, asOther.text).toMatchObject({ has_account: true });
  });

  it("goes by mail alone where there is mail: no answer shows the link", async () => {
    const mailing = await startService((config) => ({
      ...config,
      publicUrl: "https://ai.example.test",
      mail: { url: new Secret("smtp://127.0.0.1:1"), from: "us@example.test" },
    }));
    try {
      const owner = await openMember(mailing);
      const answer = await owner.call("POST", "/v1/invitations", { email: someone(), role: "viewer" });
      expect(answer.status).toBe(201);
      expect(answer.text).not.toContain("#");
      expect(answer.json.link).toBeUndefined();
    } finally {
      await mailing.stop();
    }
  });

  it("takes the place of an earlier one to the same address", async () => {
    const { owner } = await openTeam(service);
    const email = someone();
    const first = await invite(owner, email, "viewer");
    const second = await invite(owner, email.toUpperCase(), "admin");
    expectRefusal(await look(first.token), 404, "not_found");
    expect((await look(second.token)).json.role).toBe("admin");
    expect((await owner.call("GET", "/v1/invitations")).json.data).toMatchObject([{ id: second.id }]);
  });

  it("is not for who is a member already", async () => {
    const { owner, viewer } = await openTeam(service);
    const body = { email: viewer.email.toUpperCase(), role: "admin" };
    expectRefusal(await owner.call("POST", "/v1/invitations", body), 409, "conflict", { param: "email" });
  });

  it("to be an owner is for owners to send, to send again and to take back", async () => {
    const { owner, admin } = await openTeam(service);
    const refused = await admin.call("POST", "/v1/invitations", { email: someone(), role: "owner" });
    expectRefusal(refused, 403, "insufficient_role");
    const { id } = await invite(owner, someone(), "owner");
    for (const [method, path] of [
      ["POST", `/v1/invitations/${id}/resend`],
      ["DELETE", `/v1/invitations/${id}`],
    ] as const) {
      expectRefusal(await admin.call(method, path), 403, "insufficient_role");
      expect((await owner.call(method, path)).status).toBeLessThan(300);
    }
  });

  it.each([
    ["email", { email: "nobody", role: "viewer" }],
    ["email", { email: `${"x".repeat(250)}@example.test`, role: "viewer" }],
    ["email", { role: "viewer" }],
    ["role", { email: "a@example.test", role: "king" }],
    ["role", { email: "a@example.test" }],
  ])("refuses a wrong %s: %j", async (param, body) => {
    const owner = await openMember(service);
    expectRefusal(await owner.call("POST", "/v1/invitations", body), 400, "invalid_request", { param });
  });

  it("is one of fifty a day, those that are sent again counted in", async () => {
    const owner = await openMember(service);
    const { id } = await invite(owner);
    for (let count = 2; count < 50; count++) await invite(owner);
    expect((await owner.call("POST", `/v1/invitations/${id}/resend`)).status).toBe(200);
    for (const [path, body] of [
      ["/v1/invitations", { email: someone(), role: "viewer" }],
      [`/v1/invitations/${id}/resend`, undefined],
    ] as const) {
      const refused = await owner.call("POST", path, body);
      expectRefusal(refused, 429, "rate_limited");
      expect(refused.headers.get("retry-after")).toBe("3600");
    }
    const other = await openMember(service);
    await invite(other);
  });

  it("is one of five an hour to an address, whatever organisations they come from", async () => {
    const email = someone();
    for (let count = 0; count < 4; count++) await invite(await openMember(service), email);
    const owner = await openMember(service);
    const { id } = await invite(owner, email);
    const otherAccount = await openMember(service);
    const body = { email: email.toUpperCase(), role: "viewer" };
    expectRefusal(await otherAccount.call("POST", "/v1/invitations", body), 429, "rate_limited");
    expectRefusal(await owner.call("POST", `/v1/invitations/${id}/resend`), 429, "rate_limited");
  });
});

describe("an invitation that is sent again", () => {
  it("has a new link, and the old one is worth nothing", async () => {
    const { owner } = await openTeam(service);
    const { id, token } = await invite(owner);
    const again = await owner.call("POST", `/v1/invitations/${id}/resend`);
    expect(again.json).toMatchObject({ id, state: "pending" });
    expectRefusal(await look(token), 404, "not_found");
    expect((await look(tokenOf(again.json.link))).status).toBe(200);
  });

  it("lasts again where its time was over", async () => {
    const { owner } = await openTeam(service);
    const { id, token } = await invite(owner);
    await changeRows(service, "UPDATE invitations SET expires_at = now() - interval '1 s' WHERE id = $1", [id]);
    expectRefusal(await look(token), 404, "not_found");
    expect((await owner.call("GET", "/v1/invitations")).json.data).toMatchObject([{ id, state: "expired" }]);
    const again = await owner.call("POST", `/v1/invitations/${id}/resend`);
    expect((await look(tokenOf(again.json.link))).status).toBe(200);
  });
});

describe("an invitation that is taken back", () => {
  it("is worth nothing, and gone from the list", async () => {
    const { owner } = await openTeam(service);
    const { id, token, email } = await invite(owner);
    expect((await owner.call("DELETE", `/v1/invitations/${id}`)).status).toBe(204);
    expectRefusal(await look(token), 404, "not_found");
    expect((await owner.call("GET", "/v1/invitations")).json.data).toEqual([]);
    const { json } = await owner.call("GET", "/v1/audit-log?action=invitation.");
    expect(json.data).toMatchObject([
      { action: "invitation.revoke", subject: { id, name: email }, details: { role: "viewer" } },
      { action: "invitation.create", subject: { id, name: email } },
    ]);
  });

  it("of another organisation is as unknown as none", async () => {
    const [owner, otherAccount] = [await openMember(service), await openMember(service)];
    const { id } = await invite(owner);
    for (const unknown of [id, newId(), "x"]) {
      expectRefusal(await otherAccount.call("DELETE", `/v1/invitations/${unknown}`), 404, "not_found");
      expectRefusal(await otherAccount.call("POST", `/v1/invitations/${unknown}/resend`), 404, "not_found");
    }
  });
});
