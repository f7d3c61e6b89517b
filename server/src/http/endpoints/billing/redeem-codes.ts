import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { CODE_STATES, type CodeTerms, type RedeemCode } from "../../../ledger/billing/redeem-codes.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

/** The terms of new codes. */
const createRedeemCodesSchema = z.object({
  credits: creditsSchema(0.000000001, 1_000_000),
  count: z.int().min(1).max(1000).default(1).describe("How many codes to make."),
  uses: z.int().min(1).max(100_000).default(1).describe("By how many accounts each may be redeemed."),
  note: storableText(z.string().trim().max(256)).default("").describe("For the operator alone."),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
});

/** A code as the operator sees it, without its secret. */
const redeemCodeResponseSchema = z.object({
  id: z.string(),
  hint: z.string().describe("Enough of the code to recognise it by."),
  credits: z.number(),
  uses: z.number(),
  used: z.number(),
  note: z.string(),
  state: z.enum(CODE_STATES),
  expires_at: z.string().nullable(),
  stopped_at: z.string().nullable(),
  created_at: z.string(),
});

function toRedeemCodeTerms(body: z.infer<typeof createRedeemCodesSchema>): CodeTerms {
  return {
    amount: toNanoCredits(body.credits),
    uses: body.uses,
    note: body.note,
    expiresAt: body.expires_at === undefined || body.expires_at === null ? undefined : new Date(body.expires_at),
  };
}

function toRedeemCodeResponse(code: RedeemCode): z.infer<typeof redeemCodeResponseSchema> {
  return {
    id: code.id,
    hint: code.hint,
    credits: toCredits(code.amount),
    uses: code.uses,
    used: code.used,
    note: code.note,
    state: code.state,
    expires_at: code.expiresAt?.toISOString() ?? null,
    stopped_at: code.stoppedAt?.toISOString() ?? null,
    created_at: code.createdAt.toISOString(),
  };
}

/** Codes can't be guessed. These limits slow down clients that try. */
const TRIES_PER_ACCOUNT = 10;
const TRIES_PER_ADDRESS = 30;

const redeem = controlEndpoint({
  method: "POST",
  path: "/v1/redeem",
  permission: "billing.change",
  audit: {
    action: "code.redeem",
    details: (_context, result) => ({ credits: result.credits, transaction_id: result.transaction_id }),
  },
  status: 200,
  tag: "Billing",
  summary: "Redeem a code for credits",
  description:
    "A code counts once for each account. Case, spaces and dashes don't matter, and O is read as 0, I and L as 1. A mistyped code is told by its checksum before it is looked up.",
  faults: ["invalid_code", "conflict"],
  body: z.object({ code: z.string().min(1).max(128) }),
  response: z.object({
    credits: z.number().describe("What was added."),
    balance: z.number().describe("What the account has now."),
    transaction_id: z.string().describe("The transaction, and the number of its receipt."),
  }),
  async handle({ services, caller, body, request }) {
    const { amount, balance, number } = await services.ledger.redeemCodes.redeem(caller.accountId, body.code, () =>
      services.limits.tryLimiter.take("redeem", [
        { name: caller.accountId, limit: TRIES_PER_ACCOUNT },
        { name: request.ip, limit: TRIES_PER_ADDRESS },
      ]),
    );
    return { credits: toCredits(amount), balance: toCredits(balance), transaction_id: number };
  },
});

const createCodes = controlEndpoint({
  method: "POST",
  path: "/v1/admin/codes",
  permission: "operator.change",
  audit: {
    action: "code.create",
    details: ({ body }) => ({ credits: body.credits, count: body.count, uses: body.uses, note: body.note }),
  },
  status: 201,
  tag: "Operator",
  summary: "Make codes that can be redeemed for credits",
  description: "`code` is shown here and never again: only a hash of it is kept.",
  faults: [],
  body: createRedeemCodesSchema,
  response: z.object({
    data: z.array(redeemCodeResponseSchema.extend({ code: z.string() })),
    next_cursor: z.null(),
  }),
  async handle({ services, body }) {
    const terms = toRedeemCodeTerms(body);
    if (terms.expiresAt !== undefined && terms.expiresAt.getTime() <= services.clock.now()) {
      throw new Fault("invalid_request", "`expires_at` must be in the future.", { param: "expires_at" });
    }
    const created = await services.ledger.redeemCodes.create(body.count, terms);
    return {
      data: created.map(({ code, record }) => ({ ...toRedeemCodeResponse(record), code })),
      next_cursor: null,
    };
  },
});

const listCodes = controlEndpoint({
  method: "GET",
  path: "/v1/admin/codes",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List codes, newest first",
  faults: [],
  query: pageQuery.extend({
    state: z.enum(CODE_STATES).optional(),
    q: storableText(z.string().max(128)).optional().describe("A part of the hint or of the note."),
  }),
  response: pageResponseSchema(redeemCodeResponseSchema),
  handle: ({ services, query }) =>
    listPage(
      query,
      (limit, cursor) =>
        services.ledger.redeemCodeStore.list({ state: query.state, text: query.q || undefined }, limit, cursor),
      toRedeemCodeResponse,
    ),
});

const stopCode = controlEndpoint({
  method: "DELETE",
  path: "/v1/admin/codes/:id",
  permission: "operator.change",
  audit: { action: "code.stop" },
  status: 204,
  tag: "Operator",
  summary: "Stop a code",
  description: "What was redeemed stays redeemed.",
  faults: ["not_found"],
  response: z.null(),
  async handle({ services, params }) {
    const id = params.id ?? "";
    if (!isId(id) || !(await services.ledger.redeemCodeStore.stop(id)))
      throw new Fault("not_found", "There is no such code. List them with GET /v1/admin/codes.");
  },
});

export const redeemEndpoints: readonly Endpoint[] = [redeem];
export const operatorCodeEndpoints: readonly Endpoint[] = [createCodes, listCodes, stopCode];
