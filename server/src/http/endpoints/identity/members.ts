import { ROLES } from "@trunkline/core/role.ts";
import { z } from "zod";
import type { MemberRemoval } from "../../../identity/organisations/member-desk.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-page.ts";
import { memberResponseSchema, toMemberResponse } from "../../responses/organisation.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const listMembers = controlEndpoint({
  method: "GET",
  path: "/v1/members",
  permission: "members.read",
  status: 200,
  tag: "Organisation",
  summary: "List the organisation's members",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(memberResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(query, (limit, cursor) => services.members.list(caller, limit, cursor), toMemberResponse),
});

const changeMember = controlEndpoint({
  method: "PATCH",
  path: "/v1/members/:id",
  permission: "members.change",
  audit: {
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
  response: memberResponseSchema.extend({ role_before: z.enum(ROLES) }),
  async handle({ services, caller, params, body }) {
    const { member, before } = await services.members.changeRole(caller, params.id ?? "", body.role);
    return { ...toMemberResponse(member), role_before: before };
  },
});

const removeMember = controlEndpoint({
  method: "DELETE",
  path: "/v1/members/:id",
  permission: "members.change",
  ownPermission: "self.change",
  audit: {
    action: "member.remove",
    nameOf: (_visit, { member }: MemberRemoval) => member.email,
    details: (_visit, { member, keysRevoked, left }: MemberRemoval) => ({
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
  response: z.null(),
  handle: ({ services, caller, params, query }) =>
    services.members.remove(caller, params.id ?? "", query.revoke_keys === "true"),
});

export const memberEndpoints: readonly Endpoint[] = [listMembers, changeMember, removeMember];
