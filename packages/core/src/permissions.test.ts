import { sampleCaller, samplePerson } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { ROLES, type Role, SCOPES } from "./caller.ts";
import { ALL_PERMISSIONS, grantableScopes, hasPermission, PERMISSIONS, type Permission } from "./permissions.ts";

/** The table once more, as a person would draw it: owner, admin, developer, billing, viewer. */
const DRAWN: Record<Permission, string> = {
  "inference.use": "x x x . .",
  "safety.check": "x x x . .",
  "feedback.give": "x x x . .",
  "batches.read": "x x x . .",
  "batches.use": "x x x . .",
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
  "audit.read": "x x . . .",
  "operator.read": "x x . . .",
  "operator.change": "x x . . .",
  "self.read": "x x x x x",
  "self.change": "x x x x x",
};

const member = (role: Role, operator = true) =>
  sampleCaller({ person: samplePerson({ role }), scopes: grantableScopes(role, operator), operator });

describe.each(ALL_PERMISSIONS)("the power %s", (power) => {
  const drawn = DRAWN[power].split(" ");

  it.each(ROLES.map((role, column) => [role, drawn[column] === "x"] as const))(
    "of a member who is %s: %s",
    (role, expected) => {
      expect(hasPermission(member(role), power)).toBe(expected);
    },
  );
});

describe("the operator's powers", () => {
  it("are nobody's in another organisation, whatever the role", () => {
    for (const role of ROLES) {
      expect(hasPermission(member(role, false), "operator.read")).toBe(false);
      expect(hasPermission(member(role, false), "operator.change")).toBe(false);
    }
  });
});

describe("a key that a member makes", () => {
  it("can do nothing that the member can't, whatever the role", () => {
    for (const role of ROLES) {
      for (const operator of [true, false]) {
        const key = sampleCaller({ scopes: grantableScopes(role, operator), operator });
        for (const power of ALL_PERMISSIONS) {
          if (hasPermission(key, power))
            expect(hasPermission(member(role, operator), power), `${role} ${power}`).toBe(true);
        }
      }
    }
  });

  it("may have every scope where an owner of the operator's organisation makes it", () => {
    expect([...grantableScopes("owner", true)].toSorted()).toEqual([...SCOPES].toSorted());
    expect(grantableScopes("owner", false).has("admin")).toBe(false);
  });
});

describe("a key", () => {
  it("never has a power that only people have", () => {
    const key = sampleCaller({ scopes: new Set(SCOPES), operator: true });
    for (const power of ALL_PERMISSIONS) {
      expect(hasPermission(key, power), power).toBe(PERMISSIONS[power].scope !== undefined);
    }
  });
});
