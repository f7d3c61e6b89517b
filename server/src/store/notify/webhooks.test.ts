import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { BudgetPeriod } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenOutbox, openOutbox } from "../../../test/support/open-outbox.ts";
import { AlertMonitor } from "../../notify/alert-monitor.ts";
import type { Webhook } from "../../notify/webhooks/webhooks.ts";
import { grantCredits } from "../ledger/ledger.ts";
import { PostgresAlerts } from "./alerts.ts";

let open: OpenOutbox;
let accountId: string;
let webhook: Webhook;

beforeAll(async () => {
  open = await openOutbox();
});
beforeEach(async () => {
  accountId = await open.store.makeAccount(1_000_000_000n);
  webhook = await open.makeWebhook({}, accountId);
});
afterAll(() => open.store.close());

const run = (text: string, values: readonly unknown[]) => open.store.database.query(text, values);
const setMark = (mark: bigint) => run("UPDATE accounts SET low_balance = $2 WHERE id = $1", [accountId, mark]);

/** Sends the alerts that are due. */
async function look(): Promise<void> {
  const alertMonitor = new AlertMonitor({
    store: new PostgresAlerts(open.store.database),
    startOfPeriod,
    endOfPeriod,
    clock: new ManualClock(),
    onQueued: () => undefined,
    onError: (error) => expect.fail(String(error)),
  });
  alertMonitor.onAccountChange(accountId);
  await alertMonitor.stop();
}

async function switchOffAndOn(id = webhook.id): Promise<void> {
  await open.webhooks.change(id, { enabled: false });
  await open.webhooks.change(id, { enabled: true });
}

const deliverAll = () =>
  run(
    "UPDATE webhook_deliveries SET delivered_at = now(), next_attempt_at = NULL WHERE next_attempt_at IS NOT NULL",
    [],
  );
const deliveryCount = async (id = webhook.id) => (await open.rowsOf(id)).length;

/** A key that has used its budget up, which makes two alerts. */
async function spend(period: BudgetPeriod): Promise<void> {
  const keyId = newId();
  await run(
    "INSERT INTO api_keys (id, account_id, name, scopes, budget_limit, budget_period) VALUES ($1, $2, 'Key', '{read}', 123456789, $3)",
    [keyId, accountId, period],
  );
  await run(
    `INSERT INTO usage_quarters (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost)
     VALUES ($1, '2026-01-15T06:00:00Z', $2, '', '', '', 1, 0, 0, 0, 123456789)`,
    [accountId, keyId],
  );
  // It was there before anything that is alerted here.
  await run("UPDATE webhooks SET created_at = '2025-01-01' WHERE id = $1", [webhook.id]);
}

describe("an alert that was given up when its webhook was switched off", () => {
  it("is sent again when it is switched on, where the balance is low still", async () => {
    await setMark(2_000_000_000n);
    await look();
    expect(await deliveryCount()).toBe(1);
    await switchOffAndOn();
    await look();
    expect(await deliveryCount()).toBe(2);
    await look();
    expect(await deliveryCount()).toBe(2);
  });

  it("is not where the balance has risen, where it was delivered, or where nothing was switched", async () => {
    await setMark(2_000_000_000n);
    await look();
    await grantCredits(open.store.database, accountId, 5_000_000_000n, "more");
    await switchOffAndOn();
    await look();
    expect(await deliveryCount()).toBe(1);
    await setMark(10_000_000_000n);
    await look();
    expect(await deliveryCount()).toBe(2);
    await deliverAll();
    await switchOffAndOn();
    await look();
    expect(await deliveryCount()).toBe(2);
    await run("UPDATE webhook_deliveries SET delivered_at = NULL WHERE webhook_id = $1", [webhook.id]);
    await open.webhooks.change(webhook.id, { enabled: true });
    await look();
    expect(await deliveryCount()).toBe(2);
  });

  it("is not where another webhook has it, or is to get it", async () => {
    const other = await open.makeWebhook({}, accountId);
    await setMark(2_000_000_000n);
    await look();
    await switchOffAndOn();
    await look();
    await deliverAll();
    await switchOffAndOn();
    await look();
    expect([await deliveryCount(), await deliveryCount(other.id)]).toEqual([1, 1]);
  });

  it.each<BudgetPeriod>(["day", "total"])("is sent again for a budget, the %s", async (period) => {
    await spend(period);
    await look();
    expect(await deliveryCount()).toBe(2);
    await switchOffAndOn();
    await look();
    expect(await deliveryCount()).toBe(4);
    await deliverAll();
    await switchOffAndOn();
    await look();
    expect(await deliveryCount()).toBe(4);
  });
});
