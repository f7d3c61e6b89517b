import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Stripe } from "stripe";
import type { Config } from "../../src/app/config/config.ts";
import { readConfig } from "../../src/app/config/config.ts";

export const STRIPE_KEY = "sk_test_of_the_stand_in";
export const STRIPE_WEBHOOK_SECRET = "whsec_of_the_stand_in";

interface Session {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
  readonly savesCard: boolean;
  readonly successUrl: string;
  paymentId: string | undefined;
  state: "open" | "complete" | "expired";
}

interface Payment {
  readonly id: string;
  readonly orderId: string | undefined;
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  status: string;
  refunded: number;
  readonly disputes: { readonly id: string; readonly amount: number; status: string }[];
}

/** What a signed event is sent as. */
export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

/**
 * Speaks the part of Stripe's API that the service uses, and makes signed events. Nothing is sent by itself, except by its
 * payment page.
 */
export class StripeStandIn {
  readonly sessions = new Map<string, Session>();
  readonly payments = new Map<string, Payment>();
  /** Calls that created something, by their idempotency key. */
  readonly created = new Map<string, string>();
  /** The message with which the next charges of saved cards are declined. */
  decline: string | undefined;
  /** How many calls are answered with an error before they are served again. */
  failures = 0;
  /** Where the payment page sends its events, and the people who have paid. */
  serviceUrl: string | undefined;
  calls = 0;
  #count = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async start(): Promise<StripeStandIn> {
    const standIn = new StripeStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The variables with which a service uses this stand-in. */
  get environment(): Readonly<Record<string, string>> {
    return {
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET,
      STRIPE_API_BASE: this.url,
      TRUNKLINE_CARD_SMALLEST: "1",
    };
  }

  /** Changes a configuration so that the service uses this stand-in. */
  readonly configure = (config: Config): Config => ({ ...config, card: readConfig(this.environment).card });

  sessionOf(orderId: string): Session {
    const session = [...this.sessions.values()].find((one) => one.orderId === orderId);
    if (session === undefined) throw new Error(`There is no checkout of order ${orderId}.`);
    return session;
  }

  paymentOf(orderId: string): Payment {
    const payment = [...this.payments.values()].find((one) => one.orderId === orderId);
    if (payment === undefined) throw new Error(`There is no payment of order ${orderId}.`);
    return payment;
  }

  /** Pays a checkout; `amount` and `currency` may differ from what was asked for. */
  pay(session: Session, status = "succeeded", amount = session.amount, currency = session.currency): Payment {
    const payment = this.#addPayment(session.orderId, amount, currency, status, session.savesCard ? "cus_1" : null);
    session.paymentId = payment.id;
    session.state = "complete";
    return payment;
  }

  /** A payment that none of our orders asked for. */
  addForeignPayment(amount: number, orderId?: string): Payment {
    return this.#addPayment(orderId, amount, "usd", "succeeded", null);
  }

  dispute(payment: Payment, amount: number) {
    const dispute = { id: `dp_${++this.#count}`, amount, status: "needs_response" };
    payment.disputes.push(dispute);
    return dispute;
  }

  /** An event about a session, a payment, a refund or a dispute as it is now, signed at `at`. */
  event(type: string, about: Session | Payment, at = Date.now(), secret = STRIPE_WEBHOOK_SECRET): SignedEvent {
    const isSession = "successUrl" in about;
    const object = isSession
      ? this.#sessionJson(about, false)
      : type.startsWith("payment_intent.")
        ? this.#paymentJson(about, false)
        : type === "charge.refunded"
          ? this.#chargeJson(about)
          : {
              id: `${type}_${about.id}`,
              object: type.includes("dispute") ? "dispute" : "refund",
              payment_intent: about.id,
            };
    const body = JSON.stringify({ id: `evt_${++this.#count}`, object: "event", type, data: { object } });
    return this.sign(body, at, secret);
  }

  /** Any text, signed as an event. */
  sign(body: string, at = Date.now(), secret = STRIPE_WEBHOOK_SECRET): SignedEvent {
    return { body, signature: signatureOf(body, at, secret) };
  }

  #addPayment(orderId: string | undefined, amount: number, currency: string, status: string, customer: string | null) {
    const id = `pi_${++this.#count}`;
    const payment: Payment = { id, orderId, amount, currency, customer, status, refunded: 0, disputes: [] };
    this.payments.set(id, payment);
    return payment;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const body = new URLSearchParams(await textOf(request));
    const answer = (status: number, json: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    };
    const page = /^\/pay\/(\w+)$/.exec(url.pathname);
    if (page !== null) return this.#servePage(request, response, page[1] ?? "");
    this.calls += 1;
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`)
      return answer(401, errorJson("invalid_request_error", "No such key."));
    if (this.failures > 0) {
      this.failures -= 1;
      return answer(500, errorJson("api_error", "Stripe is not well."));
    }
    const [, , ...path] = url.pathname.split("/");
    const route = `${request.method} ${path.join("/")}`;
    const key = String(request.headers["idempotency-key"] ?? "");
    if (route === "POST checkout/sessions") return answer(200, this.#sessionJson(this.#openSession(body, key), false));
    if (route.startsWith("GET checkout/sessions/")) {
      const session = this.sessions.get(path[2] ?? "");
      return session === undefined
        ? answer(404, errorJson("invalid_request_error", "No such session."))
        : answer(200, this.#sessionJson(session, true));
    }
    if (route === "POST payment_intents") {
      if (this.decline !== undefined) return answer(402, errorJson("card_error", this.decline));
      const known = this.created.get(key);
      const payment =
        (known && this.payments.get(known)) ||
        this.#addPayment(
          body.get("metadata[order_id]") ?? undefined,
          Number(body.get("amount")),
          body.get("currency") ?? "",
          "succeeded",
          body.get("customer"),
        );
      this.created.set(key, payment.id);
      return answer(200, this.#paymentJson(payment, true));
    }
    if (route.startsWith("GET payment_intents/")) {
      const payment = this.payments.get(path[1] ?? "");
      return payment === undefined
        ? answer(404, errorJson("invalid_request_error", "No such payment."))
        : answer(200, this.#paymentJson(payment, true));
    }
    if (route === "GET disputes") {
      const disputes = this.payments.get(url.searchParams.get("payment_intent") ?? "")?.disputes ?? [];
      return answer(200, {
        object: "list",
        has_more: false,
        url: "/v1/disputes",
        data: disputes.map((dispute) => ({ ...dispute, object: "dispute", currency: "usd" })),
      });
    }
    if (/^POST payment_methods\/\w+\/detach$/.test(route))
      return answer(200, { id: path[1], object: "payment_method" });
    answer(404, errorJson("invalid_request_error", `There is no ${route}.`));
  }

  #openSession(body: URLSearchParams, key: string): Session {
    const known = this.sessions.get(this.created.get(key) ?? "");
    if (known !== undefined) return known;
    const session: Session = {
      id: `cs_${++this.#count}`,
      orderId: body.get("client_reference_id") ?? "",
      amount: Number(body.get("line_items[0][price_data][unit_amount]")),
      currency: body.get("line_items[0][price_data][currency]") ?? "",
      savesCard: body.get("payment_intent_data[setup_future_usage]") === "off_session",
      successUrl: body.get("success_url") ?? "",
      paymentId: undefined,
      state: "open",
    };
    this.sessions.set(session.id, session);
    this.created.set(key, session.id);
    return session;
  }

  /** The page on which a person pays: a button, then the event, then the way back. */
  async #servePage(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (session === undefined) return void response.writeHead(404).end();
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/html" });
      return void response.end(
        `<!doctype html><title>Pay</title><form method="post"><button>Pay ${session.amount / 100} ${session.currency}</button></form>`,
      );
    }
    if (session.state === "open") this.pay(session);
    const { pathname, search } = new URL(session.successUrl);
    response.writeHead(303, { location: `${this.serviceUrl ?? ""}${pathname}${search}` }).end();
    if (this.serviceUrl !== undefined)
      await deliver(this.serviceUrl, this.event("checkout.session.completed", session));
  }

  #sessionJson(session: Session, expanded: boolean) {
    const payment = this.payments.get(session.paymentId ?? "");
    const isPaid = payment?.status === "succeeded";
    return {
      id: session.id,
      object: "checkout.session",
      client_reference_id: session.orderId,
      metadata: { order_id: session.orderId },
      amount_total: session.amount,
      currency: session.currency,
      status: session.state,
      payment_status: isPaid ? "paid" : "unpaid",
      payment_intent: payment === undefined ? null : expanded ? this.#paymentJson(payment, true) : payment.id,
      url: `${this.url}/pay/${session.id}`,
    };
  }

  #paymentJson(payment: Payment, expanded: boolean) {
    const isPaid = payment.status === "succeeded";
    return {
      id: payment.id,
      object: "payment_intent",
      status: payment.status,
      amount: payment.amount,
      amount_received: isPaid ? payment.amount : 0,
      currency: payment.currency,
      customer: payment.customer,
      metadata: payment.orderId === undefined ? {} : { order_id: payment.orderId },
      last_payment_error: null,
      latest_charge: !isPaid ? null : expanded ? this.#chargeJson(payment) : `ch_${payment.id}`,
      payment_method: expanded
        ? { id: "pm_1", object: "payment_method", card: { brand: "visa", last4: "4242" } }
        : "pm_1",
    };
  }

  #chargeJson(payment: Payment) {
    return {
      id: `ch_${payment.id}`,
      object: "charge",
      payment_intent: payment.id,
      amount: payment.amount,
      amount_refunded: payment.refunded,
      disputed: payment.disputes.length > 0,
      metadata: payment.orderId === undefined ? {} : { order_id: payment.orderId },
    };
  }
}

/** Signs as Stripe does, with its own helper. */
function signatureOf(payload: string, at: number, secret: string): string {
  const { webhooks } = signer;
  return webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1000) });
}

const signer = new Stripe(STRIPE_KEY);

/** Sends an event to a service. Returns the status. */
export async function deliver(serviceUrl: string, { body, signature }: SignedEvent): Promise<number> {
  const response = await fetch(`${serviceUrl}/v1/stripe/webhook`, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
    body,
  });
  await response.text();
  return response.status;
}

function errorJson(type: string, message: string) {
  return { error: { type, message } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
