import { z } from "zod";
import type { DirectoryGroup, DirectoryPage, DirectoryUser } from "../../../identity/directory/directory.ts";

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const CORE = "urn:ietf:params:scim:schemas:core:2.0";

const metaSchema = z.object({
  resourceType: z.string(),
  created: z.string(),
  lastModified: z.string(),
  location: z.string(),
});
const referenceSchema = z.object({ value: z.string(), display: z.string().optional() });

export const scimUserSchema = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  userName: z.string(),
  displayName: z.string().optional(),
  name: z.object({
    givenName: z.string().optional(),
    familyName: z.string().optional(),
    formatted: z.string().optional(),
  }),
  emails: z.array(z.object({ value: z.string(), type: z.string(), primary: z.boolean() })),
  active: z.boolean(),
  groups: z.array(referenceSchema),
  meta: metaSchema,
});

export const scimGroupSchema = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  displayName: z.string(),
  members: z.array(referenceSchema).optional(),
  meta: metaSchema,
});

export const scimListSchema = (resource: z.ZodType) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.number(),
    startIndex: z.number(),
    itemsPerPage: z.number(),
    Resources: z.array(resource),
  });

export function toScimUser(user: DirectoryUser, base: string) {
  const { externalId, displayName, givenName, familyName } = user;
  return {
    schemas: [USER_SCHEMA],
    id: user.id,
    ...(externalId === undefined ? {} : { externalId }),
    userName: user.userName,
    ...(displayName === undefined ? {} : { displayName }),
    name: {
      ...(givenName === undefined ? {} : { givenName }),
      ...(familyName === undefined ? {} : { familyName }),
      ...(displayName === undefined ? {} : { formatted: displayName }),
    },
    emails: [{ value: user.email, type: "work", primary: true }],
    active: user.active,
    groups: user.groups.map(({ id, displayName: display }) => ({ value: id, display })),
    meta: metaOf("User", user, base),
  };
}

export function toScimGroup(group: DirectoryGroup, base: string, withMembers = true) {
  const { externalId } = group;
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...(externalId === undefined ? {} : { externalId }),
    displayName: group.displayName,
    ...(withMembers ? { members: group.memberIds.map((id) => ({ value: id })) } : {}),
    meta: metaOf("Group", group, base),
  };
}

export function toScimList<Resource>(
  { total, resources }: DirectoryPage<Resource>,
  startIndex: number,
  toJson: (resource: Resource) => unknown,
) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map(toJson),
  };
}

function metaOf(type: "User" | "Group", { id, createdAt, changedAt }: DirectoryUser | DirectoryGroup, base: string) {
  return {
    resourceType: type,
    created: createdAt.toISOString(),
    lastModified: changedAt.toISOString(),
    location: `${base}/${type}s/${id}`,
  };
}

/** What this service can do, for directories that ask. */
export const SERVICE_PROVIDER_CONFIG = {
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Key",
      description: "A key of the scope `directory`, as a bearer token.",
      primary: true,
    },
  ],
};

export const RESOURCE_TYPES = [
  { name: "User", endpoint: "/Users", schema: USER_SCHEMA },
  { name: "Group", endpoint: "/Groups", schema: GROUP_SCHEMA },
].map((type) => ({ schemas: [`${CORE}:ResourceType`], id: type.name, ...type }));

const attribute = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  type: "string",
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

export const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: "User",
    description: "A person of the organisation's directory.",
    attributes: [
      attribute("userName", { required: true, uniqueness: "server" }),
      attribute("externalId", { caseExact: true }),
      attribute("displayName"),
      attribute("name", {
        type: "complex",
        subAttributes: [attribute("givenName"), attribute("familyName"), attribute("formatted")],
      }),
      attribute("emails", {
        type: "complex",
        multiValued: true,
        subAttributes: [attribute("value"), attribute("type"), attribute("primary", { type: "boolean" })],
      }),
      attribute("active", { type: "boolean" }),
      attribute("groups", {
        type: "complex",
        multiValued: true,
        mutability: "readOnly",
        subAttributes: [attribute("value"), attribute("display")],
      }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: "Group",
    description: "A group of the organisation's directory, by which people get roles.",
    attributes: [
      attribute("displayName", { required: true, uniqueness: "server" }),
      attribute("externalId", { caseExact: true }),
      attribute("members", { type: "complex", multiValued: true, subAttributes: [attribute("value")] }),
    ],
  },
].map((schema) => ({ schemas: [`${CORE}:Schema`], ...schema }));
