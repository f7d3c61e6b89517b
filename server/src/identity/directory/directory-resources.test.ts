import { describe, expect, it } from "vitest";
import { patchGroup, patchUser, readUser } from "./directory-resources.ts";
import { readPatch } from "./scim-patch.ts";

const USER = {
  userName: "ada@example.com",
  externalId: "1",
  email: "ada@example.com",
  displayName: "Ada",
  givenName: "Ada",
  familyName: "Lovelace",
  active: true,
};
const GROUP = { displayName: "engineers", externalId: undefined, memberIds: ["a", "b", "c"] };

const patchOf = (...operations: unknown[]) =>
  readPatch({ schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: operations });

describe("a user", () => {
  it("is read as directories send it", () => {
    const body = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: "grace",
      name: { givenName: "Grace", familyName: "Hopper", formatted: "Grace Hopper" },
      emails: [
        { value: "other@example.com", type: "home" },
        { value: "Grace@Example.com", type: "work", primary: "True" },
      ],
      active: "True",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Navy" },
    };
    expect(readUser(body)).toEqual({
      userName: "grace",
      externalId: undefined,
      email: "grace@example.com",
      displayName: "Grace Hopper",
      givenName: "Grace",
      familyName: "Hopper",
      active: true,
    });
    expect(readUser({ userName: "ada@example.com" })).toMatchObject({ email: "ada@example.com", active: true });
  });

  it.each([
    ["emails", { userName: "grace" }],
    ["userName", { emails: [{ value: "a@example.com" }] }],
    ["userName", { userName: 7 }],
    ["active", { userName: "a@example.com", active: "perhaps" }],
    ["displayName", { userName: "a@example.com", displayName: "x".repeat(300) }],
  ])("is refused for its %s", (param, body) => {
    expect(() => readUser(body)).toThrow(expect.objectContaining({ details: { param } }));
  });

  it.each<readonly [string, unknown, object]>([
    ["Entra ID's deactivation", { op: "Replace", path: "active", value: "False" }, { active: false }],
    ["Okta's deactivation", { op: "replace", value: { active: false } }, { active: false }],
    ["dotted names in a value", { op: "replace", value: { "name.givenName": "Eve" } }, { givenName: "Eve" }],
    ["a name as an object", { op: "add", value: { name: { familyName: "King" } } }, { familyName: "King" }],
    [
      "Entra ID's address",
      { op: "Add", path: 'emails[type eq "work"].value', value: "New@example.com" },
      { email: "new@example.com" },
    ],
    [
      "a list of addresses",
      { op: "replace", path: "emails", value: [{ value: "n@example.com" }] },
      { email: "n@example.com" },
    ],
    ["a removal", { op: "remove", path: "displayName" }, { displayName: undefined }],
    [
      "an attribute of an extension",
      { op: "add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "x" },
      {},
    ],
  ])("takes %s", (_words, operation, change) => {
    expect(patchUser(USER, patchOf(operation))).toEqual({ ...USER, ...change });
  });

  it.each([
    undefined,
    {},
    { Operations: [] },
    { Operations: ["x"] },
    { Operations: [{ op: "move", path: "active" }] },
    { Operations: [{ op: "replace", value: "x" }] },
    { Operations: [{ op: "remove" }] },
    { Operations: [{ op: "replace", path: "a b", value: 1 }] },
  ])("is not changed by %j", (body) => {
    expect(() => readPatch(body)).toThrow(expect.objectContaining({ type: "invalid_request" }));
  });
});

describe("a group", () => {
  it.each<readonly [string, unknown, readonly string[]]>([
    ["adds members", { op: "Add", path: "members", value: [{ value: "d" }, { value: "a" }] }, ["a", "b", "c", "d"]],
    ["removes one as Okta does", { op: "remove", path: 'members[value eq "b"]' }, ["a", "c"]],
    [
      "removes some as Entra ID does",
      { op: "Remove", path: "members", value: [{ value: "a" }, { value: "c" }] },
      ["b"],
    ],
    ["removes all", { op: "remove", path: "members" }, []],
    ["replaces all", { op: "replace", path: "members", value: [{ value: "z" }] }, ["z"]],
  ])("%s", (_words, operation, memberIds) => {
    expect(patchGroup(GROUP, patchOf(operation))).toEqual({ ...GROUP, memberIds });
  });

  it("is renamed as Okta does, and refuses a selector that it can't read", () => {
    const renamed = patchOf({ op: "replace", value: { id: "x", displayName: "staff" } });
    expect(patchGroup(GROUP, renamed).displayName).toBe("staff");
    const odd = patchOf({ op: "remove", path: 'members[display eq "x"]' });
    expect(() => patchGroup(GROUP, odd)).toThrow(expect.objectContaining({ details: { param: "path" } }));
  });
});
