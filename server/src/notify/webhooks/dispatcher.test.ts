import { systemClock } from "@trunkline/core/clock.ts";
import { createDialer, type Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { answerWith, startReceiver, takeIt, type WebhookReceiver } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type OpenOutbox, openOutbox } from "../../../test/support/open-outbox.ts";
import { createWebhookSender, type DeliverWebhook } from "./deliver.ts";
import { type DispatcherTimes, RETRY_DELAYS_MS, WebhookDispatcher } from "./dispatcher.ts";

let open: OpenOutbox;
let receiver: WebhookReceiver;
let dialer: Dialer;
let send: DeliverWebhook;

beforeAll(async () => {
  open = await openOutbox();
  receiver = await startReceiver();
  dialer = createDialer();
  send = createWebhookSender(dialer, systemClock);
});
afterEach(async () => {
  await open.store.database.query("DELETE FROM webhooks");
  receiver.events.length = 0;
  receiver.answer = takeIt;
});
afterAll(async () => {
  await dialer.close();
  await receiver.stop();
  await open.store.close();
});

/** A WebhookDispatcher for one test, and its errors. */
function startDispatcher(times: Partial<DispatcherTimes> = {}, outbox = open.outbox) {
  const errors: unknown[] = [];
  const dispatcher = new WebhookDispatcher(outbox, send, (error) => errors.push(error), {
    leaseMs: 60_000,
    idleMs: 50,
    graceMs: 50,
    ...times,
  });
  onTestFinished(() => dispatcher.stop());
  dispatcher.wake();
  return { dispatcher, errors };
}

const only = async (webhookId: string) => {
  const [row] = await open.rowsOf(webhookId);
  if (row === undefined) throw new Error("The outbox holds nothing for it.");
  return row;
};

describe("WebhookDispatcher", () => {
  it("tries eight times, with growing delays, and then gives up", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    receiver.answer = answerWith(503);
    const { dispatcher, errors } = startDispatcher();
    for (const [place, pauseMs] of [...RETRY_DELAYS_MS, null].entries()) {
      await expect.poll(() => receiver.events.length).toBe(place + 1);
      await expect.poll(async () => (await only(webhook.id)).last_status).toBe(503);
      const { attempts, pause_ms: pause } = await only(webhook.id);
      expect(attempts).toBe(place + 1);
      if (pauseMs === null) expect(pause).toBeNull();
      else {
        expect(pause).toBeGreaterThanOrEqual(pauseMs);
        expect(pause).toBeLessThan(pauseMs + 15_000);
      }
      // As if the delay were over.
      await open.store.database.query(
        "UPDATE webhook_deliveries SET next_attempt_at = now(), last_status = NULL WHERE next_attempt_at IS NOT NULL",
      );
      dispatcher.wake();
    }
    expect(new Set(receiver.events.map(({ body }) => body)).size).toBe(1);
    // A single failed event is no reason to disable the webhook.
    expect(await open.webhooks.find(webhook.accountId, webhook.id)).toMatchObject({ enabled: true });
    expect(errors).toEqual([]);
  });

  it("disables a webhook that failed for days, with the reason", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    receiver.answer = answerWith(500);
    await open.store.database.query("UPDATE webhook_deliveries SET attempts = 7");
    await open.store.database.query("UPDATE webhooks SET failing_since = now() - interval '73 hours'");
    startDispatcher();
    const read = () => open.webhooks.find(webhook.accountId, webhook.id);
    await expect.poll(async () => (await read())?.enabled).toBe(false);
    expect((await read())?.disabledReason).toBe(
      "Nothing could be delivered for more than 3 days. The last attempt: answered 500.",
    );
  });

  it("delivers what a dead instance claimed, once its lease has expired and not before", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    const [taken] = await open.outbox.claim({ most: 1, mostPerWebhook: 1, busyWebhooks: [], leaseMs: 1_500 });
    expect(taken?.attempt).toBe(1);
    startDispatcher();
    // A later event is delivered while the lease lasts.
    await open.post(webhook.accountId);
    await expect.poll(() => receiver.events.length).toBe(1);
    expect(receiver.events[0]?.headers["webhook-id"]).not.toBe(taken?.eventId);
    await expect.poll(() => receiver.events.length).toBe(2);
    expect(receiver.events[1]?.headers["webhook-id"]).toBe(taken?.eventId);
    await expect.poll(async () => (await only(webhook.id)).is_delivered).toBe(true);
  });

  it("releases at its stop what it could not deliver, for the next one to deliver at once", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    receiver.answer = () => undefined;
    const { dispatcher, errors } = startDispatcher();
    await expect.poll(() => receiver.events.length).toBe(1);
    await dispatcher.stop();
    await receiver.events[0]?.abandoned;
    expect(errors).toEqual([]);
    expect(await only(webhook.id)).toMatchObject({ attempts: 0, is_delivered: false });
    receiver.answer = takeIt;
    startDispatcher();
    await expect.poll(async () => (await only(webhook.id)).is_delivered).toBe(true);
    expect(receiver.events).toHaveLength(2);
  });

  it("waits at its stop for attempts that are nearly done", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    let finish: () => void = () => undefined;
    receiver.answer = (response) => {
      finish = () => void response.end();
    };
    const { dispatcher } = startDispatcher({ graceMs: 10_000 });
    await expect.poll(() => receiver.events.length).toBe(1);
    const stopped = dispatcher.stop();
    finish();
    await stopped;
    expect(await only(webhook.id)).toMatchObject({ attempts: 1, is_delivered: true });
  });

  it("reports when the outbox can't be read, and tries again", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    let isBroken = true;
    const outbox = new Proxy(open.outbox, {
      get(target, name: keyof typeof open.outbox) {
        const method = target[name].bind(target) as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => {
          if (name !== "claim" || !isBroken) return method(...given);
          isBroken = false;
          return Promise.reject(new Error("The database is unavailable."));
        };
      },
    });
    const { errors } = startDispatcher({}, outbox);
    await expect.poll(async () => (await only(webhook.id)).is_delivered).toBe(true);
    expect(errors).toEqual([new Error("The database is unavailable.")]);
  });

  it("does not send what it can't sign, and says how to fix it", async () => {
    const webhook = await open.makeWebhook({ url: receiver.url });
    await open.post(webhook.accountId);
    await open.store.database.query("UPDATE webhooks SET sealed_secret = '\\x0102'");
    startDispatcher();
    await expect.poll(async () => (await only(webhook.id)).last_error).toMatch(/rotate it/);
    expect(receiver.events).toEqual([]);
  });
});
