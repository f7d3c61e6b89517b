import { lineSchema } from "@trunkline/core/field-schemas.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { z } from "zod";
import { type EmailDomain, recordOf } from "../../../identity/sso/email-domains.ts";
import { GIVEN_ROLES, type IdentityProvider } from "../../../identity/sso/identity-provider.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { findOpenAccount } from "../operator/accounts.ts";
import { serviceOrigin } from "./browser-session.ts";
import { redirectUriOf } from "./sso-log-in.ts";

const TAG = "Single sign-on";

const providerResponseSchema = z.object({
  id: z.string(),
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  scopes: z.array(z.string()),
  groups_claim: z.string(),
  role_rules: z.array(z.object({ group: z.string(), role: z.enum(GIVEN_ROLES) })),
  default_role: z.enum(GIVEN_ROLES).nullable(),
  redirect_uri: z.string().describe("To be registered at the identity provider."),
});

function toProviderResponse(provider: IdentityProvider, origin: string): z.infer<typeof providerResponseSchema> {
  return {
    id: provider.id,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    has_secret: provider.clientSecret !== undefined,
    scopes: [...provider.scopes],
    groups_claim: provider.groupsClaim,
    role_rules: [...provider.roleRules],
    default_role: provider.defaultRole ?? null,
    redirect_uri: redirectUriOf(origin, provider.id),
  };
}

const readSettings = controlEndpoint({
  method: "GET",
  path: "/v1/organisation/sso",
  permission: "sso.read",
  status: 200,
  tag: TAG,
  summary: "How the organisation's members log in by single sign-on",
  faults: [],
  response: z.object({ provider: providerResponseSchema.nullable(), enforced: z.boolean() }),
  async handle({ services, caller, request }) {
    const { provider, enforced } = await services.identity.sso.settings.find(caller);
    const origin = serviceOrigin(services, request);
    return { provider: provider === undefined ? null : toProviderResponse(provider, origin), enforced };
  },
});

const scopeSchema = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/, "must be a scope of OAuth, without spaces");

const saveSettings = controlEndpoint({
  method: "PUT",
  path: "/v1/organisation/sso",
  permission: "sso.change",
  audit: {
    action: "sso.change",
    details: ({ body }) => ({ issuer: body.issuer, client_id: body.client_id, role_rules: body.role_rules }),
  },
  status: 200,
  tag: TAG,
  summary: "Set up single sign-on by OpenID Connect",
  description:
    "The issuer is asked for its metadata at once. Then register `redirect_uri` there. People get the most powerful role of their groups, at each log-in; owners stay owners.",
  faults: ["conflict"],
  body: z.object({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{1,63}$/, "must be 2 to 64 of a-z 0-9 -")
      .refine((name) => name !== "confirm", "must not be confirm, which is a page")
      .describe("What people enter to log in."),
    issuer: z
      .string()
      .min(1)
      .max(2_048)
      .describe("As the identity provider writes it, such as https://login.example.com."),
    client_id: lineSchema(512),
    client_secret: z
      .string()
      .min(1)
      .max(1_024)
      .regex(/^[\x20-\x7e]*$/, "must be printable ASCII")
      .nullable()
      .optional()
      .describe("Left out: it stays. `null`: there is none, PKCE alone protects the log-in."),
    scopes: z.array(scopeSchema).min(1).max(20).default(["openid", "email", "profile"]),
    groups_claim: z.string().min(1).max(256).default("groups"),
    role_rules: z
      .array(z.object({ group: lineSchema(256), role: z.enum(GIVEN_ROLES) }))
      .max(200)
      .default([]),
    default_role: z
      .enum(GIVEN_ROLES)
      .nullable()
      .default(null)
      .describe("The role of people in none of these groups; `null`: they are refused."),
  }),
  response: providerResponseSchema,
  async handle({ services, caller, body, request }) {
    const { client_secret: secret } = body;
    const provider = await services.identity.sso.settings.save(caller, {
      name: body.name,
      issuer: body.issuer,
      clientId: body.client_id,
      clientSecret: typeof secret === "string" ? new Secret(secret) : secret,
      scopes: body.scopes.includes("openid") ? body.scopes : ["openid", ...body.scopes],
      groupsClaim: body.groups_claim,
      roleRules: body.role_rules,
      defaultRole: body.default_role ?? undefined,
    });
    return toProviderResponse(provider, serviceOrigin(services, request));
  },
});

const removeSettings = controlEndpoint({
  method: "DELETE",
  path: "/v1/organisation/sso",
  permission: "sso.change",
  audit: { action: "sso.remove" },
  status: 204,
  tag: TAG,
  summary: "End single sign-on",
  description: "Its sessions end, and it is no longer enforced. Members stay members.",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller }) => services.identity.sso.settings.remove(caller),
});

const enforce = controlEndpoint({
  method: "POST",
  path: "/v1/organisation/sso/enforcement",
  permission: "sso.change",
  audit: { action: "sso.enforce", details: ({ body }) => ({ enforced: body.enforced }) },
  status: 200,
  tag: TAG,
  summary: "Let members in by single sign-on only",
  description:
    "Takes a session that was itself opened by single sign-on. Other sessions don't reach the organisation from then on, whatever they were opened by: password, reset link, passkey or wallet. Keys go on.",
  faults: ["conflict", "not_found"],
  body: z.object({ enforced: z.boolean() }),
  response: z.object({ enforced: z.boolean() }),
  async handle({ services, caller, body }) {
    await services.identity.sso.settings.setEnforced(caller, body.enforced);
    return { enforced: body.enforced };
  },
});

const domainResponseSchema = z.object({
  name: z.string().describe("The domain."),
  verified_at: z.string().nullable(),
  verified_by: z.enum(["dns", "operator"]).nullable(),
  record: z.object({ name: z.string(), type: z.literal("TXT"), value: z.string() }).describe("Proves the domain."),
});

function toDomainResponse(domain: EmailDomain): z.infer<typeof domainResponseSchema> {
  return {
    name: domain.domain,
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    verified_by: domain.verifiedBy ?? null,
    record: { type: "TXT", ...recordOf(domain) },
  };
}

const domainNameSchema = z.object({ name: z.string().min(1).max(253).describe("The domain, such as example.com.") });

const listDomains = controlEndpoint({
  method: "GET",
  path: "/v1/organisation/domains",
  permission: "sso.read",
  status: 200,
  tag: TAG,
  summary: "The domains of the organisation's e-mail addresses",
  faults: [],
  response: z.object({ data: z.array(domainResponseSchema), next_cursor: z.null() }),
  handle: async ({ services, caller }) => ({
    data: (await services.identity.sso.domains.list(caller)).map(toDomainResponse),
    next_cursor: null,
  }),
});

const addDomain = controlEndpoint({
  method: "POST",
  path: "/v1/organisation/domains",
  permission: "sso.change",
  audit: { action: "domain.add" },
  status: 201,
  tag: TAG,
  summary: "Add a domain",
  description: "Then write `record` into its DNS, and verify it.",
  faults: ["conflict"],
  body: domainNameSchema,
  response: domainResponseSchema,
  handle: async ({ services, caller, body }) =>
    toDomainResponse(await services.identity.sso.domains.add(caller, body.name)),
});

const verifyDomain = controlEndpoint({
  method: "POST",
  path: "/v1/organisation/domains/:name/verify",
  permission: "sso.change",
  audit: { action: "domain.verify" },
  status: 200,
  tag: TAG,
  summary: "Verify a domain by its DNS record",
  faults: ["not_found", "conflict"],
  response: domainResponseSchema,
  handle: async ({ services, caller, params }) =>
    toDomainResponse(await services.identity.sso.domains.verify(caller, params.name ?? "")),
});

const removeDomain = controlEndpoint({
  method: "DELETE",
  path: "/v1/organisation/domains/:name",
  permission: "sso.change",
  audit: { action: "domain.remove" },
  status: 204,
  tag: TAG,
  summary: "Remove a domain",
  description: "People with its addresses who have logged in before still can.",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.identity.sso.domains.remove(caller, params.name ?? ""),
});

const vouchForDomain = controlEndpoint({
  method: "POST",
  path: "/v1/admin/accounts/:id/domains",
  permission: "operator.change",
  audit: { action: "domain.vouch", accountOf: ({ params }) => params.id },
  status: 201,
  tag: "Operator",
  summary: "Vouch for a domain of an account",
  description:
    "It counts as verified without a DNS record. The account's identity provider can then log in everyone with an address there.",
  faults: ["not_found", "conflict"],
  body: domainNameSchema,
  response: domainResponseSchema,
  async handle({ services, params, body }) {
    const { id } = await findOpenAccount(services, params.id);
    return toDomainResponse(await services.identity.sso.domains.vouch(id, body.name));
  },
});

const liftEnforcement = controlEndpoint({
  method: "DELETE",
  path: "/v1/admin/accounts/:id/sso-enforcement",
  permission: "operator.change",
  audit: { action: "sso.lift_enforcement", accountOf: ({ params }) => params.id },
  status: 204,
  tag: "Operator",
  summary: "Let the members of an account in by other means than single sign-on",
  description: "For an organisation that has locked itself out, as by a mistake at its identity provider.",
  faults: ["not_found"],
  response: z.null(),
  async handle({ services, params }) {
    const { id } = await findOpenAccount(services, params.id);
    await services.identity.sso.settings.liftEnforcement(id);
    return null;
  },
});

export const operatorSsoEndpoints: readonly Endpoint[] = [vouchForDomain, liftEnforcement];

export const ssoSettingEndpoints: readonly Endpoint[] = [
  readSettings,
  saveSettings,
  removeSettings,
  enforce,
  listDomains,
  addDomain,
  verifyDomain,
  removeDomain,
];
