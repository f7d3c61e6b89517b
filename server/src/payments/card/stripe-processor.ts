import type { Secret } from "@trunkline/core/secret.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { Stripe } from "stripe";
import type { CardOrder, CardPayment, SavedCard } from "./card-order.ts";
import { CardDeclined, type CardEvent, type CardProcessor, InvalidEvent, ProcessorFailure } from "./card-processor.ts";
import { DialerHttpClient } from "./dialer-http-client.ts";

export interface StripeSettings {
  readonly secretKey: Secret;
  readonly webhookSecret: Secret;
  /** The address of the API. */
  readonly apiBase: string;
}

const CALL_MS = 20_000;
/** How old the signature of an event may be. */
const TOLERANCE_SECONDS = 300;
const PRODUCT_NAME = "Credits";

/** Disputes in these states hold no money back: inquiries, and those that were decided for us. */
const HARMLESS_DISPUTES: ReadonlySet<string> = new Set([
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
  "prevented",
  "won",
]);

/** Card payments by Stripe, with its own library over our connections. */
export function createStripeProcessor(settings: StripeSettings, dialer: Dialer): CardProcessor {
  const base = new URL(settings.apiBase);
  const stripe = new Stripe(settings.secretKey.reveal(), {
    httpClient: new DialerHttpClient(dialer),
    host: base.hostname,
    port: base.port === "" ? (base.protocol === "https:" ? 443 : 80) : Number(base.port),
    protocol: base.protocol === "https:" ? "https" : "http",
    timeout: CALL_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });

  async function disputesOf(paymentId: string): Promise<Pick<CardPayment, "disputed" | "disputeState">> {
    const disputes = await stripe.disputes.list({ payment_intent: paymentId, limit: 100 });
    const held = disputes.data.filter(({ status }) => !HARMLESS_DISPUTES.has(status));
    return {
      disputed: held.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      disputeState: (held[0] ?? disputes.data[0])?.status,
    };
  }

  /** Adds what is known of the money to how far the payment is. */
  async function describe(
    intent: Stripe.PaymentIntent,
    orderId: string | undefined,
    state: CardPayment["state"],
  ): Promise<CardPayment> {
    const charge = typeof intent.latest_charge === "object" ? intent.latest_charge : null;
    const dispute = charge?.disputed === true ? await disputesOf(intent.id) : undefined;
    return {
      orderId,
      paymentId: intent.id,
      state,
      amount: BigInt(intent.amount_received),
      currency: intent.currency,
      refunded: BigInt(charge?.amount_refunded ?? 0),
      disputed: dispute?.disputed ?? 0n,
      disputeState: dispute?.disputeState,
      reason: intent.last_payment_error?.message,
      card: cardOf(intent),
    };
  }

  async function readPayment({
    sessionId,
    paymentId,
  }: Pick<CardOrder, "sessionId" | "paymentId">): Promise<CardPayment | undefined> {
    if (sessionId !== undefined) {
      const session = await stripe.checkout.sessions.retrieve(sessionId, {
        expand: ["payment_intent.latest_charge", "payment_intent.payment_method"],
      });
      const orderId = session.client_reference_id ?? session.metadata?.order_id;
      const intent = session.payment_intent;
      if (typeof intent !== "object" || intent === null) {
        return { ...NOTHING_PAID, orderId, state: session.status === "expired" ? "expired" : "open" };
      }
      return describe(intent, orderId, stateOfSession(session, intent));
    }
    if (paymentId === undefined) return undefined;
    const intent = await stripe.paymentIntents.retrieve(paymentId, { expand: ["latest_charge", "payment_method"] });
    return describe(intent, intent.metadata.order_id, stateOfIntent(intent));
  }

  return {
    async openCheckout(order, { successUrl, cancelUrl }, customerId) {
      const metadata = { order_id: order.id };
      const creation = stripe.checkout.sessions.create(
        {
          mode: "payment",
          client_reference_id: order.id,
          metadata,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: order.currency,
                unit_amount: Number(order.amount),
                product_data: { name: PRODUCT_NAME },
              },
            },
          ],
          payment_intent_data: { metadata, ...(order.savesCard ? { setup_future_usage: "off_session" as const } : {}) },
          ...(customerId === undefined ? {} : { customer: customerId }),
          ...(customerId === undefined && order.savesCard ? { customer_creation: "always" as const } : {}),
          success_url: successUrl,
          cancel_url: cancelUrl,
        },
        { idempotencyKey: order.id },
      );
      const session = await creation.catch(throwFailure);
      if (session.url === null) throw new Error("Stripe opened a checkout without an address.");
      return { sessionId: session.id, url: session.url };
    },

    async chargeCard(order, card) {
      try {
        const intent = await stripe.paymentIntents.create(
          {
            amount: Number(order.amount),
            currency: order.currency,
            customer: card.customerId,
            payment_method: card.paymentMethodId,
            off_session: true,
            confirm: true,
            metadata: { order_id: order.id },
          },
          { idempotencyKey: order.id },
        );
        return intent.id;
      } catch (error) {
        if (error instanceof Stripe.errors.StripeCardError) throw new CardDeclined(error.message, { cause: error });
        throwFailure(error);
      }
    },

    readPayment: (order) => readPayment(order).catch(throwFailure),

    async removeCard({ paymentMethodId }) {
      await stripe.paymentMethods.detach(paymentMethodId).catch((error: unknown) => {
        // It is detached already.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throwFailure(error);
      });
    },

    readEvent(body, signature) {
      const secret = settings.webhookSecret.reveal();
      let event: Stripe.Event | null;
      try {
        event = stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS);
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError)
          throw new InvalidEvent("The signature of this event is missing, wrong or too old.", { cause: error });
        // It is signed, and still no JSON.
        if (error instanceof SyntaxError) throw new InvalidEvent("This is no event of Stripe.", { cause: error });
        throw error;
      }
      if (event === null || typeof event !== "object") throw new InvalidEvent("This is no event of Stripe.");
      return readStripeEvent(event);
    },
  };
}

function throwFailure(error: unknown): never {
  if (error instanceof Stripe.errors.StripeError) throw new ProcessorFailure(error);
  throw error;
}

const NOTHING_PAID: CardPayment = {
  orderId: undefined,
  paymentId: undefined,
  state: "open",
  amount: 0n,
  currency: "",
  refunded: 0n,
  disputed: 0n,
  disputeState: undefined,
  reason: undefined,
  card: undefined,
};

function stateOfSession(session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent): CardPayment["state"] {
  if (session.payment_status === "paid" && intent.status === "succeeded") return "paid";
  if (session.status === "expired") return "expired";
  const isOver = session.status === "complete" && intent.status === "requires_payment_method";
  return isOver || intent.status === "canceled" ? "failed" : "open";
}

/** A payment without its owner can't wait for them. */
function stateOfIntent({ status }: Stripe.PaymentIntent): CardPayment["state"] {
  if (status === "succeeded") return "paid";
  return status === "processing" || status === "requires_capture" ? "open" : "failed";
}

function cardOf(intent: Stripe.PaymentIntent): SavedCard | undefined {
  const method = intent.payment_method;
  const customerId = typeof intent.customer === "object" ? intent.customer?.id : intent.customer;
  if (typeof method !== "object" || method?.card === undefined || customerId === undefined) return undefined;
  return { customerId, paymentMethodId: method.id, brand: method.card.brand, last4: method.card.last4 };
}

/** What an event is about; undefined where it concerns no payment. */
function readStripeEvent(event: Stripe.Event): CardEvent | undefined {
  const nothing = { type: event.type, orderId: undefined, sessionId: undefined, paymentId: undefined, paid: undefined };
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired": {
      const session = event.data.object;
      const { amount_total: amount, currency } = session;
      const isPaid = session.payment_status === "paid" && amount !== null && currency !== null;
      return {
        ...nothing,
        orderId: session.client_reference_id ?? session.metadata?.order_id,
        sessionId: session.id,
        paymentId: idOf(session.payment_intent),
        paid: isPaid ? { amount: BigInt(amount), currency } : undefined,
      };
    }
    case "payment_intent.succeeded":
    case "payment_intent.payment_failed":
    case "payment_intent.canceled": {
      const intent = event.data.object;
      return {
        ...nothing,
        orderId: intent.metadata.order_id,
        paymentId: intent.id,
        paid:
          intent.status === "succeeded"
            ? { amount: BigInt(intent.amount_received), currency: intent.currency }
            : undefined,
      };
    }
    case "charge.refunded":
      return {
        ...nothing,
        orderId: event.data.object.metadata.order_id,
        paymentId: idOf(event.data.object.payment_intent),
      };
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated":
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
      return { ...nothing, paymentId: idOf(event.data.object.payment_intent) };
    default:
      return undefined;
  }
}

function idOf(reference: string | { readonly id: string } | null): string | undefined {
  return typeof reference === "string" ? reference : reference?.id;
}
