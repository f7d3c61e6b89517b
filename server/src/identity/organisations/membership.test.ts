import { ROLES } from "@trunkline/core/caller.ts";
import { describe, expect, it } from "vitest";
import { canManageRole } from "./membership.ts";

describe("who may govern whom", () => {
  it("is: owners everybody, admins everybody but owners, others nobody", () => {
    const table = ROLES.map((role) => ROLES.map((governed) => (canManageRole(role, governed) ? "x" : ".")).join(" "));
    expect(table).toEqual(["x x x x x", ". x x x x", ". . . . .", ". . . . .", ". . . . ."]);
  });

  it("is nobody where somebody is no member any more", () => {
    for (const governed of ROLES) expect(canManageRole(undefined, governed)).toBe(false);
  });
});
