import { isSignedWith, startReceiver, takeIt, type WebhookReceiver } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { ProcessSandbox } from "../support/spawned-service.ts";
import { call, OPERATOR_KEY } from "../support/started-service.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";

const sandbox = new ProcessSandbox();
let store: TestDatabase;
let database: Database;
let receiver: WebhookReceiver;
let folder: string;

beforeAll(async () => {
  store = await createMigratedDatabase();
  database = openDatabase(store.address, () => undefined);
  receiver = await startReceiver();
  folder = await sandbox.folder();
});

afterAll(async () => {
  await sandbox.clear();
  await database.close();
  await receiver.stop();
  await store.drop();
});

const start = () =>
  sandbox.start(folder, {
    DATABASE_URL: store.url,
    TRUNKLINE_SECRET: "the secret of these tests",
    TRUNKLINE_BOOTSTRAP_KEY: OPERATOR_KEY,
  });

describe("a service that is killed in the middle of a delivery", () => {
  it("leaves the event to another one, which delivers it when the lease is over", async () => {
    const first = start();
    const url = await first.url();
    receiver.answer = () => undefined;
    const made = await call(url, "POST", "/v1/webhooks", { url: receiver.url }, { key: OPERATOR_KEY });
    expect(made.status, made.text).toBe(201);
    await call(url, "PATCH", "/v1/settings", { alerts: { low_balance: 1_000_000 } }, { key: OPERATOR_KEY });
    await expect.poll(() => receiver.types()).toEqual(["balance.low"]);
    first.signal("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");

    // No other instance may take it for as long as the killed one could still be at it.
    const rows = await database.query<{ attempts: number; is_leased: boolean }>(
      "SELECT attempts, next_attempt_at > now() AS is_leased FROM webhook_deliveries",
    );
    expect(rows).toEqual([{ attempts: 1, is_leased: true }]);
    receiver.answer = takeIt;
    const second = start();
    const path = `/v1/webhooks/${made.json.id}/deliveries`;
    const delivery = async () =>
      (await call(await second.url(), "GET", path, undefined, { key: OPERATOR_KEY })).json.data[0];
    expect(await delivery()).toMatchObject({ type: "balance.low" });
    // As if the lease were over.
    await database.query("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL");
    await expect.poll(() => receiver.types()).toEqual(["balance.low", "balance.low"]);
    expect(receiver.events[1]?.body).toBe(receiver.events[0]?.body);
    expect(receiver.events.every((event) => isSignedWith(made.json.secret, event))).toBe(true);
    await expect.poll(async () => (await delivery()).delivered_at).not.toBeNull();
    expect(await second.stop()).toBe(0);
    expect(sandbox.said).not.toContain("whsec_");
  });
});
