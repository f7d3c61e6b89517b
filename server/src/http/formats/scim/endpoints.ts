import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { DirectoryQuery } from "../../../identity/directory/directory.ts";
import { parseScimFilter } from "../../../identity/directory/scim-filter.ts";
import {
  type ControlEndpoint,
  controlEndpoint,
  type Endpoint,
  type OperationContext,
  Reply,
} from "../../endpoints/endpoint.ts";
import { serviceOrigin } from "../../endpoints/identity/browser-session.ts";
import { scimDialect } from "./dialect.ts";
import {
  RESOURCE_TYPES,
  SCHEMAS,
  SERVICE_PROVIDER_CONFIG,
  scimGroupSchema,
  scimListSchema,
  scimUserSchema,
  toScimGroup,
  toScimList,
  toScimUser,
} from "./resources.ts";

const CONTENT_TYPE = "application/scim+json; charset=utf-8";
const PAGE_SIZE_MAX = 200;

const querySchema = z.object({
  filter: z.string().max(2_000).optional().describe('Such as `userName eq "ada@example.com"`.'),
  startIndex: z.coerce.number().int().max(1_000_000_000).default(1).describe("The first to be listed, counted from 1."),
  count: z.coerce.number().int().default(100).describe(`At most ${PAGE_SIZE_MAX}.`),
  excludedAttributes: z.string().max(1_000).optional(),
});

/** Numbers out of range are moved into it, as the standard has it. */
function toDirectoryQuery({ filter, startIndex, count }: z.output<typeof querySchema>): DirectoryQuery {
  return {
    filter: filter === undefined || filter.trim() === "" ? undefined : parseScimFilter(filter),
    startIndex: Math.max(1, startIndex),
    count: Math.min(PAGE_SIZE_MAX, Math.max(0, count)),
  };
}

function baseOf({ services, request }: Pick<OperationContext<unknown, unknown>, "services" | "request">): string {
  return `${serviceOrigin(services, request)}${scimDialect.prefix}`;
}

/** What all operations of SCIM share. */
const common = { tag: "SCIM", dialect: scimDialect, alternativeContentTypes: ["application/scim+json"] } as const;
const bodyFields = { body: z.unknown(), skipBodyValidation: true } as const;
const changeFaults = ["not_found", "conflict", "insufficient_role"] as const;

const scimReply = (body: unknown, status = 200) => new Reply(status, body, CONTENT_TYPE);

const listUsers = controlEndpoint({
  ...common,
  method: "GET",
  path: "/scim/v2/Users",
  permission: "directory.read",
  status: 200,
  summary: "List the users that your directory has sent",
  faults: [],
  query: querySchema,
  response: scimListSchema(scimUserSchema),
  async handle(context) {
    const query = toDirectoryQuery(context.query);
    const page = await context.services.identity.directory.listUsers(context.caller, query);
    return scimReply(toScimList(page, query.startIndex, (user) => toScimUser(user, baseOf(context))));
  },
});

const listGroups = controlEndpoint({
  ...common,
  method: "GET",
  path: "/scim/v2/Groups",
  permission: "directory.read",
  status: 200,
  summary: "List the groups that your directory has sent",
  faults: [],
  query: querySchema,
  response: scimListSchema(scimGroupSchema),
  async handle(context) {
    const query = toDirectoryQuery(context.query);
    const page = await context.services.identity.directory.listGroups(context.caller, query);
    const withMembers = !/(^|,)\s*members\s*(,|$)/i.test(context.query.excludedAttributes ?? "");
    return scimReply(toScimList(page, query.startIndex, (group) => toScimGroup(group, baseOf(context), withMembers)));
  },
});

/** The operations on single users, and on single groups. */
const RESOURCES = [
  {
    name: "user",
    path: "/scim/v2/Users",
    schema: scimUserSchema,
    nameOf: (result: unknown) => scimUserSchema.safeParse(result).data?.userName,
    actions: ({ services, caller }: OperationContext<unknown, unknown>, base: string) => {
      const { directory } = services.identity;
      return {
        find: async (id: string) => toScimUser(await directory.findUser(caller, id), base),
        create: async (body: unknown) => toScimUser(await directory.createUser(caller, body), base),
        replace: async (id: string, body: unknown) => toScimUser(await directory.replaceUser(caller, id, body), base),
        patch: async (id: string, body: unknown) => toScimUser(await directory.patchUser(caller, id, body), base),
        remove: async (id: string) => toScimUser(await directory.removeUser(caller, id), base),
      };
    },
  },
  {
    name: "group",
    path: "/scim/v2/Groups",
    schema: scimGroupSchema,
    nameOf: (result: unknown) => scimGroupSchema.safeParse(result).data?.displayName,
    actions: ({ services, caller }: OperationContext<unknown, unknown>, base: string) => {
      const { directory } = services.identity;
      return {
        find: async (id: string) => toScimGroup(await directory.findGroup(caller, id), base),
        create: async (body: unknown) => toScimGroup(await directory.createGroup(caller, body), base),
        replace: async (id: string, body: unknown) => toScimGroup(await directory.replaceGroup(caller, id, body), base),
        patch: async (id: string, body: unknown) => toScimGroup(await directory.patchGroup(caller, id, body), base),
        remove: async (id: string) => toScimGroup(await directory.removeGroup(caller, id), base),
      };
    },
  },
] as const;

const resourceEndpoints = RESOURCES.flatMap(({ name, path, schema, nameOf, actions }): Endpoint[] => {
  const auditOf = (verb: string): NonNullable<ControlEndpoint["audit"]> => ({
    action: `directory.${name}.${verb}`,
    nameOf: (_context, result) => nameOf(result),
    details: (_context, result) => {
      const user = name === "user" ? scimUserSchema.safeParse(result).data : undefined;
      return user === undefined ? {} : { active: user.active };
    },
  });
  const one = { ...common, path: `${path}/:id`, response: schema } as const;
  const change = { ...one, permission: "directory.change", faults: changeFaults } as const;
  return [
    controlEndpoint({
      ...common,
      ...bodyFields,
      method: "POST",
      path,
      permission: "directory.change",
      audit: auditOf("create"),
      status: 201,
      summary: `Add a ${name}`,
      faults: ["conflict", "insufficient_role"],
      response: schema,
      handle: async (context) => scimReply(await actions(context, baseOf(context)).create(context.body), 201),
    }),
    controlEndpoint({
      ...one,
      method: "GET",
      permission: "directory.read",
      status: 200,
      summary: `Read a ${name}`,
      faults: ["not_found"],
      handle: async (context) => scimReply(await actions(context, baseOf(context)).find(context.params.id ?? "")),
    }),
    controlEndpoint({
      ...change,
      ...bodyFields,
      method: "PUT",
      audit: auditOf("replace"),
      status: 200,
      summary: `Replace a ${name}`,
      handle: async (context) =>
        scimReply(await actions(context, baseOf(context)).replace(context.params.id ?? "", context.body)),
    }),
    controlEndpoint({
      ...change,
      ...bodyFields,
      method: "PATCH",
      audit: auditOf("change"),
      status: 200,
      summary: `Change a ${name}`,
      description: "As Entra ID and Okta send it.",
      handle: async (context) =>
        scimReply(await actions(context, baseOf(context)).patch(context.params.id ?? "", context.body)),
    }),
    controlEndpoint({
      ...change,
      method: "DELETE",
      audit: auditOf("remove"),
      status: 204,
      summary: `Remove a ${name}`,
      response: z.null(),
      handle: (context) => actions(context, baseOf(context)).remove(context.params.id ?? ""),
    }),
  ];
});

/** What directories read before they begin. */
const descriptionEndpoints = (
  [
    ["/scim/v2/ServiceProviderConfig", "What can be done by SCIM here", SERVICE_PROVIDER_CONFIG],
    ["/scim/v2/ResourceTypes", "The kinds of resources", toDescriptionList(RESOURCE_TYPES)],
    ["/scim/v2/Schemas", "The schemas of the resources", toDescriptionList(SCHEMAS)],
  ] as const
).map(([path, summary, description]) =>
  controlEndpoint({
    ...common,
    method: "GET",
    path,
    permission: "directory.read",
    status: 200,
    summary,
    faults: [],
    response: z.record(z.string(), z.unknown()),
    handle: async () => scimReply(description),
  }),
);

const readSchema = controlEndpoint({
  ...common,
  method: "GET",
  path: "/scim/v2/Schemas/:id",
  permission: "directory.read",
  status: 200,
  summary: "Read a schema",
  faults: ["not_found"],
  response: z.record(z.string(), z.unknown()),
  async handle({ params }) {
    const schema = SCHEMAS.find(({ id }) => id === params.id);
    if (schema === undefined) throw new Fault("not_found", "There is no such schema.");
    return scimReply(schema);
  },
});

function toDescriptionList(resources: readonly unknown[]): Record<string, unknown> {
  return toScimList({ total: resources.length, resources }, 1, (resource) => resource);
}

export const scimEndpoints: readonly Endpoint[] = [
  listUsers,
  listGroups,
  ...resourceEndpoints,
  ...descriptionEndpoints,
  readSchema,
];
