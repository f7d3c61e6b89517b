import { ROLES } from "@trunkline/core/caller.ts";
import { lineSchema } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import type { MemberRemoval } from "../../../identity/organisations/members.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import {
  memberResponseSchema,
  organisationResponseSchema,
  providerNameSchema,
  toMemberResponse,
  toOrganisationResponse,
} from "../../responses/organisation.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const readOrganisation = controlEndpoint({
  method: "GET",
  path: "/v1/organisation",
  permission: "settings.read",
  status: 200,
  tag: "Organisation",
  summary: "The organisation you act in",
  faults: [],
  response: organisationResponseSchema,
  handle: async ({ services, caller }) => toOrganisationResponse(await services.identity.organisations.find(caller)),
});

const changeOrganisation = controlEndpoint({
  method: "PATCH",
  path: "/v1/organisation",
  permission: "organisation.change",
  audit: { action: "organisation.change", details: ({ body }) => body },
  status: 200,
  tag: "Organisation",
  summary: "Change the organisation's names",
  description:
    "What is not given stays. `provider` is the name under which its models appear: it can't change once there are any.",
  faults: ["conflict"],
  body: z.object({ name: lineSchema().optional(), provider: providerNameSchema.optional() }),
  response: organisationResponseSchema,
  handle: async ({ services, caller, body }) =>
    toOrganisationResponse(await services.identity.organisations.change(caller, body)),
});

const createOrganisation = controlEndpoint({
  method: "POST",
  path: "/v1/organisations",
  permission: "person.change",
  audit: { action: "organisation.create", accountOf: (_context, result) => result.id },
  status: 201,
  tag: "Organisation",
  summary: "Make another organisation",
  description:
    "You are its owner, and your session looks at it from then on. Only the operator's people may where the service is not open to all.",
  faults: ["conflict"],
  body: z.object({ name: lineSchema() }),
  response: organisationResponseSchema,
  handle: async ({ services, caller, body }) =>
    toOrganisationResponse(await services.identity.organisations.create(caller, body.name)),
});

const closeOrganisation = controlEndpoint({
  method: "DELETE",
  path: "/v1/organisation",
  permission: "organisation.close",
  audit: {
    action: "organisation.close",
    details: ({ query }) => ({ forfeit: query.forfeit === "true" }),
  },
  status: 204,
  tag: "Organisation",
  summary: "Close the organisation",
  description:
    "For good: its keys are revoked, its members let go, its webhooks stopped, its models withdrawn, its kept responses, conversations and files for messages deleted. Its records and its ledger stay. Refused while credits are left, unless `forfeit=true` gives them up.",
  faults: ["conflict"],
  query: z.object({
    forfeit: z.enum(["true", "false"]).default("false").describe("Give up the credits that are left."),
  }),
  response: z.null(),
  handle: ({ services, caller, query }) => services.identity.organisations.close(caller, query.forfeit === "true"),
});

export const organisationEndpoints: readonly Endpoint[] = [
  readOrganisation,
  changeOrganisation,
  createOrganisation,
  closeOrganisation,
];

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
    listPage(query, (limit, cursor) => services.identity.members.list(caller, limit, cursor), toMemberResponse),
});

const changeMember = controlEndpoint({
  method: "PATCH",
  path: "/v1/members/:id",
  permission: "members.change",
  audit: {
    action: "member.change",
    nameOf: (_context, result) => result.email,
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
    const { member, before } = await services.identity.members.changeRole(caller, params.id ?? "", body.role);
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
    nameOf: (_context, { member }: MemberRemoval) => member.email,
    details: (_context, { member, keysRevoked, left }: MemberRemoval) => ({
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
    services.identity.members.remove(caller, params.id ?? "", query.revoke_keys === "true"),
});

export const memberEndpoints: readonly Endpoint[] = [listMembers, changeMember, removeMember];
