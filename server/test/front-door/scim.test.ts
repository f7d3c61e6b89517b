import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowserService } from "../support/browser.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../support/identity-provider.ts";
import { openMember } from "../support/member.ts";
import { logInBySso, openSsoOrganisation, type SsoOrganisation } from "../support/sso-organisation.ts";
import type { Answer, StartedService } from "../support/started-service.ts";

let provider: TestIdentityProvider;
let service: StartedService;
let organisation: SsoOrganisation;
let token: string;

beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startBrowserService((config) => ({ ...config, privateIssuers: [provider.issuer] }));
  organisation = await openSsoOrganisation(service, provider);
  token = await openToken(organisation);
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

async function openToken({ owner }: SsoOrganisation): Promise<string> {
  const made = await owner.call("POST", "/v1/keys", { name: "Directory", scopes: ["directory"] });
  expect(made.status, made.text).toBe(201);
  return made.json.key;
}

function scim(method: string, path: string, body?: unknown, key = token): Promise<Answer> {
  return service.call(method, `/scim/v2${path}`, body, { key, headers: { "content-type": "application/scim+json" } });
}

let users = 0;

async function addUser(more: object = {}): Promise<Answer["json"]> {
  users += 1;
  const email = `user-${users}@${organisation.domain}`;
  const body = { userName: email, externalId: `ext-${users}`, emails: [{ value: email, primary: true }], ...more };
  const made = await scim("POST", "/Users", body);
  expect(made.status, made.text).toBe(201);
  expect(made.headers.get("content-type")).toContain("application/scim+json");
  return made.json;
}

async function memberOf(email: string) {
  const { json } = await organisation.owner.call("GET", "/v1/members");
  return json.data.find((member: { email: string }) => member.email === email);
}

describe("users", () => {
  it("become members, are found by filters, and page by page", async () => {
    const ada = await addUser({ name: { givenName: "Ada", familyName: "Lovelace" } });
    expect(ada).toMatchObject({ active: true, groups: [], meta: { resourceType: "User" } });
    expect(await memberOf(ada.userName)).toMatchObject({ name: "Ada Lovelace", role: "viewer" });
    await addUser();
    const find = async (filter: string) => (await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`)).json;
    for (const filter of [
      `userName eq "${ada.userName.toUpperCase()}"`,
      `externalId eq "${ada.externalId}"`,
      `emails[type eq "work"].value eq "${ada.userName}"`,
      `name.familyName co "love" and active eq true`,
      `id eq "${ada.id}"`,
    ]) {
      const found = await find(filter);
      expect(found, filter).toMatchObject({ totalResults: 1, Resources: [{ id: ada.id }] });
    }
    expect((await find('userName eq "nobody"')).totalResults).toBe(0);
    expect((await find('userName sw "user_"')).totalResults).toBe(0);
    const second = (await scim("GET", "/Users?startIndex=2&count=1")).json;
    expect(second).toMatchObject({ startIndex: 2, itemsPerPage: 1 });
    expect(second.totalResults).toBeGreaterThanOrEqual(2);
    expect((await scim("GET", "/Users?count=0")).json.Resources).toEqual([]);
    for (const filter of ["userName eq", 'password eq "x"', "active gt true"]) {
      const refused = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect(refused.status).toBe(400);
      expect(refused.json).toMatchObject({ status: "400", scimType: "invalidFilter" });
    }
  });

  it("that are switched off lose their sessions and the keys they made, and can't log in by single sign-on", async () => {
    const user = await addUser();
    provider.accounts.set(user.id, { email: user.userName, groups: ["engineers"] });
    provider.loggedIn = user.id;
    const { browser } = await logInBySso(service, { email: user.userName });
    const made = await browser.post("/v1/keys", { name: "Theirs", scopes: ["inference"] });
    expect(made.status, made.text).toBe(201);
    const check = () => service.call("POST", "/v1/safety/check", { input: "x" }, { key: made.json.key });
    expect((await check()).status).toBe(200);
    const off = await scim("PATCH", `/Users/${user.id}`, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "Replace", path: "active", value: "False" }],
    });
    expect(off.status, off.text).toBe(200);
    expect(off.json.active).toBe(false);
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
    expect((await check()).status).toBe(401);
    expect(await memberOf(user.userName)).toBeUndefined();
    const { answer } = await logInBySso(service, { email: user.userName });
    expect(answer.status).toBe(403);
    // Switched on again they are a member, with new keys to be made.
    const on = await scim("PATCH", `/Users/${user.id}`, { Operations: [{ op: "replace", value: { active: true } }] });
    expect(on.json.active).toBe(true);
    expect(await memberOf(user.userName)).toBeDefined();
    expect((await check()).status).toBe(401);
    expect((await scim("DELETE", `/Users/${user.id}`)).status).toBe(204);
    expect(await memberOf(user.userName)).toBeUndefined();
    expect((await scim("GET", `/Users/${user.id}`)).status).toBe(404);
  });

  it("are replaced whole, and refused where the name is taken, the domain is another's or the body is wrong", async () => {
    const user = await addUser();
    const put = await scim("PUT", `/Users/${user.id}`, { userName: user.userName, displayName: "Countess" });
    expect(put.json).toMatchObject({ displayName: "Countess" });
    expect(put.json.externalId).toBeUndefined();
    const taken = await scim("POST", "/Users", { userName: user.userName.toUpperCase() });
    expect(taken.status).toBe(409);
    expect(taken.json).toMatchObject({ status: "409", scimType: "uniqueness" });
    for (const body of [
      { userName: "ceo@another.example" },
      { userName: "x" },
      [],
      { userName: user.userName, active: 3 },
    ])
      expect((await scim("POST", "/Users", body)).json.scimType, JSON.stringify(body)).toBe("invalidValue");
    const moved = { Operations: [{ op: "replace", value: { emails: [{ value: "ceo@another.example" }] } }] };
    expect((await scim("PATCH", `/Users/${user.id}`, moved)).status).toBe(400);
    expect((await scim("GET", "/Users/not-an-id")).json).toMatchObject({ status: "404" });
  });

  it("never take the last owner away", async () => {
    const lonely = await openSsoOrganisation(service, provider);
    const key = await openToken(lonely);
    const email = `boss@${lonely.domain}`;
    await service.database.query("UPDATE people SET email = $2 WHERE id = $1", [lonely.owner.personId, email]);
    const made = await scim("POST", "/Users", { userName: email }, key);
    expect(made.status, made.text).toBe(201);
    const members = await lonely.owner.call("GET", "/v1/members");
    expect(members.json.data[0].role).toBe("owner");
    const off = { Operations: [{ op: "replace", value: { active: false } }] };
    expect((await scim("PATCH", `/Users/${made.json.id}`, off, key)).status).toBe(409);
    expect((await scim("DELETE", `/Users/${made.json.id}`, undefined, key)).status).toBe(409);
    expect((await lonely.owner.call("GET", "/v1/session")).status).toBe(200);
  });
});

describe("groups", () => {
  it("give their members roles, and take them away again", async () => {
    const [one, two] = [await addUser(), await addUser()];
    const made = await scim("POST", "/Groups", { displayName: "engineers", members: [{ value: one.id }] });
    expect(made.status, made.text).toBe(201);
    expect((await memberOf(one.userName)).role).toBe("developer");
    const path = `/Groups/${made.json.id}`;
    await scim("PATCH", path, { Operations: [{ op: "Add", path: "members", value: [{ value: two.id }] }] });
    expect((await memberOf(two.userName)).role).toBe("developer");
    await scim("PATCH", path, { Operations: [{ op: "remove", path: `members[value eq "${one.id}"]` }] });
    expect((await memberOf(one.userName)).role).toBe("viewer");
    expect((await scim("GET", `/Users/${two.id}`)).json.groups).toMatchObject([{ display: "engineers" }]);
    await scim("PATCH", path, { Operations: [{ op: "replace", value: { displayName: "platform" } }] });
    expect((await memberOf(two.userName)).role).toBe("admin");
    const listed = await scim("GET", `/Groups?filter=${encodeURIComponent('displayName eq "Platform"')}`);
    expect(listed.json.Resources[0].members).toHaveLength(1);
    expect((await scim("GET", "/Groups?excludedAttributes=members")).json.Resources[0].members).toBeUndefined();
    expect((await scim("POST", "/Groups", { displayName: "PLATFORM" })).status).toBe(409);
    expect((await scim("DELETE", path)).status).toBe(204);
    expect((await memberOf(two.userName)).role).toBe("viewer");
  });
});

describe("changes that come at once", () => {
  it("to the members of a group all hold", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => addUser()));
    const made = await scim("POST", "/Groups", { displayName: `at once ${users}` });
    const path = `/Groups/${made.json.id}`;
    const add = (id: string) => ({ Operations: [{ op: "add", path: "members", value: [{ value: id }] }] });
    const answers = await Promise.all(people.map(({ id }) => scim("PATCH", path, add(id))));
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    const members = (await scim("GET", path)).json.members.map(({ value }: { value: string }) => value);
    expect(new Set(members)).toEqual(new Set(people.map(({ id }) => id)));
  });

  it("to a user all hold, so that one who is switched off stays so", async () => {
    const replace = (path: string, value: unknown) => ({ Operations: [{ op: "replace", path, value }] });
    for (let round = 0; round < 5; round++) {
      const user = await addUser();
      await Promise.all([
        scim("PATCH", `/Users/${user.id}`, replace("active", false)),
        scim("PATCH", `/Users/${user.id}`, replace("displayName", "Renamed")),
        scim("PATCH", `/Users/${user.id}`, replace("name.givenName", "Also")),
      ]);
      const { json } = await scim("GET", `/Users/${user.id}`);
      expect(json).toMatchObject({ active: false, displayName: "Renamed", name: { givenName: "Also" } });
      expect(await memberOf(user.userName)).toBeUndefined();
    }
  });
});

describe("the token of one organisation", () => {
  it("neither sees nor changes what is another's", async () => {
    const other = await openSsoOrganisation(service, provider);
    const foreign = await openToken(other);
    const user = await addUser();
    const group = (await scim("POST", "/Groups", { displayName: "secret", members: [{ value: user.id }] })).json;
    const off = { Operations: [{ op: "replace", value: { active: false } }] };
    for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
      expect((await scim("GET", path, undefined, foreign)).status).toBe(404);
      expect((await scim("PATCH", path, off, foreign)).status).toBe(404);
      expect((await scim("PUT", path, { userName: user.userName, displayName: "x" }, foreign)).status).toBe(404);
      expect((await scim("DELETE", path, undefined, foreign)).status).toBe(404);
    }
    expect((await scim("GET", "/Users", undefined, foreign)).json.totalResults).toBe(0);
    // A group of theirs takes no member of ours, and a user of theirs no address of ours.
    const theirs = await scim("POST", "/Groups", { displayName: "x", members: [{ value: user.id }] }, foreign);
    expect(theirs.json.members).toEqual([]);
    expect((await scim("POST", "/Users", { userName: user.userName }, foreign)).status).toBe(400);
    expect((await memberOf(user.userName)).role).toBe("viewer");
  });

  it("does nothing else, and is made by owners alone", async () => {
    expect((await service.call("GET", "/v1/keys", undefined, { key: token })).status).toBe(403);
    expect((await scim("GET", "/Users", undefined, "tl_wrong-key-of-some-length")).json.status).toBe("401");
    const admin = await openMember(service, "admin", organisation.accountId);
    expect((await admin.call("POST", "/v1/keys", { name: "x", scopes: ["directory"] })).status).toBe(403);
    const manage = await organisation.owner.call("POST", "/v1/keys", { name: "x", scopes: ["manage"] });
    expect((await scim("GET", "/Users", undefined, manage.json.key)).status).toBe(403);
  });

  it("reads what the service can do", async () => {
    expect((await scim("GET", "/ServiceProviderConfig")).json).toMatchObject({ patch: { supported: true } });
    expect((await scim("GET", "/ResourceTypes")).json.totalResults).toBe(2);
    const schemas = (await scim("GET", "/Schemas")).json.Resources;
    expect((await scim("GET", `/Schemas/${schemas[0].id}`)).json).toEqual(schemas[0]);
    expect((await scim("GET", "/Bulk")).json).toMatchObject({ status: "404" });
  });
});
