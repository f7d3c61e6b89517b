import { newId } from "@trunkline/core/id.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type OpenOutbox, openOutbox } from "../../../test/support/open-outbox.ts";
import type { ClaimedDelivery, ClaimOptions } from "../../notify/webhooks/dispatcher.ts";
import { PostgresOutbox } from "./outbox.ts";

let open: OpenOutbox;

beforeAll(async () => {
  open = await openOutbox();
});
afterEach(() => open.store.database.query("DELETE FROM webhooks"));
afterAll(() => open.store.close());

const claim = (change: Partial<ClaimOptions> = {}) =>
  open.outbox.claim({ most: 100, mostPerWebhook: 100, busyWebhooks: [], leaseMs: 60_000, ...change });

async function claimOne(): Promise<ClaimedDelivery> {
  const [claimedDelivery] = await claim();
  if (claimedDelivery === undefined) throw new Error("Nothing was due.");
  return claimedDelivery;
}

const DELIVERED = { delivered: true, status: 200, error: undefined, answer: "", ms: 1 };
const FAILED = { delivered: false, status: 500, error: "answered 500", answer: "", ms: 1 };

const expireLeases = () =>
  open.store.database.query("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL");

describe("an event in the outbox", () => {
  it("is there for every webhook of the account that takes it, and for no other", async () => {
    const all = await open.makeWebhook();
    const some = await open.makeWebhook({ events: ["balance.low", "balance.restored"] }, all.accountId);
    const none = await open.makeWebhook({ events: ["budget.threshold"] }, all.accountId);
    const off = await open.makeWebhook({}, all.accountId);
    await open.webhooks.change(off.id, { enabled: false });
    const otherAccount = await open.makeWebhook();
    const event = await open.post(all.accountId);
    for (const { id } of [all, some])
      expect(await open.rowsOf(id)).toMatchObject([{ event_id: event.id, attempts: 0, is_delivered: false }]);
    for (const { id } of [none, off, otherAccount]) expect(await open.rowsOf(id)).toEqual([]);
  });

  it("is not for webhooks that were created later", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId, new Date(webhook.createdAt.getTime() - 1));
    expect(await open.rowsOf(webhook.id)).toEqual([]);
    await open.post(webhook.accountId, new Date(webhook.createdAt.getTime() + 1));
    expect(await open.rowsOf(webhook.id)).toHaveLength(1);
  });

  it("is claimed with all that is needed to send it", async () => {
    const webhook = await open.makeWebhook({ url: "http://127.0.0.1:9/x" });
    const event = await open.post(webhook.accountId);
    const claimedDelivery = await claimOne();
    expect(claimedDelivery).toMatchObject({
      webhookId: webhook.id,
      attempt: 1,
      url: "http://127.0.0.1:9/x",
      mayDialPrivate: true,
      eventId: event.id,
      body: event.body,
    });
    expect(claimedDelivery.secrets.map((secret) => secret.reveal())).toEqual(
      (await open.webhooks.secretsOf(webhook.id)).map((secret) => secret.reveal()),
    );
  });

  it("is claimed by one of many concurrent claims", async () => {
    const webhook = await open.makeWebhook();
    for (let count = 0; count < 30; count++) await open.post(webhook.accountId);
    const taken = (await Promise.all(Array.from({ length: 8 }, () => claim({ most: 10 })))).flat();
    taken.push(...(await claim()));
    expect(taken).toHaveLength(30);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(30);
    expect(await claim()).toEqual([]);
  });

  it("is claimed again when its lease is over, as a dead instance reports no result", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    await claim({ leaseMs: 60_000 });
    expect(await claim()).toEqual([]);
    expect(await open.outbox.dueInMs()).toBeGreaterThan(50_000);
    await expireLeases();
    expect(await open.outbox.dueInMs()).toBe(0);
    expect(await claimOne()).toMatchObject({ attempt: 2 });
  });

  it("is claimed at most a fixed number of times for one webhook, and not at all for a busy one", async () => {
    const [slow, quick] = [await open.makeWebhook(), await open.makeWebhook()];
    for (let count = 0; count < 5; count++) await open.post(slow.accountId);
    await open.post(quick.accountId);
    expect((await claim({ busyWebhooks: [slow.id] })).map(({ webhookId }) => webhookId)).toEqual([quick.id]);
    expect(await claim({ mostPerWebhook: 2 })).toHaveLength(2);
    expect(await claim({ most: 1 })).toHaveLength(1);
    expect(await claim()).toHaveLength(2);
  });

  it("can't be signed where the service has another secret than the one it was sealed under", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    const other = new PostgresOutbox(open.store.database, new Sealer(new Secret("another secret altogether")));
    const [claimedDelivery] = await other.claim({ most: 1, mostPerWebhook: 1, busyWebhooks: [], leaseMs: 1 });
    expect(claimedDelivery?.secrets).toEqual([]);
  });
});

describe("the result of a delivery", () => {
  it("is success: nothing waits any more", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    await open.outbox.markDelivered(await claimOne(), DELIVERED);
    expect(await open.rowsOf(webhook.id)).toMatchObject([
      { attempts: 1, is_delivered: true, last_status: 200, last_error: null, pause_ms: null },
    ]);
    expect(await open.outbox.dueInMs()).toBeUndefined();
  });

  it("is failure: it is due after the pause, and the webhook is failing until something is delivered", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    await open.outbox.markFailed(await claimOne(), FAILED, 5_000);
    const [row] = await open.rowsOf(webhook.id);
    expect(row).toMatchObject({
      attempts: 1,
      is_delivered: false,
      last_status: 500,
      last_error: "answered 500",
    });
    expect(row?.pause_ms).toBeGreaterThanOrEqual(5_000);
    const since = (await open.webhooks.find(webhook.accountId, webhook.id))?.failingSince;
    expect(since).toBeInstanceOf(Date);
    await expireLeases();
    await open.outbox.markFailed(await claimOne(), FAILED, undefined);
    expect((await open.webhooks.find(webhook.accountId, webhook.id))?.failingSince).toEqual(since);
    expect(await open.rowsOf(webhook.id)).toMatchObject([{ attempts: 2, pause_ms: null, is_delivered: false }]);
    await open.post(webhook.accountId);
    await open.outbox.markDelivered(await claimOne(), DELIVERED);
    expect((await open.webhooks.find(webhook.accountId, webhook.id))?.failingSince).toBeUndefined();
  });

  it("is that of the last claim; an earlier claim counts only if it delivered after all", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    const late = await claimOne();
    await expireLeases();
    const current = await claimOne();
    await open.outbox.markFailed(late, { ...FAILED, status: 418 }, undefined);
    await open.outbox.release(late);
    expect(await open.rowsOf(webhook.id)).toMatchObject([{ attempts: 2, last_status: null }]);
    await open.outbox.markDelivered(late, DELIVERED);
    await open.outbox.markFailed(current, FAILED, 5_000);
    expect(await open.rowsOf(webhook.id)).toMatchObject([{ is_delivered: true, last_status: 200, pause_ms: null }]);
  });

  it("can be a release without an attempt: it is due at once", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    await open.outbox.release(await claimOne());
    expect(await open.outbox.dueInMs()).toBe(0);
    expect(await claimOne()).toMatchObject({ attempt: 1 });
  });

  it("is dropped where the webhook is gone", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    const claimedDelivery = await claimOne();
    await open.webhooks.remove(webhook.accountId, webhook.id);
    await open.outbox.markDelivered(claimedDelivery, DELIVERED);
    await open.outbox.markFailed(claimedDelivery, FAILED, 5_000);
    await open.outbox.disableWebhook(webhook.id, 0, "gone");
    expect(await open.outbox.dueInMs()).toBeUndefined();
  });

  it("is shown for thirty days", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    await open.post(webhook.accountId);
    const [old, young] = await open.rowsOf(webhook.id);
    const age = (id: string | undefined, days: number) =>
      open.store.database.query(
        "UPDATE webhook_deliveries SET created_at = now() - $2 * interval '1 day' WHERE id = $1",
        [id ?? newId(), days],
      );
    await age(old?.id, 30.1);
    await age(young?.id, 29.9);
    await open.outbox.sweep();
    expect((await open.rowsOf(webhook.id)).map(({ id }) => id)).toEqual([young?.id]);
  });
});

describe("a webhook that fails", () => {
  const failFor = (id: string, hours: number) =>
    open.store.database.query("UPDATE webhooks SET failing_since = now() - $2 * interval '1 hour' WHERE id = $1", [
      id,
      hours,
    ]);

  it("is switched off when it has failed for too long, with the reason, and its pending deliveries are given up", async () => {
    const webhook = await open.makeWebhook();
    await open.post(webhook.accountId);
    const read = () => open.webhooks.find(webhook.accountId, webhook.id);
    await open.outbox.disableWebhook(webhook.id, 0, "never failed");
    await failFor(webhook.id, 71);
    await open.outbox.disableWebhook(webhook.id, 72 * 3_600_000, "too early");
    expect(await read()).toMatchObject({ enabled: true, disabledReason: undefined });
    expect(await open.outbox.dueInMs()).toBe(0);
    await failFor(webhook.id, 73);
    await open.outbox.disableWebhook(webhook.id, 72 * 3_600_000, "It failed.");
    expect(await read()).toMatchObject({ enabled: false, disabledReason: "It failed." });
    expect(await open.rowsOf(webhook.id)).toMatchObject([
      { pause_ms: null, last_error: "the webhook was switched off" },
    ]);
    await open.post(webhook.accountId);
    expect(await open.outbox.dueInMs()).toBeUndefined();
  });
});
