import { CREDIT_REQUEST_STATES } from "@trunkline/core/credit-request.ts";
import { creditsSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { CreditRequest } from "../../../ledger/billing/credit-requests.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const creditRequestSchema = z.object({
  id: z.string(),
  message: z.string(),
  requested_by: z.string().nullable().describe("The e-mail address of the person who asked; null: a key asked."),
  state: z.enum(CREDIT_REQUEST_STATES),
  amount: z.number().nullable().describe("What was granted, in credits."),
  reply: z.string().nullable().describe("What the operator wrote."),
  created_at: z.string(),
  decided_at: z.string().nullable(),
});

const stateQuery = pageQuery.extend({ state: z.enum(CREDIT_REQUEST_STATES).optional() });

const createRequest = controlEndpoint({
  method: "POST",
  path: "/v1/billing/credit-requests",
  permission: "billing.change",
  audit: { action: "credit_request.create" },
  status: 201,
  tag: "Billing",
  summary: "Ask the operator for credits",
  description: "An account has one open request at a time, and makes at most five a day.",
  faults: ["conflict"],
  body: z.object({
    message: storableText(z.string().trim().min(1).max(500)).describe(
      "What the credits are for. The operator reads it.",
    ),
  }),
  response: creditRequestSchema,
  handle: async ({ services, caller, body }) =>
    toCreditRequestResponse(await services.ledger.creditRequests.create(caller, body.message)),
});

const listRequests = controlEndpoint({
  method: "GET",
  path: "/v1/billing/credit-requests",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "List your requests for credits, newest first",
  faults: [],
  query: stateQuery,
  response: pageResponseSchema(creditRequestSchema),
  handle: ({ services, caller, query }) =>
    listPage(
      query,
      (limit, cursor) =>
        services.ledger.creditRequests.list({ accountId: caller.accountId, state: query.state }, limit, cursor),
      toCreditRequestResponse,
    ),
});

const withdrawRequest = controlEndpoint({
  method: "DELETE",
  path: "/v1/billing/credit-requests/:id",
  permission: "billing.change",
  audit: { action: "credit_request.withdraw" },
  status: 204,
  tag: "Billing",
  summary: "Withdraw an open request for credits",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.ledger.creditRequests.withdraw(caller, params.id ?? ""),
});

const operatorCreditRequestSchema = creditRequestSchema.extend({
  account: z.object({ id: z.string(), name: z.string(), balance: z.number() }),
});
const replySchema = storableText(z.string().trim().max(500)).optional().describe("Shown to the account.");

const listAllRequests = controlEndpoint({
  method: "GET",
  path: "/v1/admin/credit-requests",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List accounts' requests for credits, newest first",
  faults: [],
  query: stateQuery,
  response: pageResponseSchema(operatorCreditRequestSchema),
  handle: ({ services, query }) =>
    listPage(
      query,
      (limit, cursor) => services.ledger.creditRequests.list({ state: query.state }, limit, cursor),
      toOperatorResponse,
    ),
});

const grantRequest = controlEndpoint({
  method: "POST",
  path: "/v1/admin/credit-requests/:id/grant",
  permission: "operator.change",
  audit: {
    action: "credit_request.grant",
    accountOf: (_, result) => result.account.id,
    details: ({ body }) => ({ amount: body.amount }),
  },
  status: 200,
  tag: "Operator",
  summary: "Grant credits to an account that asked for them",
  faults: ["not_found"],
  body: z.object({ amount: creditsSchema(0.000000001, 1_000_000), reply: replySchema }),
  response: operatorCreditRequestSchema,
  handle: async ({ services, params, body }) =>
    toOperatorResponse(
      await services.ledger.creditRequests.decide(params.id ?? "", {
        state: "granted",
        amount: toNanoCredits(body.amount),
        reply: body.reply || undefined,
      }),
    ),
});

const declineRequest = controlEndpoint({
  method: "POST",
  path: "/v1/admin/credit-requests/:id/decline",
  permission: "operator.change",
  audit: { action: "credit_request.decline", accountOf: (_, result) => result.account.id },
  status: 200,
  tag: "Operator",
  summary: "Decline an account's request for credits",
  faults: ["not_found"],
  body: z.object({ reply: replySchema }),
  bodyOptional: true,
  response: operatorCreditRequestSchema,
  handle: async ({ services, params, body }) =>
    toOperatorResponse(
      await services.ledger.creditRequests.decide(params.id ?? "", {
        state: "declined",
        reply: body.reply || undefined,
      }),
    ),
});

function toCreditRequestResponse(request: CreditRequest) {
  return {
    id: request.id,
    message: request.message,
    requested_by: request.email ?? null,
    state: request.state,
    amount: request.amount === undefined ? null : toCredits(request.amount),
    reply: request.reply ?? null,
    created_at: request.createdAt.toISOString(),
    decided_at: request.decidedAt?.toISOString() ?? null,
  };
}

function toOperatorResponse(request: CreditRequest) {
  return {
    ...toCreditRequestResponse(request),
    account: { id: request.accountId, name: request.accountName, balance: toCredits(request.balance) },
  };
}

export const creditRequestEndpoints: readonly Endpoint[] = [createRequest, listRequests, withdrawRequest];
export const operatorCreditRequestEndpoints: readonly Endpoint[] = [listAllRequests, grantRequest, declineRequest];
