import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { ORDER_STATES } from "@trunkline/core/ledger-kinds.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { CardOrder } from "../../../payments/card/card-order.ts";
import type { AccountOrder, UnknownPayment } from "../../../payments/card/card-store.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint, publicEndpoint } from "../endpoint.ts";

/** The largest amounts that any service may set; its own bounds are in `GET /v1/billing/methods`. */
const AMOUNT_MAX = 1_000_000;

const orderResponseSchema = z.object({
  id: z.string(),
  kind: z.enum(["checkout", "auto"]).describe("`auto`: charged to the saved card by an automatic top-up."),
  state: z.enum(ORDER_STATES).describe("`mismatch`: something else was paid than was ordered; nothing is credited."),
  credits: z.number(),
  currency: z.string(),
  refunded: z.number(),
  disputed: z.number(),
  dispute_state: z.string().nullable(),
  reason: z.string().nullable().describe("Why it was not paid."),
  created_at: z.string(),
  paid_at: z.string().nullable(),
});

function toOrderResponse(order: CardOrder): z.infer<typeof orderResponseSchema> {
  return {
    id: order.id,
    kind: order.kind,
    state: order.state,
    credits: toCredits(order.credits),
    currency: order.currency,
    refunded: toCredits(order.refunded),
    disputed: toCredits(order.disputed),
    dispute_state: order.disputeState ?? null,
    reason: order.reason ?? null,
    created_at: order.createdAt.toISOString(),
    paid_at: order.paidAt?.toISOString() ?? null,
  };
}

/** The ways to pay by card, or a 404 where the service has none. */
function requireCards({ card }: Services) {
  if (card === undefined) throw new Fault("not_found", "This service does not take cards.");
  return { card: card.payments, autoTopUps: card.autoTopUps };
}

const openCheckout = controlEndpoint({
  method: "POST",
  path: "/v1/billing/checkout",
  permission: "billing.change",
  audit: { action: "billing.checkout", details: ({ body }) => ({ amount: body.amount, save_card: body.save_card }) },
  status: 201,
  tag: "Billing",
  summary: "Buy credits by card",
  description:
    "Open `url` in a browser and pay there. The credits are added when the payment is confirmed; `GET /v1/billing/orders/{id}` tells. The smallest and the largest amount are in `GET /v1/billing/methods`.",
  faults: ["not_found", "provider_error"],
  body: z.object({
    amount: creditsSchema(0.01, AMOUNT_MAX).describe("The credits to buy. One costs one unit of the currency."),
    save_card: z.boolean().default(false).describe("Whether the card may be charged for automatic top-ups later."),
  }),
  response: z.object({ id: z.string().describe("The order."), url: z.string() }),
  handle: ({ services, caller, body }) =>
    requireCards(services).card.openCheckout(caller.accountId, toNanoCredits(body.amount), body.save_card),
});

const listOrders = controlEndpoint({
  method: "GET",
  path: "/v1/billing/orders",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Orders that are paid by card, newest first",
  faults: ["not_found"],
  query: pageQuery,
  response: pageResponseSchema(orderResponseSchema),
  handle: ({ services, caller, query }) => {
    const { store } = requireCards(services).card;
    const filter = { accountId: caller.accountId, state: undefined, takenBack: false };
    return listPage(query, (limit, cursor) => store.list(filter, limit, cursor), toOrderResponse);
  },
});

const readOrder = controlEndpoint({
  method: "GET",
  path: "/v1/billing/orders/:id",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "An order",
  faults: ["not_found"],
  response: orderResponseSchema,
  async handle({ services, caller, params }) {
    const { store } = requireCards(services).card;
    const order = isId(params.id ?? "") ? await store.find(params.id ?? "") : undefined;
    if (order === undefined || order.accountId !== caller.accountId)
      throw new Fault("not_found", "There is no such order. List yours with GET /v1/billing/orders.");
    return toOrderResponse(order);
  },
});

const autoTopUpFields = {
  enabled: z.boolean(),
  threshold: creditsSchema(0.01, AMOUNT_MAX).describe("A payment is made when the balance falls below this."),
  amount: creditsSchema(0.01, AMOUNT_MAX).describe("The credits that are bought; not below `threshold`."),
  monthly_ceiling: creditsSchema(0.01, AMOUNT_MAX).describe(
    "The most credits that are bought automatically in a month of the account's time zone.",
  ),
};

const autoTopUpResponseSchema = z.object({
  enabled: z.boolean(),
  threshold: z.number().nullable().describe("null: never set."),
  amount: z.number().nullable(),
  monthly_ceiling: z.number().nullable(),
  bought_this_month: z.number(),
  stopped_reason: z.string().nullable().describe("Why the service has stopped it, such as a declined card."),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable().describe("The card that is charged."),
});

async function autoTopUpOf(services: Services, accountId: string): Promise<z.infer<typeof autoTopUpResponseSchema>> {
  const { card, autoTopUps } = requireCards(services);
  const topUp = await autoTopUps.store.find(accountId);
  const saved = await card.store.savedCard(accountId);
  return {
    enabled: topUp?.enabled ?? false,
    threshold: topUp === undefined ? null : toCredits(topUp.threshold),
    amount: topUp === undefined ? null : toCredits(topUp.amount),
    monthly_ceiling: topUp === undefined ? null : toCredits(topUp.monthlyCeiling),
    bought_this_month: toCredits(topUp?.paidThisMonth ?? 0n),
    stopped_reason: topUp?.stoppedReason ?? null,
    card: saved === undefined ? null : { brand: saved.brand, last4: saved.last4 },
  };
}

const readAutoTopUp = controlEndpoint({
  method: "GET",
  path: "/v1/billing/auto-top-up",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Automatic top-ups",
  faults: ["not_found"],
  response: autoTopUpResponseSchema,
  handle: ({ services, caller }) => autoTopUpOf(services, caller.accountId),
});

const setAutoTopUp = controlEndpoint({
  method: "PUT",
  path: "/v1/billing/auto-top-up",
  permission: "billing.change",
  audit: { action: "billing.auto_top_up", details: ({ body }) => body },
  status: 200,
  tag: "Billing",
  summary: "Set automatic top-ups",
  description:
    "Each fall of the balance below `threshold` is paid for once with the saved card. After a declined payment they are stopped until they are set again.",
  faults: ["not_found", "conflict"],
  body: z.object(autoTopUpFields),
  response: autoTopUpResponseSchema,
  async handle({ services, caller, body }) {
    await requireCards(services).autoTopUps.set(caller.accountId, {
      enabled: body.enabled,
      threshold: toNanoCredits(body.threshold),
      amount: toNanoCredits(body.amount),
      monthlyCeiling: toNanoCredits(body.monthly_ceiling),
    });
    return autoTopUpOf(services, caller.accountId);
  },
});

const forgetCard = controlEndpoint({
  method: "DELETE",
  path: "/v1/billing/card",
  permission: "billing.change",
  audit: { action: "billing.forget_card" },
  status: 204,
  tag: "Billing",
  summary: "Remove the saved card",
  description: "Automatic top-ups are switched off with it.",
  faults: ["not_found", "provider_error"],
  response: z.null(),
  handle: ({ services, caller }) => requireCards(services).card.forgetCard(caller.accountId),
});

const receiveEvent = publicEndpoint({
  method: "POST",
  path: "/v1/stripe/webhook",
  status: 200,
  tag: "Billing",
  summary: "Receive an event of Stripe",
  description: "For Stripe alone: the body is believed only with its signature, which may be at most 300 s old.",
  faults: ["not_found", "provider_error"],
  body: z.looseObject({}).describe("An event, as Stripe sends it."),
  rawBody: true,
  response: z.object({ received: z.literal(true) }),
  async handle({ services, body, request }) {
    const { card } = requireCards(services);
    const signature = request.headers["stripe-signature"];
    // As it was sent: the signature is over its bytes.
    const text: unknown = body;
    await card.receive(typeof text === "string" ? text : "", typeof signature === "string" ? signature : undefined);
    return { received: true };
  },
});

const operatorOrderSchema = orderResponseSchema.extend({
  account_id: z.string(),
  account_name: z.string(),
  payment_id: z.string().nullable().describe("Stripe's name for the payment."),
});

function toOperatorOrder(order: AccountOrder): z.infer<typeof operatorOrderSchema> {
  return {
    ...toOrderResponse(order),
    account_id: order.accountId,
    account_name: order.accountName,
    payment_id: order.paymentId ?? null,
  };
}

const listPayments = controlEndpoint({
  method: "GET",
  path: "/v1/admin/payments",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Card payments of all accounts, newest first",
  faults: ["not_found"],
  query: pageQuery.extend({
    state: z.enum(ORDER_STATES).optional(),
    taken_back: z.enum(["true", "false"]).default("false").describe("Only those that were refunded or disputed."),
  }),
  response: pageResponseSchema(operatorOrderSchema),
  handle: ({ services, query }) => {
    const { store } = requireCards(services).card;
    const filter = { accountId: undefined, state: query.state, takenBack: query.taken_back === "true" };
    return listPage(query, (limit, cursor) => store.list(filter, limit, cursor), toOperatorOrder);
  },
});

const UNKNOWN_PAYMENTS_MAX = 500;

const unknownPaymentSchema = z.object({
  id: z.string().describe("Stripe's name for the payment."),
  event: z.string(),
  amount: z.number().nullable().describe("In the smallest unit of the currency."),
  currency: z.string().nullable(),
  reference: z.string().nullable().describe("What it says it is for."),
  created_at: z.string(),
});

function toUnknownPayment(payment: UnknownPayment): z.infer<typeof unknownPaymentSchema> {
  return {
    id: payment.id,
    event: payment.eventType,
    amount: payment.amount === undefined ? null : Number(payment.amount),
    currency: payment.currency ?? null,
    reference: payment.reference ?? null,
    created_at: payment.createdAt.toISOString(),
  };
}

const listUnknownPayments = controlEndpoint({
  method: "GET",
  path: "/v1/admin/payments/unknown",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Card payments that belong to no order, newest first",
  description: "They are never credited: look at them at Stripe, and refund or grant by hand.",
  faults: ["not_found"],
  response: z.object({ data: z.array(unknownPaymentSchema), next_cursor: z.null() }),
  async handle({ services }) {
    const payments = await requireCards(services).card.store.listUnknownPayments(UNKNOWN_PAYMENTS_MAX);
    return { data: payments.map(toUnknownPayment), next_cursor: null };
  },
});

export const cardPaymentEndpoints: readonly Endpoint[] = [
  openCheckout,
  listOrders,
  readOrder,
  readAutoTopUp,
  setAutoTopUp,
  forgetCard,
  receiveEvent,
];
export const operatorPaymentEndpoints: readonly Endpoint[] = [listPayments, listUnknownPayments];
