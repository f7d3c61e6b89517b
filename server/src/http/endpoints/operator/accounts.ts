import { DEFAULT_ALERT_THRESHOLDS } from "@trunkline/core/alerts.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, lineSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { standingOfProviderName } from "@trunkline/providers/discovery/provider-names.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { type Account, defaultProviderName } from "../../../identity/organisations/organisations.ts";
import type { Customer } from "../../../store/identity/accounts.ts";
import {
  apiKeyResponseSchema,
  createApiKeySchema,
  toApiKeyResponse,
  toApiKeySettings,
} from "../../responses/api-key.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { providerNameSchema } from "../../responses/organisation.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const accountResponseSchema = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  operator: z.boolean(),
  created_at: z.string(),
});

const createAccount = controlEndpoint({
  method: "POST",
  path: "/v1/admin/accounts",
  permission: "operator.change",
  audit: { action: "account.create" },
  status: 201,
  tag: "Operator",
  summary: "Open an account",
  description: "`provider` is the name under which the account's models appear.",
  faults: ["conflict"],
  body: z.object({
    name: lineSchema(),
    provider: providerNameSchema.optional(),
  }),
  response: accountResponseSchema,
  async handle({ services, body }) {
    const id = newId();
    const provider = body.provider ?? defaultProviderName(id);
    refuseKeptProviderName(provider);
    const created = await services.identity.accounts.create({
      id,
      name: body.name,
      provider,
      operator: false,
      strategy: undefined,
      keepsContent: false,
      thirdPartyModels: false,
      timeZone: "UTC",
      alerts: DEFAULT_ALERT_THRESHOLDS,
      createdAt: new Date(),
    });
    if (created === undefined) throw takenProviderName(provider);
    return toAccountResponse(created);
  },
});

function takenProviderName(provider: string): Fault {
  return new Fault("conflict", `The provider name "${provider}" is taken. Choose another.`, { param: "provider" });
}

/** The operator may give a look-alike to an account, but not the very name under which the service's own models appear. */
function refuseKeptProviderName(provider: string): void {
  if (standingOfProviderName(provider) !== "kept") return;
  throw new Fault(
    "conflict",
    `The provider name "${provider}" is kept for the models that the service itself offers under it. Choose another.`,
    { param: "provider" },
  );
}

const grantCredits = controlEndpoint({
  method: "POST",
  path: "/v1/admin/accounts/:id/grants",
  permission: "operator.change",
  audit: {
    action: "account.grant",
    accountOf: ({ params }) => params.id,
    details: ({ body }) => ({ amount: body.amount, memo: body.memo }),
  },
  status: 201,
  tag: "Operator",
  summary: "Give credits to an account",
  faults: ["not_found", "conflict"],
  body: z.object({
    amount: creditsSchema(0.000000001, 1_000_000),
    memo: storableText(z.string().max(256)).default("operator grant"),
  }),
  response: z.object({ balance: z.number() }),
  async handle({ services, params, body }) {
    const { id } = await findOpenAccount(services, params.id);
    await services.identity.accounts.grant(id, toNanoCredits(body.amount), body.memo);
    const { total } = await services.ledger.store.readPool(balancePool(id));
    return { balance: toCredits(total) };
  },
});

const createAccountKey = controlEndpoint({
  method: "POST",
  path: "/v1/admin/accounts/:id/keys",
  permission: "operator.change",
  audit: {
    action: "key.create",
    accountOf: ({ params }) => params.id,
    details: ({ body }) => ({ scopes: body.scopes }),
  },
  status: 201,
  tag: "Operator",
  summary: "Make a key for an account",
  description: "A `requests_per_minute` above what all keys of the account may send together raises that to it.",
  faults: ["not_found", "conflict"],
  body: createApiKeySchema,
  response: apiKeyResponseSchema.extend({ key: z.string() }),
  async handle({ services, caller, params, body }) {
    const target = await findOpenAccount(services, params.id);
    if (!target.operator && body.scopes.includes("admin")) {
      throw new Fault("invalid_request", "The scope `admin` is the operator's alone.", { param: "scopes" });
    }
    const { key, secret } = await services.identity.apiKeys.create(caller, toApiKeySettings(body), target.id);
    if (key.requestsPerMinute !== undefined) {
      const { accountRequestsPerMinute } = services.config.limits;
      await services.identity.customers.raiseRate(target.id, key.requestsPerMinute, accountRequestsPerMinute);
      services.identity.keyring.invalidate();
    }
    return { ...toApiKeyResponse(key), key: secret };
  },
});

export async function findOpenAccount(services: Services, id: string | undefined): Promise<Customer> {
  const customer = await findCustomer(services, id);
  if (customer.closed_at !== null) throw new Fault("conflict", "This account is closed. Nothing can be added to it.");
  return customer;
}

function toAccountResponse({ id, name, provider, operator, createdAt }: Account) {
  return { id, name, provider, operator, created_at: createdAt.toISOString() };
}

export const operatorAccountEndpoints: readonly Endpoint[] = [createAccount, grantCredits, createAccountKey];

const customerResponseSchema = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  operator: z.boolean(),
  created_at: z.string(),
  suspended: z.boolean(),
  suspended_at: z.string().nullable(),
  closed_at: z.string().nullable().describe("When its owner closed it."),
  requests_per_minute: z
    .int()
    .nullable()
    .describe("What all its keys may send a minute together; null: what the service allows every account."),
  balance: z.number(),
  last_30_days: z.object({ requests: z.int(), cost: z.number() }),
  members: z.int(),
  owner: z.string().nullable().describe("The first owner's e-mail address."),
  models: z.int().describe("How many models it offers."),
  cluster: z.int().describe("The number of the PostgreSQL cluster where it spends; 1 where there is one database."),
});

const listCustomers = controlEndpoint({
  method: "GET",
  path: "/v1/admin/accounts",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List accounts, newest first",
  faults: [],
  query: pageQuery.extend({
    q: storableText(z.string().trim().min(1).max(200))
      .optional()
      .describe("Part of a name, of a provider's name or of a member's address, or an id."),
    state: z.enum(["active", "suspended"]).optional(),
    cluster: z.coerce.number().int().min(1).max(9_999).optional().describe("Those that spend on this cluster."),
  }),
  response: pageResponseSchema(customerResponseSchema),
  handle: ({ services, query }) =>
    listPage(
      query,
      (limit, cursor) =>
        services.identity.customers.list({ text: query.q, state: query.state, cluster: query.cluster }, limit, cursor),
      toCustomerResponse,
    ),
});

const readCustomer = controlEndpoint({
  method: "GET",
  path: "/v1/admin/accounts/:id",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Read an account",
  faults: ["not_found"],
  response: customerResponseSchema,
  handle: async ({ services, params }) => toCustomerResponse(await findCustomer(services, params.id)),
});

const changeCustomer = controlEndpoint({
  method: "PATCH",
  path: "/v1/admin/accounts/:id",
  permission: "operator.change",
  audit: {
    action: "account.change",
    accountOf: ({ params }) => params.id,
    details: ({ body }) => body,
  },
  status: 200,
  tag: "Operator",
  summary: "Rename, limit or suspend an account",
  description:
    "`provider` renames its models too; what was counted stays under the old name. Only here an account gets a name that resembles a known provider's. A suspended account can be looked at, but neither spends nor changes anything, on every instance within a second. Its models are routed to as before: suspend them by themselves.",
  faults: ["not_found", "conflict"],
  body: z.object({
    name: lineSchema().optional(),
    provider: providerNameSchema.optional().describe("The name under which its models appear."),
    suspended: z.boolean().optional(),
    requests_per_minute: z
      .int()
      .min(1)
      .max(10_000_000)
      .nullable()
      .optional()
      .describe("What all its keys may send a minute together; null: what the service allows every account."),
    reason: storableText(z.string().trim().max(500)).optional().describe("For the account's audit log."),
  }),
  response: customerResponseSchema,
  async handle({ services, params, body }) {
    const { id, operator, provider } = await findCustomer(services, params.id);
    if (operator && body.suspended === true)
      throw new Fault("conflict", "The operator's own account can't be suspended.", { param: "suspended" });
    if (operator && typeof body.requests_per_minute === "number")
      throw new Fault("conflict", "The operator's own account has no ceiling; its keys have limits of their own.", {
        param: "requests_per_minute",
      });
    if (body.provider !== undefined && body.provider !== provider) {
      if (operator)
        throw new Fault("conflict", "The operator's organisation keeps its provider name.", { param: "provider" });
      refuseKeptProviderName(body.provider);
      if (!(await services.identity.accounts.renameProvider(id, body.provider))) throw takenProviderName(body.provider);
      await services.providers.catalogue.reload();
    }
    await services.identity.customers.change(id, body);
    services.identity.keyring.invalidate();
    return toCustomerResponse(await findCustomer(services, id));
  },
});

export async function findCustomer(services: Services, id: string | undefined): Promise<Customer> {
  const found = id !== undefined && isId(id) ? await services.identity.customers.find(id) : undefined;
  if (found === undefined)
    throw new Fault("not_found", "There is no such account. List them with GET /v1/admin/accounts.");
  return found;
}

function toCustomerResponse(row: Customer) {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    operator: row.operator,
    created_at: row.created_at.toISOString(),
    suspended: row.suspended_at !== null,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    closed_at: row.closed_at?.toISOString() ?? null,
    requests_per_minute: row.requests_per_minute,
    balance: toCredits(row.balance),
    last_30_days: { requests: Number(row.requests), cost: toCredits(row.spent) },
    members: Number(row.members),
    owner: row.owner,
    models: Number(row.models),
    cluster: row.cluster,
  };
}

export const operatorCustomerEndpoints: readonly Endpoint[] = [listCustomers, readCustomer, changeCustomer];
