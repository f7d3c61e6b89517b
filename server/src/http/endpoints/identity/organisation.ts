import { z } from "zod";
import {
  organisationResponseSchema,
  providerNameSchema,
  singleLineSchema,
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
  handle: async ({ services, caller }) => toOrganisationResponse(await services.organisations.find(caller)),
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
  body: z.object({ name: singleLineSchema.optional(), provider: providerNameSchema.optional() }),
  response: organisationResponseSchema,
  handle: async ({ services, caller, body }) =>
    toOrganisationResponse(await services.organisations.change(caller, body)),
});

const createOrganisation = controlEndpoint({
  method: "POST",
  path: "/v1/organisations",
  permission: "self.change",
  audit: { action: "organisation.create", accountOf: (_visit, result) => result.id },
  status: 201,
  tag: "Organisation",
  summary: "Make another organisation",
  description:
    "You are its owner, and your session looks at it from then on. Only the operator's people may where the service is not open to all.",
  faults: ["conflict"],
  body: z.object({ name: singleLineSchema }),
  response: organisationResponseSchema,
  handle: async ({ services, caller, body }) =>
    toOrganisationResponse(await services.organisations.create(caller, body.name)),
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
    "For good: its keys are revoked, its members let go, its webhooks stopped, its models withdrawn. Its records and its ledger stay. Refused while credits are left, unless `forfeit=true` gives them up.",
  faults: ["conflict"],
  query: z.object({
    forfeit: z.enum(["true", "false"]).default("false").describe("Give up the credits that are left."),
  }),
  response: z.null(),
  handle: ({ services, caller, query }) => services.organisations.close(caller, query.forfeit === "true"),
});

export const organisationEndpoints: readonly Endpoint[] = [
  readOrganisation,
  changeOrganisation,
  createOrganisation,
  closeOrganisation,
];
