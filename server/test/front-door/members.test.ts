import { newId } from "@trunkline/core/id.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { openTeam } from "../support/team.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const pathOf = ({ personId }: TestMember) => `/v1/members/${personId}`;
const makeKey = async (member: TestMember): Promise<string> =>
  (await member.call("POST", "/v1/keys", { name: "k", scopes: ["read"] })).json.key;
const tryKey = async (key: string) => (await service.call("GET", "/v1/balance", undefined, { key })).status;

describe("the list of members", () => {
  it("shows who they are, to the members of the organisation alone", async () => {
    const { owner, viewer } = await openTeam(service);
    const { json } = await viewer.call("GET", "/v1/members");
    expect(json.next_cursor).toBeNull();
    expect(json.data).toHaveLength(5);
    expect(json.data[0]).toEqual({
      id: viewer.personId,
      name: "The viewer",
      email: viewer.email,
      role: "viewer",
      joined_at: expect.any(String),
      last_seen_at: expect.any(String),
      two_factor: false,
      keys: 0,
    });
    expect(json.data[4]).toMatchObject({ id: owner.personId, role: "owner" });
    const otherAccount = await openMember(service);
    expect((await otherAccount.call("GET", "/v1/members")).json.data).toHaveLength(1);
  });

  it("comes in pages", async () => {
    const { owner } = await openTeam(service);
    const first = await owner.call("GET", "/v1/members?limit=4");
    expect(first.json.data).toHaveLength(4);
    const second = await owner.call("GET", `/v1/members?limit=4&cursor=${first.json.next_cursor}`);
    expect(second.json).toMatchObject({ data: [{ id: owner.personId }], next_cursor: null });
    const wrong = await owner.call("GET", "/v1/members?cursor=x");
    expectRefusal(wrong, 400, "invalid_request", { param: "cursor" });
  });

  it("says how many keys each has made", async () => {
    const { owner, developer } = await openTeam(service);
    await makeKey(developer);
    const { json } = await owner.call("GET", "/v1/members");
    expect(json.data.map((member: { keys: number }) => member.keys)).toEqual([0, 0, 1, 0, 0]);
  });
});

describe("a member's role", () => {
  it("changes at once, also for a session that is open", async () => {
    const { admin, viewer } = await openTeam(service);
    expect((await viewer.call("POST", "/v1/keys", { name: "k", scopes: ["read"] })).status).toBe(403);
    const changed = await admin.call("PATCH", pathOf(viewer), { role: "developer" });
    expect(changed.json).toMatchObject({ id: viewer.personId, role: "developer", role_before: "viewer" });
    expect((await viewer.call("POST", "/v1/keys", { name: "k", scopes: ["read"] })).status).toBe(201);
  });

  it.each(["owner", "admin", "billing"] as const)("may be made %s by an owner", async (role) => {
    const { owner, viewer } = await openTeam(service);
    expect((await owner.call("PATCH", pathOf(viewer), { role })).json.role).toBe(role);
  });

  it("of an owner is no matter of an admin's, nor can an admin make one", async () => {
    const { owner, admin, viewer } = await openTeam(service);
    for (const [member, role] of [
      [owner, "viewer"],
      [owner, "owner"],
      [viewer, "owner"],
      [admin, "owner"],
    ] as const) {
      expectRefusal(await admin.call("PATCH", pathOf(member), { role }), 403, "insufficient_role");
    }
    expect((await owner.call("GET", "/v1/organisation")).status).toBe(200);
  });

  it("stays owner where there is no other", async () => {
    const { owner, admin } = await openTeam(service);
    expectRefusal(await owner.call("PATCH", pathOf(owner), { role: "admin" }), 409, "conflict");
    await owner.call("PATCH", pathOf(admin), { role: "owner" });
    expect((await owner.call("PATCH", pathOf(owner), { role: "admin" })).status).toBe(200);
  });

  it("is one of five", async () => {
    const { owner, viewer } = await openTeam(service);
    const refused = await owner.call("PATCH", pathOf(viewer), { role: "king" });
    expectRefusal(refused, 400, "invalid_request", { param: "role", message: /developer/ });
  });

  it("of a person in another organisation is as unknown as one that does not exist", async () => {
    const { owner } = await openTeam(service);
    const otherAccount = await openMember(service, "viewer");
    for (const id of [otherAccount.personId, newId(), "x"]) {
      for (const [method, body] of [
        ["PATCH", { role: "viewer" }],
        ["DELETE", undefined],
      ] as const) {
        expectRefusal(await owner.call(method, `/v1/members/${id}`, body), 404, "not_found");
      }
    }
    expect((await otherAccount.call("GET", "/v1/members")).json.data).toHaveLength(1);
  });
});

describe("removing a member", () => {
  it("ends their session at once where they belong to nothing else", async () => {
    const { admin, developer } = await openTeam(service);
    expect((await admin.call("DELETE", pathOf(developer))).status).toBe(204);
    expectRefusal(await developer.call("GET", "/v1/organisation"), 401, "invalid_session");
  });

  it("turns their session to another organisation of theirs", async () => {
    const { owner, developer } = await openTeam(service);
    const own = await developer.call("POST", "/v1/organisations", { name: "My own" });
    await owner.call("PATCH", pathOf(developer), { role: "viewer" });
    expect((await owner.call("DELETE", pathOf(developer))).status).toBe(204);
    expect((await developer.call("GET", "/v1/organisation")).json.id).toBe(own.json.id);
  });

  it("leaves the keys that they made, or revokes these alone", async () => {
    const { owner, admin, developer } = await openTeam(service);
    const [ofAdmin, ofDeveloper, ofOwner] = [await makeKey(admin), await makeKey(developer), await makeKey(owner)];
    await owner.call("DELETE", `${pathOf(admin)}?revoke_keys=false`);
    await owner.call("DELETE", `${pathOf(developer)}?revoke_keys=true`);
    expect([await tryKey(ofAdmin), await tryKey(ofDeveloper), await tryKey(ofOwner)]).toEqual([200, 401, 200]);
    const { json } = await owner.call("GET", "/v1/audit-log?action=member.remove");
    expect(json.data).toMatchObject([
      {
        subject: { id: developer.personId, name: developer.email },
        details: { role: "developer", keys_revoked: 1, left: false },
      },
      { subject: { id: admin.personId }, details: { role: "admin", keys_revoked: 0 } },
    ]);
  });

  it("who is an owner is for owners, and the last one stays", async () => {
    const { owner, admin, viewer } = await openTeam(service);
    expectRefusal(await admin.call("DELETE", pathOf(owner)), 403, "insufficient_role");
    expectRefusal(await owner.call("DELETE", pathOf(owner)), 409, "conflict");
    await owner.call("PATCH", pathOf(viewer), { role: "owner" });
    expect((await viewer.call("DELETE", pathOf(owner))).status).toBe(204);
  });

  it("never leaves none to lead, however many owners go at once", async () => {
    const { owner, admin, viewer } = await openTeam(service);
    for (const member of [admin, viewer]) await owner.call("PATCH", pathOf(member), { role: "owner" });
    const answers = await Promise.all([owner, admin, viewer].map((member) => member.call("DELETE", pathOf(member))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 204, 409]);
  });

  it("is possible again after they came back", async () => {
    const { owner, viewer } = await openTeam(service);
    await owner.call("DELETE", pathOf(viewer));
    const { json } = await owner.call("POST", "/v1/invitations", { email: viewer.email, role: "viewer" });
    expect(json.link).toContain("/invitation#");
  });
});

describe("leaving", () => {
  it.each(["admin", "developer", "billing", "viewer"] as const)("is possible for a %s", async (role) => {
    const team = await openTeam(service);
    expect((await team[role].call("DELETE", pathOf(team[role]))).status).toBe(204);
    const { json } = await team.owner.call("GET", "/v1/audit-log?action=member.");
    expect(json.data).toMatchObject([{ actor: { name: team[role].email }, details: { left: true } }]);
  });

  it("is possible for oneself alone, without the power over members", async () => {
    const { developer, viewer } = await openTeam(service);
    expectRefusal(await developer.call("DELETE", pathOf(viewer)), 403, "insufficient_role");
  });

  it("takes one's keys along only where one may revoke keys", async () => {
    const { owner, developer, admin } = await openTeam(service);
    await makeKey(developer);
    await owner.call("PATCH", pathOf(developer), { role: "viewer" });
    const refused = await developer.call("DELETE", `${pathOf(developer)}?revoke_keys=true`);
    expectRefusal(refused, 403, "insufficient_role", { param: "revoke_keys" });
    const key = await makeKey(admin);
    expect((await admin.call("DELETE", `${pathOf(admin)}?revoke_keys=true`)).status).toBe(204);
    expect(await tryKey(key)).toBe(401);
  });
});
