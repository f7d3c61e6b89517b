import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";
import { deliver, StripeStandIn } from "../support/stripe-stand-in.ts";

let stripe: StripeStandIn;
let service: StartedService;
let sibling: StartedService;
let customer: Customer;

beforeAll(async () => {
  stripe = await StripeStandIn.start();
  service = await startService(stripe.configure);
  sibling = await startSibling(service, stripe.configure);
});
beforeEach(async () => {
  customer = await openCustomer(service, 0, { scopes: ["read", "inference", "billing"] });
});
afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await stripe.stop();
});

const call = (method: string, path: string, body?: unknown, key = customer.key) =>
  service.call(method, path, body, { key });

async function order(amount: number, options: Record<string, unknown> = {}) {
  const { status, json, text } = await call("POST", "/v1/billing/checkout", { amount, ...options });
  expect(status, text).toBe(201);
  return { id: json.id as string, session: stripe.sessionOf(json.id) };
}

async function buy(amount: number, options: Record<string, unknown> = {}) {
  const { id, session } = await order(amount, options);
  const payment = stripe.pay(session);
  expect(await deliver(service.url, stripe.event("checkout.session.completed", session))).toBe(200);
  return { id, session, payment };
}

const balance = async () => (await balanceOf(service, customer.key)).balance;
const summary = async () => (await call("GET", "/v1/billing/summary")).json;
const stateOf = async (id: string) => (await call("GET", `/v1/billing/orders/${id}`)).json.state;

async function expectSound(): Promise<void> {
  const { findings } = await auditLedger(service.database);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
}

describe("buying credits by card", () => {
  it("adds them once, whatever events come in which order and to which instance", async () => {
    const { id, session } = await order(25);
    expect(session).toMatchObject({ amount: 2_500, currency: "usd", savesCard: false });
    expect(await deliver(service.url, stripe.event("checkout.session.completed", session))).toBe(200);
    expect([await stateOf(id), await balance()]).toEqual(["open", 0]);
    const payment = stripe.pay(session);
    const events = [
      stripe.event("payment_intent.succeeded", payment),
      stripe.event("checkout.session.completed", session),
      stripe.event("checkout.session.async_payment_succeeded", session),
    ];
    const sent = [...events, ...events].flatMap((event) => [deliver(service.url, event), deliver(sibling.url, event)]);
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    expect([await stateOf(id), await balance()]).toEqual(["paid", 25]);
    const { json } = await call("GET", "/v1/receipts");
    expect(json.data).toMatchObject([{ kind: "purchase", amount: 25, description: `Bought by card, order ${id}` }]);
    await expectSound();
  });

  it("adds nothing for forged and stale events, unpaid ones, and other amounts or currencies", async () => {
    const { id, session } = await order(10);
    const payment = stripe.pay(session, "processing");
    const forged = stripe.event("checkout.session.completed", session, Date.now(), "whsec_of_someone_else");
    const stale = stripe.event("checkout.session.completed", session, Date.now() - 301_000);
    for (const event of [forged, stale, { ...stale, signature: "" }, { ...stale, signature: "t=1,v1=00" }])
      expect(await deliver(service.url, event)).toBe(400);
    expect(await deliver(service.url, stripe.event("checkout.session.completed", session))).toBe(200);
    expect([await stateOf(id), await balance()]).toEqual(["open", 0]);
    payment.status = "succeeded";
    await deliver(service.url, stripe.event("checkout.session.async_payment_succeeded", session));
    expect(await balance()).toBe(10);

    const less = await order(10);
    await deliver(service.url, stripe.event("payment_intent.succeeded", stripe.pay(less.session, "succeeded", 100)));
    const other = await order(10);
    const euros = stripe.pay(other.session, "succeeded", 1_000, "eur");
    await deliver(service.url, stripe.event("payment_intent.succeeded", euros));
    expect([await stateOf(less.id), await stateOf(other.id), await balance()]).toEqual(["mismatch", "mismatch", 10]);
    const mismatched = await service.call("GET", "/v1/admin/payments?state=mismatch");
    expect(mismatched.json.data.map(({ id: one }: { id: string }) => one)).toEqual([other.id, less.id]);
    await expectSound();
  });

  it("knows the payment of a checkout again that was opened right before a crash", async () => {
    const unknown = async () => (await service.call("GET", "/v1/admin/payments/unknown")).json.data.length;
    const before = await unknown();
    const { id, session } = await order(10);
    await service.database.query("UPDATE card_orders SET session_id = NULL WHERE id = $1", [id]);
    const payment = stripe.pay(session);
    await deliver(service.url, stripe.event("payment_intent.succeeded", payment));
    await deliver(service.url, stripe.event("checkout.session.completed", session));
    expect([await stateOf(id), await balance(), await unknown()]).toEqual(["paid", 10, before]);
  });

  it("keeps payments that belong to no order for the operator", async () => {
    const foreign = stripe.addForeignPayment(700, "no order of ours");
    expect(await deliver(service.url, stripe.event("payment_intent.succeeded", foreign))).toBe(200);
    const { id } = await buy(5);
    const second = stripe.addForeignPayment(500, id);
    expect(await deliver(service.url, stripe.event("payment_intent.succeeded", second))).toBe(200);
    expect(await balance()).toBe(5);
    const { json } = await service.call("GET", "/v1/admin/payments/unknown");
    expect(json.data).toMatchObject([
      { id: second.id, amount: 500, reference: id },
      { id: foreign.id, amount: 700, currency: "usd", reference: "no order of ours" },
    ]);
  });

  it("refuses amounts out of bounds, and too large events before they are read", async () => {
    for (const amount of [0.5, 1_000.01, 2.005])
      expectRefusal(await call("POST", "/v1/billing/checkout", { amount }), 400, "invalid_request", {
        param: "amount",
      });
    const large = await service.call("POST", "/v1/stripe/webhook", `"${"x".repeat(300_000)}"`, { key: null });
    expectRefusal(large, 413, "payload_too_large");
    expectRefusal(await call("GET", "/v1/billing/orders/none"), 404, "not_found");
    const others = await openCustomer(service, 0, { scopes: ["billing"] });
    const { id } = await order(3);
    expectRefusal(await call("GET", `/v1/billing/orders/${id}`, undefined, others.key), 404, "not_found");
  });

  it("says so where the processor is away, and opens no order twice", async () => {
    stripe.failures = 2;
    expectRefusal(await call("POST", "/v1/billing/checkout", { amount: 3 }), 502, "provider_error");
    expect((await call("GET", "/v1/billing/orders")).json.data).toMatchObject([{ state: "open", credits: 3 }]);
  });
});

describe("refunds and disputes", () => {
  it("are debited, also before the payment's own event, in parts, and given back when a dispute is won", async () => {
    const { session } = await order(20);
    const payment = stripe.pay(session);
    payment.refunded = 500;
    await deliver(sibling.url, stripe.event("refund.created", payment));
    expect(await balance()).toBe(15);
    payment.refunded = 800;
    await deliver(service.url, stripe.event("charge.refunded", payment));
    const dispute = stripe.dispute(payment, 1_200);
    await deliver(service.url, stripe.event("charge.dispute.created", payment));
    expect(await balance()).toBe(0);
    dispute.status = "won";
    await deliver(service.url, stripe.event("charge.dispute.closed", payment));
    await deliver(service.url, stripe.event("checkout.session.completed", session));
    expect(await balance()).toBe(12);
    const { json } = await call("GET", "/v1/transactions?group=none");
    expect(json.data.map((line: Record<string, unknown>) => [line.kind, line.amount, line.balance_after])).toEqual([
      ["dispute_won", 12, 12],
      ["dispute", -12, 0],
      ["refund", -3, 12],
      ["refund", -5, 15],
      ["purchase", 20, 20],
    ]);
    const month = (await call("GET", "/v1/statements")).json.data[0];
    expect(month).toMatchObject({ opening_balance: 0, incoming: 32, refunds: 20, charges: 0, closing_balance: 12 });
    expect((await call("GET", `/v1/statements/${month.id}`)).json).toMatchObject({
      refunds: 20,
      taken_back: [{ number: expect.stringMatching(/^RF-\d{4}-0001$/), amount: -5 }, { amount: -3 }, { amount: -12 }],
    });
    await expectSound();
  });

  it("become a debt where instances have leased the balance, which is paid as the leases return", async () => {
    const { payment } = await buy(10);
    await service.services.ledger.store.extendLease({ kind: "balance", accountId: customer.id }, 10_000_000_000n);
    payment.refunded = 1_000;
    await deliver(service.url, stripe.event("charge.refunded", payment));
    expect(await summary()).toMatchObject({ debt: 10 });
    // The lease comes back as another instance was asked for it.
    await service.services.ledger.store.returnLease({ kind: "balance", accountId: customer.id }, 4_000_000_000n);
    expect(await summary()).toMatchObject({ balance: 6, debt: 6 });
    await service.services.ledger.store.returnLease({ kind: "balance", accountId: customer.id }, 2_000_000_000n);
    expect(await summary()).toMatchObject({ balance: 4, debt: 4 });
    await service.services.ledger.store.returnLease({ kind: "balance", accountId: customer.id }, 4_000_000_000n);
    expect(await summary()).toMatchObject({ balance: 0, debt: 0 });
    await expectSound();
  });
});

describe("automatic top-ups", () => {
  const terms = { enabled: true, threshold: 5, amount: 10, monthly_ceiling: 20 };
  const set = (change: object = {}) => call("PUT", "/v1/billing/auto-top-up", { ...terms, ...change });
  const run = () => Promise.all([service, sibling].map(async ({ services }) => services.card?.autoTopUps.run()));
  const spend = async (credits: number) => {
    await service.database.query(
      `WITH taken AS (UPDATE ledger_accounts SET balance = balance - $2 WHERE kind = 'customer' AND account_id = $1 RETURNING id),
         source AS (UPDATE ledger_accounts SET balance = balance + $2 WHERE kind = 'paid_out' RETURNING id)
       SELECT 1 FROM taken, source`,
      [customer.id, credits * 1e9],
    );
  };

  it("need a card that was saved by consent, and sensible terms", async () => {
    expectRefusal(await set(), 409, "conflict");
    await buy(10);
    expectRefusal(await set(), 409, "conflict");
    await buy(10, { save_card: true });
    expectRefusal(await set({ amount: 4 }), 400, "invalid_request", { param: "amount" });
    expectRefusal(await set({ monthly_ceiling: 9 }), 400, "invalid_request", { param: "monthly_ceiling" });
    expectRefusal(await set({ monthly_ceiling: 5_001 }), 400, "invalid_request", { param: "monthly_ceiling" });
    const { json } = await set();
    expect(json).toMatchObject({ ...terms, bought_this_month: 0, card: { brand: "visa", last4: "4242" } });
  });

  it("pay once for each fall below the threshold, never beyond the month's ceiling", async () => {
    await buy(10, { save_card: true });
    await set();
    await run();
    expect(await balance()).toBe(10);
    await spend(6);
    await run();
    await run();
    expect(await balance()).toBe(14);
    await spend(10);
    await run();
    expect(await balance()).toBe(14);
    await spend(14);
    await run();
    expect(await balance()).toBe(0);
    expect((await call("GET", "/v1/billing/auto-top-up")).json).toMatchObject({ enabled: true, bought_this_month: 20 });
  });

  it("stop when a payment is refunded or disputed: what was taken back is not bought again", async () => {
    const { payment } = await buy(10, { save_card: true });
    await set();
    payment.refunded = 600;
    await deliver(service.url, stripe.event("charge.refunded", payment));
    await run();
    expect(await balance()).toBe(4);
    const stopped = { enabled: false, stopped_reason: "A payment was refunded or disputed." };
    expect((await call("GET", "/v1/billing/auto-top-up")).json).toMatchObject(stopped);
    await set();
    await run();
    expect(await balance()).toBe(14);
    stripe.dispute(payment, 400);
    await deliver(service.url, stripe.event("charge.dispute.created", payment));
    await run();
    expect((await call("GET", "/v1/billing/auto-top-up")).json).toMatchObject(stopped);
    // The end of a dispute that was won stops nothing.
    await set();
    for (const dispute of payment.disputes) dispute.status = "won";
    await deliver(service.url, stripe.event("charge.dispute.closed", payment));
    expect((await call("GET", "/v1/billing/auto-top-up")).json).toMatchObject({ enabled: true, stopped_reason: null });
    expect(await balance()).toBe(14);
  });

  it("stop after a decline and tell the account, and a call that was lost is not made twice", async () => {
    const { id } = await buy(10, { save_card: true });
    await set();
    await spend(8);
    stripe.failures = 2;
    await run();
    expect(await balance()).toBe(2);
    const [open] = (await call("GET", "/v1/billing/orders")).json.data;
    expect(open).toMatchObject({ kind: "auto", state: "open" });
    await run();
    const charged = (await service.services.card?.payments.store.find(open.id)) ?? expect.fail("no order");
    await service.services.card?.autoTopUps.resume(charged, Date.now());
    await service.services.card?.autoTopUps.resume(charged, Date.now());
    expect(await balance()).toBe(12);
    await spend(12);
    stripe.decline = "Your card was declined.";
    await run();
    stripe.decline = undefined;
    await run();
    expect((await call("GET", "/v1/billing/auto-top-up")).json).toMatchObject({
      enabled: false,
      stopped_reason: "Your card was declined.",
    });
    expect(await balance()).toBe(0);
    expect((await call("DELETE", "/v1/billing/card")).status).toBe(204);
    expect((await call("GET", "/v1/billing/auto-top-up")).json.card).toBeNull();
    expect(await stateOf(id)).toBe("paid");
  });
});

describe("a signed event", () => {
  it("that is no JSON object is refused by a sentence", async () => {
    for (const text of ["{not json", "null", "7"])
      expect(await deliver(service.url, stripe.sign(text)), text).toBe(400);
  });
});

describe("a service without cards", () => {
  it("answers 404, and lists no method of that kind", async () => {
    const plain = await startService();
    try {
      expectRefusal(await plain.call("POST", "/v1/billing/checkout", { amount: 5 }), 404, "not_found");
      expectRefusal(await plain.call("POST", "/v1/stripe/webhook", {}, { key: null }), 404, "not_found");
      expectRefusal(await plain.call("GET", "/v1/admin/payments"), 404, "not_found");
      const { json } = await plain.call("GET", "/v1/billing/methods");
      expect(json.data).toMatchObject([
        { kind: "card", available: false },
        { kind: "token" },
        { kind: "code", available: true },
      ]);
    } finally {
      await plain.stop();
    }
  });
});
