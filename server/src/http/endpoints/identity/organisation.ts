import { z } from "zod";
import {
  oneLine,
  organisationShown,
  organisationToWire,
  providerName,
} from "../../responses/organisation.ts";
import { control, type Endpoint } from "../endpoint.ts";

const readOrganisation = control({
  method: "GET",
  path: "/v1/organisation",
  power: "settings.read",
  status: 200,
  tag: "Organisation",
  summary: "The organisation you act in",
  faults: [],
  answer: organisationShown,
  handle: async ({ house, caller }) => organisationToWire(await house.organisations.find(caller)),
});

const changeOrganisation = control({
  method: "PATCH",
  path: "/v1/organisation",
  power: "organisation.change",
  deed: { action: "organisation.change", details: ({ body }) => body },
  status: 200,
  tag: "Organisation",
  summary: "Change the organisation's names",
  description:
    "What is not given stays. `provider` is the name under which its models appear: it can't change once there are any.",
  faults: ["conflict"],
  body: z.object({ name: oneLine.optional(), provider: providerName.optional() }),
  answer: organisationShown,
  handle: async ({ house, caller, body }) =>
    organisationToWire(await house.organisations.change(caller, body)),
});

const createOrganisation = control({
  method: "POST",
  path: "/v1/organisations",
  power: "self.change",
  deed: { action: "organisation.create", accountOf: (_visit, result) => result.id },
  status: 201,
  tag: "Organisation",
  summary: "Make another organisation",
  description:
    "You are its owner, and your session looks at it from then on. Only the operator's people may where the service is not open to all.",
  faults: ["conflict"],
  body: z.object({ name: oneLine }),
  answer: organisationShown,
  handle: async ({ house, caller, body }) =>
    organisationToWire(await house.organisations.create(caller, body.name)),
});

const closeOrganisation = control({
  method: "DELETE",
  path: "/v1/organisation",
  power: "organisation.close",
  deed: {
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
  answer: z.null(),
  handle: ({ house, caller, query }) => house.organisations.close(caller, query.forfeit === "true"),
});

export const organisationEndpoints: readonly Endpoint[] = [
  readOrganisation,
  changeOrganisation,
  createOrganisation,
  closeOrganisation,
];
