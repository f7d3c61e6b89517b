import { ROLES } from "@trunkline/core/role.ts";
import { z } from "zod";
import type { Removal } from "../../../identity/organisations/member-desk.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { memberShown, memberToWire } from "../../responses/organisation.ts";
import { control, type Endpoint } from "../endpoint.ts";

const listMembers = control({
  method: "GET",
  path: "/v1/members",
  power: "members.read",
  status: 200,
  tag: "Organisation",
  summary: "List the organisation's members",
  faults: [],
  query: pageQuery,
  answer: pageOf(memberShown),
  handle: ({ house, caller, query }) =>
    listPage(query, (limit, cursor) => house.members.list(caller, limit, cursor), memberToWire),
});

const changeMember = control({
  method: "PATCH",
  path: "/v1/members/:id",
  power: "members.change",
  deed: {
    action: "member.change",
    nameOf: (_visit, result) => result.email,
    details: ({ body }, result) => ({ role: body.role, before: result.role_before }),
  },
  status: 200,
  tag: "Organisation",
  summary: "Change a member's role",
  description:
    "It holds from their next request on. Only an owner may make or change owners; the last owner stays one.",
  faults: ["not_found", "conflict"],
  body: z.object({ role: z.enum(ROLES) }),
  answer: memberShown.extend({ role_before: z.enum(ROLES) }),
  async handle({ house, caller, params, body }) {
    const { member, before } = await house.members.changeRole(caller, params.id ?? "", body.role);
    return { ...memberToWire(member), role_before: before };
  },
});

const removeMember = control({
  method: "DELETE",
  path: "/v1/members/:id",
  power: "members.change",
  ownPower: "self.change",
  deed: {
    action: "member.remove",
    nameOf: (_visit, { member }: Removal) => member.email,
    details: (_visit, { member, keysRevoked, left }: Removal) => ({
      role: member.role,
      keys_revoked: keysRevoked,
      left,
    }),
  },
  status: 204,
  tag: "Organisation",
  summary: "Remove a member, or leave",
  description:
    "With your own id you leave, whatever your role. Only an owner may remove owners; the last one can't go. Their sessions turn to another organisation of theirs, or end.",
  faults: ["not_found", "conflict"],
  query: z.object({
    revoke_keys: z
      .enum(["true", "false"])
      .default("false")
      .describe("Whether the keys that they made are revoked too."),
  }),
  answer: z.null(),
  handle: ({ house, caller, params, query }) =>
    house.members.remove(caller, params.id ?? "", query.revoke_keys === "true"),
});

export const memberEndpoints: readonly Endpoint[] = [listMembers, changeMember, removeMember];
