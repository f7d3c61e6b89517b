import { newId } from "@trunkline/core/id.ts";
import { answerWith, isSignedWith, startReceiver, takeIt } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { startService } from "../support/started-service.ts";
import { startWebhookTrial, type WebhookTrial } from "../support/webhook-trial.ts";

let trial: WebhookTrial;

beforeAll(async () => {
  trial = await startWebhookTrial();
});

afterEach(() => {
  trial.receiver.answer = takeIt;
  trial.receiver.events.length = 0;
});

afterAll(() => trial.stop());

/** A customer whose balance is reported as low at once. */
async function openPoorCustomer() {
  const customer = await openCustomer(trial.service, 1);
  const webhook = await trial.listenAs(customer);
  await trial.service.call("PATCH", "/v1/settings", { alerts: { low_balance: 5 } }, { key: customer.key });
  const read = async (path = "") =>
    (await trial.service.call("GET", `/v1/webhooks/${webhook.id}${path}`, undefined, { key: customer.key })).json;
  return { customer, webhook, read, delivery: async () => (await read("/deliveries")).data[0] };
}

describe("an event that an endpoint does not take", () => {
  it("is sent again after a pause, the same in all but the time, and is then at rest", async () => {
    trial.receiver.answer = (response, event) => {
      const isFirst = trial.receiver.events[0] === event;
      response.writeHead(isFirst ? 500 : 200).end();
    };
    const { webhook, read, delivery } = await openPoorCustomer();
    await expect.poll(async () => (await delivery())?.last_status).toBe(500);
    const waiting = await delivery();
    expect(waiting).toMatchObject({
      type: "balance.low",
      attempts: 1,
      last_error: "answered 500",
      delivered_at: null,
    });
    const pause = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at);
    expect(pause).toBeGreaterThanOrEqual(5_000);
    expect(pause).toBeLessThan(15_000);
    expect((await read()).failing_since).not.toBeNull();

    await expect.poll(() => trial.receiver.events.length).toBe(2);
    await expect.poll(async () => (await delivery()).delivered_at).not.toBeNull();
    expect(await delivery()).toMatchObject({
      attempts: 2,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
    });
    expect(await read()).toMatchObject({ failing_since: null, enabled: true });
    const [first, second] = trial.receiver.events;
    if (first === undefined || second === undefined) throw new Error("Too little came.");
    expect(second.body).toBe(first.body);
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.headers["webhook-timestamp"]).not.toBe(first.headers["webhook-timestamp"]);
    expect([first, second].every((event) => isSignedWith(webhook.secret, event))).toBe(true);
  });

  it("is no longer sent to one that is gone: it is switched off, says why, and can be switched on again", async () => {
    trial.receiver.answer = answerWith(410);
    const { webhook, customer, read, delivery } = await openPoorCustomer();
    await expect.poll(async () => (await read()).enabled).toBe(false);
    expect(await read()).toMatchObject({ disabled_reason: "It answered 410: it is gone for good." });
    expect(await delivery()).toMatchObject({ attempts: 1, next_attempt_at: null, delivered_at: null });
    const path = `/v1/webhooks/${webhook.id}`;
    const changed = await trial.service.call("PATCH", path, { enabled: true }, { key: customer.key });
    expect(changed.json).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
  });

  it("is given up where its owner switches the webhook off", async () => {
    trial.receiver.answer = answerWith(500);
    const { webhook, customer, delivery } = await openPoorCustomer();
    await expect.poll(async () => (await delivery())?.last_status).toBe(500);
    await trial.service.call("PATCH", `/v1/webhooks/${webhook.id}`, { enabled: false }, { key: customer.key });
    expect(await delivery()).toMatchObject({ next_attempt_at: null, delivered_at: null });
  });

  it("does not keep others waiting while it hangs", async () => {
    const slow = await startReceiver();
    slow.answer = () => undefined;
    try {
      const { id } = await trial.listen();
      await trial.database.query("UPDATE webhooks SET url = $2 WHERE id = $1", [id, slow.url]);
      await fill(id, 40);
      await expect.poll(() => slow.events.length).toBeGreaterThan(0);
      await openPoorCustomer();
      await expect.poll(() => trial.receiver.types()).toEqual(["balance.low"]);
      // It was given a few places, never all of them.
      expect(slow.events.length).toBeLessThan(32);
      const oldest = async () =>
        (await trial.service.call("GET", `/v1/webhooks/${id}/deliveries?limit=100`)).json.data.at(-1);
      await expect.poll(async () => (await oldest()).last_error).toMatch(/^did not .* within 10 s$/);
      expect(await oldest()).toMatchObject({ last_status: null, delivered_at: null });
      await trial.service.call("DELETE", `/v1/webhooks/${id}`);
    } finally {
      await slow.stop();
    }
  });
});

/** Puts events into the outbox as if something had happened. */
async function fill(webhookId: string, count: number): Promise<void> {
  await trial.database.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, body, next_attempt_at)
     SELECT id, $2, id, 'balance.low', '{"type":"balance.low"}', now() FROM unnest($1::uuid[]) AS id`,
    [Array.from({ length: count }, () => newId()), webhookId],
  );
}

describe("several instances", () => {
  it("deliver every event once among them", async () => {
    const others = await Promise.all([1, 2].map(() => startService(undefined, async () => trial.address)));
    try {
      const { id } = await trial.listen();
      await fill(id, 60);
      const rest = async () =>
        (
          await trial.database.query(
            "SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND delivered_at IS NULL",
            [id],
          )
        ).length;
      await expect.poll(rest).toBe(0);
    } finally {
      await Promise.all(others.map((other) => other.stop()));
    }
    const ids = trial.receiver.events.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });
});
