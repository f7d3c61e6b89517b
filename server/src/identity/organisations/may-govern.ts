import type { Caller, Person } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { PERMISSIONS } from "@trunkline/core/permissions.ts";
import type { Role } from "@trunkline/core/role.ts";

/** Whether somebody may make, change or remove members of a role: admins all but owners, owners all. */
export function canManageRole(role: Role | undefined, governed: Role): boolean {
  const leaders: readonly Role[] = PERMISSIONS["members.change"].roles;
  return role !== undefined && leaders.includes(role) && (governed !== "owner" || role === "owner");
}

/** Refuses what is an owner's alone. The role is the one that counts now, which may be less than it was at the door. */
export function requireRoleManagement(role: Role | undefined, governed: Role): void {
  if (canManageRole(role, governed)) return;
  throw new Fault(
    "insufficient_role",
    governed === "owner"
      ? "Only an owner may make, change or remove owners. Ask one of them."
      : "Your role here is no longer enough for this. Ask an owner or admin.",
  );
}

/** Who is at the dashboard. Operations that only people have the power for are never called by a plain key. */
export function personOf({ person }: Caller): Person {
  if (person === undefined) throw new Error("A key came where only people have the power.");
  return person;
}
