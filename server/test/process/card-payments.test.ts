import { createSeededRandom } from "@trunkline/core/random.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";
import { deliver, type SignedEvent, StripeStandIn } from "../support/stripe-stand-in.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";

/** How many events are sent; `CARD_EVENTS=10000` for a longer run. */
const EVENTS = Number(process.env.CARD_EVENTS ?? 240);
const KILLS = Math.max(2, Math.round(EVENTS / 1_500));
const AT_ONCE = 12;
const EVENTS_PER_ORDER = 8;
const KEY = "the-operators-own-key";

const sandbox = new ProcessSandbox();
let database: TestDatabase;
let stripe: StripeStandIn;

beforeAll(async () => {
  database = await createMigratedDatabase();
  stripe = await StripeStandIn.start();
});
afterAll(async () => {
  await sandbox.clear();
  await stripe.stop();
  await database.drop();
});

type Payment = ReturnType<StripeStandIn["pay"]>;

/** Something to do: a change at Stripe, or an event to send. */
type Step = () => SignedEvent | "forged" | undefined;

it(
  "credits what was paid and not taken back, whatever events come, while instances are killed",
  async () => {
    const random = createSeededRandom(process.env.CARD_SEED ?? "card events");
    const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
    const folder = await sandbox.folder();
    const start = () =>
      sandbox.start(folder, {
        ...stripe.environment,
        DATABASE_URL: database.url,
        TRUNKLINE_SECRET: "0123456789abcdef0123",
        TRUNKLINE_BOOTSTRAP_KEY: KEY,
        TRUNKLINE_CONFIG: `${folder}/trunkline.yaml`,
      });
    const first = start();
    await first.url();
    const instances: SpawnedService[] = [first, start()];
    const urls = await Promise.all(instances.map((instance) => instance.url()));

    const accounts: { readonly id: string; readonly key: string; readonly orders: string[] }[] = [];
    for (let place = 0; place < 5; place++) {
      const { json } = await call(urls[0] ?? "", "POST", "/v1/admin/accounts", { name: "Buyer" }, { key: KEY });
      const terms = { name: "Key", scopes: ["billing"], limits: { requests_per_minute: 100_000 } };
      const made = await call(urls[0] ?? "", "POST", `/v1/admin/accounts/${json.id}/keys`, terms, { key: KEY });
      expect(made.status, made.text).toBe(201);
      accounts.push({ id: json.id, key: made.json.key, orders: [] });
    }
    const orderCount = Math.ceil(EVENTS / EVENTS_PER_ORDER);
    await runAll(
      Array.from({ length: orderCount }, (_, place) => async () => {
        const account = accounts[place % accounts.length];
        if (account === undefined) return;
        const body = { amount: whole(1, 90) };
        const answer = await call(urls[place % 2] ?? "", "POST", "/v1/billing/checkout", body, { key: account.key });
        expect(answer.status, answer.text).toBe(201);
        account.orders.push(answer.json.id);
      }),
    );

    // What is done at Stripe keeps its order for each payment; its events come at any later time, or several times.
    const steps: { readonly at: number; readonly step: Step }[] = [];
    for (const id of accounts.flatMap(({ orders }) => orders)) {
      const session = stripe.sessionOf(id);
      let payment: Payment | undefined;
      const changes: (() => void)[] = [];
      if (random() < 0.9) {
        changes.push(() => {
          const amount = random() < 0.05 ? session.amount - 1 : session.amount;
          payment = stripe.pay(session, random() < 0.1 ? "processing" : "succeeded", amount);
        });
        changes.push(() => {
          if (payment !== undefined) payment.status = "succeeded";
        });
        for (let refunds = whole(0, 2); refunds > 0; refunds--)
          changes.push(() => {
            if (payment !== undefined) payment.refunded += whole(1, Math.floor(payment.amount / 3));
          });
        if (random() < 0.3) {
          changes.push(() => {
            if (payment !== undefined) stripe.dispute(payment, payment.amount - payment.refunded);
          });
          if (random() < 0.5)
            changes.push(() => {
              if (payment?.disputes[0] !== undefined) payment.disputes[0].status = random() < 0.5 ? "won" : "lost";
            });
        }
      }
      const times = changes.map(() => random() * 0.8).toSorted((one, other) => one - other);
      for (const [place, change] of changes.entries()) {
        const step = () => {
          change();
          return undefined;
        };
        steps.push({ at: times[place] ?? 0, step });
      }
      const types = [
        "refund.created",
        "charge.refunded",
        "charge.dispute.created",
        "charge.dispute.closed",
        "payment_intent.succeeded",
      ];
      for (let place = 0; place < EVENTS_PER_ORDER; place++) {
        // The last event of each order comes after everything that happened to it.
        const at = place === 0 ? 0.8 + random() * 0.2 : random();
        const type = types[whole(0, types.length - 1)] ?? "";
        const copies = random() < 0.3 ? 2 : 1;
        for (let copy = 0; copy < copies; copy++)
          steps.push({
            at: copy === 0 ? at : Math.min(1, at + random() * 0.1),
            step: () =>
              payment !== undefined && random() < 0.6
                ? stripe.event(type, payment)
                : stripe.event("checkout.session.completed", session),
          });
      }
      if (random() < 0.6) steps.push({ at: random(), step: () => "forged" });
    }
    steps.sort((one, other) => one.at - other.at);

    const sent = { events: 0, forged: 0, again: 0 };
    const send = async (event: SignedEvent): Promise<void> => {
      for (;;) {
        const status = await deliver(urls[whole(0, 1)] ?? "", event).catch(() => 0);
        if (status === 200) return;
        sent.again += 1;
        expect([0, 502, 503]).toContain(status);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const kill = async (place: number) => {
      instances[place]?.signal("SIGKILL");
      await instances[place]?.ended;
      const next = start();
      instances[place] = next;
      urls[place] = await next.url();
    };
    const killing: Promise<void>[] = [];
    let kills = 0;
    await runAll(
      steps.map(({ step }, place) => async () => {
        if (kills < KILLS && place > ((kills + 1) * steps.length) / (KILLS + 1)) {
          kills += 1;
          killing.push((killing.at(-1) ?? Promise.resolve()).then(() => kill(kills % 2)));
        }
        const event = step();
        if (event === undefined) return;
        sent.events += 1;
        if (event !== "forged") return send(event);
        sent.forged += 1;
        const session = [...stripe.sessions.values()][whole(0, stripe.sessions.size - 1)];
        if (session === undefined) return;
        const forged =
          random() < 0.5
            ? stripe.event("checkout.session.completed", session, Date.now(), "whsec_of_someone_else")
            : stripe.event("checkout.session.completed", session, Date.now() - 400_000);
        const status = await deliver(urls[whole(0, 1)] ?? "", forged).catch(() => 0);
        expect([0, 400]).toContain(status);
      }),
    );
    await Promise.all(killing);

    const store = openDatabase(database.address, () => undefined, { connections: 1 });
    try {
      for (const { id, orders } of accounts) {
        const rows = await store.query<{ total: bigint }>(
          "SELECT coalesce(sum(balance), 0)::bigint AS total FROM ledger_accounts WHERE account_id = $1",
          [id],
        );
        const model = orders.reduce((sum, order) => sum + worthOf(order), 0n);
        expect(rows[0]?.total).toBe(model);
      }
      const { findings } = await auditLedger(store);
      expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
    } finally {
      await store.close();
    }
    if (process.env.CARD_EVENTS !== undefined)
      process.stdout.write(`${JSON.stringify({ ...sent, orders: orderCount, kills, calls: stripe.calls })}\n`);
  },
  Math.max(120_000, EVENTS * 300),
);

/** What an order is worth by the model: paid in full, less what was taken back. */
function worthOf(orderId: string): bigint {
  const session = stripe.sessionOf(orderId);
  const payment = stripe.payments.get(session.paymentId ?? "");
  if (payment?.status !== "succeeded" || payment.amount !== session.amount) return 0n;
  const disputed = payment.disputes.reduce((sum, { amount, status }) => sum + (status === "won" ? 0 : amount), 0);
  return BigInt(Math.max(0, session.amount - payment.refunded - disputed)) * 10_000_000n;
}

/** Runs jobs in their order, several at once. */
async function runAll(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < jobs.length) {
      const job = jobs[next];
      next += 1;
      await job?.();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
