import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import { CODE_STATES } from "../../../ledger/billing/redeem-codes.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { codeDraft, codeShown, codeTermsOf, codeToWire } from "./redeem-code.ts";

/** Codes can't be guessed; whoever tries all the same is slowed down. */
const TRIES_OF_ACCOUNT = 10;
const TRIES_OF_ADDRESS = 30;

const redeem = control({
  method: "POST",
  path: "/v1/redeem",
  power: "billing.change",
  deed: {
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
  answer: z.object({
    credits: z.number().describe("What was added."),
    balance: z.number().describe("What the account has now."),
    transaction_id: z.string().describe("The transaction, and the number of its receipt."),
  }),
  async handle({ house, caller, body, request }) {
    const { amount, balance, number } = await house.codes.redeem(caller.accountId, body.code, () =>
      house.tries.take("redeem", [
        { name: caller.accountId, limit: TRIES_OF_ACCOUNT },
        { name: request.ip, limit: TRIES_OF_ADDRESS },
      ]),
    );
    return { credits: toCredits(amount), balance: toCredits(balance), transaction_id: number };
  },
});

const makeCodes = control({
  method: "POST",
  path: "/v1/admin/codes",
  power: "operator.change",
  deed: {
    action: "code.create",
    details: ({ body }) => ({ credits: body.credits, count: body.count, uses: body.uses, note: body.note }),
  },
  status: 201,
  tag: "Operator",
  summary: "Make codes that can be redeemed for credits",
  description: "`code` is shown here and never again: only a hash of it is kept.",
  faults: [],
  body: codeDraft,
  answer: z.object({ data: z.array(codeShown.extend({ code: z.string() })), next_cursor: z.null() }),
  async handle({ house, body }) {
    const terms = codeTermsOf(body);
    if (terms.expiresAt !== undefined && terms.expiresAt.getTime() <= house.clock.now()) {
      throw new Fault("invalid_request", "`expires_at` must be in the future.", { param: "expires_at" });
    }
    const made = await house.codes.make(body.count, terms);
    return { data: made.map(({ code, kept }) => ({ ...codeToWire(kept), code })), next_cursor: null };
  },
});

const listCodes = control({
  method: "GET",
  path: "/v1/admin/codes",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List codes, newest first",
  faults: [],
  query: pageQuery.extend({
    state: z.enum(CODE_STATES).optional(),
    q: storable(z.string().max(128)).optional().describe("A part of the hint or of the note."),
  }),
  answer: pageOf(codeShown),
  handle: ({ house, query }) =>
    listPage(
      query,
      (limit, cursor) =>
        house.redeemCodes.list({ state: query.state, words: query.q || undefined }, limit, cursor),
      codeToWire,
    ),
});

const stopCode = control({
  method: "DELETE",
  path: "/v1/admin/codes/:id",
  power: "operator.change",
  deed: { action: "code.stop" },
  status: 204,
  tag: "Operator",
  summary: "Stop a code",
  description: "What was redeemed stays redeemed.",
  faults: ["not_found"],
  answer: z.null(),
  async handle({ house, params }) {
    const id = params.id ?? "";
    if (!isId(id) || !(await house.redeemCodes.stop(id)))
      throw new Fault("not_found", "There is no such code. List them with GET /v1/admin/codes.");
  },
});

export const redeemEndpoints: readonly Endpoint[] = [redeem];
export const codeEndpoints: readonly Endpoint[] = [makeCodes, listCodes, stopCode];
