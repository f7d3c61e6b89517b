import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { storableText } from "@trunkline/core/storable.ts";
import { z } from "zod";
import { CODE_STATES } from "../../../ledger/billing/redeem-codes.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-page.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import {
  createRedeemCodesSchema,
  redeemCodeResponseSchema,
  toRedeemCodeResponse,
  toRedeemCodeTerms,
} from "./redeem-code.ts";

/** Codes can't be guessed; whoever tries all the same is slowed down. */
const TRIES_PER_ACCOUNT = 10;
const TRIES_PER_ADDRESS = 30;

const redeem = controlEndpoint({
  method: "POST",
  path: "/v1/redeem",
  permission: "billing.change",
  audit: {
    action: "code.redeem",
    details: (_visit, result) => ({ credits: result.credits, transaction_id: result.transaction_id }),
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
    const { amount, balance, number } = await services.redeemCodes.redeem(caller.accountId, body.code, () =>
      services.tryLimiter.take("redeem", [
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
    const made = await services.redeemCodes.create(body.count, terms);
    return {
      data: made.map(({ code, kept }) => ({ ...toRedeemCodeResponse(kept), code })),
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
        services.redeemCodeStore.list({ state: query.state, text: query.q || undefined }, limit, cursor),
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
    if (!isId(id) || !(await services.redeemCodeStore.stop(id)))
      throw new Fault("not_found", "There is no such code. List them with GET /v1/admin/codes.");
  },
});

export const redeemEndpoints: readonly Endpoint[] = [redeem];
export const operatorCodeEndpoints: readonly Endpoint[] = [createCodes, listCodes, stopCode];
