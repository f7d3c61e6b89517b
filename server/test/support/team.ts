import type { Role } from "@trunkline/core/caller.ts";
import { openMember, type TestMember } from "./member.ts";
import type { StartedService } from "./started-service.ts";

/** One member of each role, in an organisation of their own. */
export async function openTeam(service: StartedService): Promise<Record<Role, TestMember>> {
  const owner = await openMember(service, "owner");
  const join = (role: Role) => openMember(service, role, owner.accountId);
  return {
    owner,
    admin: await join("admin"),
    developer: await join("developer"),
    billing: await join("billing"),
    viewer: await join("viewer"),
  };
}
