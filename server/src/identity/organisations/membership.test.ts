import { ROLES } from "@trunkline/core/caller.ts";
import { describe, expect, it } from "vitest";
import { canManageRole } from "./membership.ts";

describe("canManageRole", () => {
  it("lets owners manage all roles, admins all except owners, and others none", () => {
    const table = ROLES.map((role) => ROLES.map((governed) => (canManageRole(role, governed) ? "x" : ".")).join(" "));
    expect(table).toEqual(["x x x x x", ". x x x x", ". . . . .", ". . . . .", ". . . . ."]);
  });

  it("lets no former member manage any role", () => {
    for (const governed of ROLES) expect(canManageRole(undefined, governed)).toBe(false);
  });
});
