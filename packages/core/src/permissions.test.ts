import { sampleCaller, samplePerson } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { ROLES, type Role, SCOPES } from "./caller.ts";
import { ALL_PERMISSIONS, grantableScopes, hasPermission, PERMISSIONS, type Permission } from "./permissions.ts";

/** The table a second time, as a drawing: owner, admin, developer, billing, viewer. */
const DRAWN: Record<Permission, string> = {
  "inference.use": "x x x . .",
  "safety.check": "x x x . .",
  "feedback.give": "x x x . .",
  "batches.read": "x x x . .",
  "batches.use": "x x x . .",
  "responses.read": "x x x . .",
  "responses.use": "x x x . .",
  "models.read": "x x x x x",
  "usage.read": "x x x x x",
  "requests.read": "x x x x x",
  "balance.read": "x x x x x",
  "routing.read": "x x x x x",
  "routing.change": "x x x . .",
  "safety.read": "x x x x x",
  "safety.change": "x x x . .",
  "cache.change": "x x x . .",
  "keys.read": "x x x x x",
  "keys.change": "x x x . .",
  "settings.read": "x x x x x",
  "settings.change": "x x . . .",
  "webhooks.read": "x x x . .",
  "webhooks.change": "x x x . .",
  "billing.read": "x x . x .",
  "billing.change": "x x . x .",
  "provider.read": "x x x . .",
  "provider.change": "x x x . .",
  "members.read": "x x x x x",
  "members.change": "x x . . .",
  "organisation.change": "x x . . .",
  "organisation.close": "x . . . .",
  "sso.read": "x x . . .",
  "sso.change": "x . . . .",
  "directory.read": "x . . . .",
  "directory.change": "x . . . .",
  "audit.read": "x x . . .",
  "operator.read": "x x . . .",
  "operator.change": "x x . . .",
  "self.read": "x x x x x",
  "self.change": "x x x x x",
  "person.read": "x x x x x",
  "person.change": "x x x x x",
};

const member = (role: Role, operator = true) =>
  sampleCaller({ person: samplePerson({ role }), scopes: grantableScopes(role, operator), operator });

describe.each(ALL_PERMISSIONS)("the permission %s", (permission) => {
  const drawn = DRAWN[permission].split(" ");

  it.each(ROLES.map((role, column) => [role, drawn[column] === "x"] as const))(
    "of a member who is %s: %s",
    (role, expected) => {
      expect(hasPermission(member(role), permission)).toBe(expected);
    },
  );
});

describe("a session by single sign-on", () => {
  it("has what the role has, but not what is the person's own", () => {
    const bySso = sampleCaller({ person: samplePerson({ role: "owner", bySso: true }), operator: false });
    expect(hasPermission(bySso, "keys.change")).toBe(true);
    expect(hasPermission(bySso, "self.change")).toBe(true);
    expect(hasPermission(bySso, "person.change")).toBe(false);
    expect(hasPermission(bySso, "person.read")).toBe(false);
  });
});

describe("operator permissions", () => {
  it("are not granted in another organisation, whatever the role", () => {
    for (const role of ROLES) {
      expect(hasPermission(member(role, false), "operator.read")).toBe(false);
      expect(hasPermission(member(role, false), "operator.change")).toBe(false);
    }
  });
});

describe("a key created by a member", () => {
  it("can do nothing that the member can't, whatever the role", () => {
    for (const role of ROLES) {
      for (const operator of [true, false]) {
        const key = sampleCaller({ scopes: grantableScopes(role, operator), operator });
        for (const permission of ALL_PERMISSIONS) {
          if (hasPermission(key, permission))
            expect(hasPermission(member(role, operator), permission), `${role} ${permission}`).toBe(true);
        }
      }
    }
  });

  it("may have every scope when an owner of the operator's organisation creates it", () => {
    expect([...grantableScopes("owner", true)].toSorted()).toEqual([...SCOPES].toSorted());
    expect(grantableScopes("owner", false).has("admin")).toBe(false);
  });
});

describe("a key", () => {
  it("never has a permission that is reserved for members", () => {
    const key = sampleCaller({ scopes: new Set(SCOPES), operator: true });
    for (const permission of ALL_PERMISSIONS) {
      expect(hasPermission(key, permission), permission).toBe(PERMISSIONS[permission].scope !== undefined);
    }
  });
});
