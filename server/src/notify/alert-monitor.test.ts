import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import { newId } from "@trunkline/core/id.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenOutbox, openOutbox } from "../../test/support/open-outbox.ts";
import { PostgresAlerts } from "../store/notify/alerts.ts";
import { AlertMonitor } from "./alert-monitor.ts";
import type { AlertStore } from "./alert-rules.ts";
import type { Webhook } from "./webhooks/webhooks.ts";

let open: OpenOutbox;
let alerts: PostgresAlerts;
let webhook: Webhook;
let accountId: string;
let keyId: string;

const MIDNIGHT = Date.UTC(2026, 0, 16);

beforeAll(async () => {
  open = await openOutbox();
  alerts = new PostgresAlerts(open.store.database);
});
beforeEach(async () => {
  await open.store.database.query("DELETE FROM webhooks");
  accountId = await open.store.makeAccount(1_000n);
  webhook = await open.makeWebhook({ events: ["budget.threshold"] }, accountId);
  // It existed before the charges of the test.
  await open.store.database.query("UPDATE webhooks SET created_at = '2025-01-01' WHERE id = $1", [webhook.id]);
  keyId = newId();
  await open.store.database.query(
    "INSERT INTO api_keys (id, account_id, name, scopes, budget_limit, budget_period) VALUES ($1, $2, 'Key', '{read}', 100, 'day')",
    [keyId, accountId],
  );
});
afterAll(() => open.store.close());

/** An AlertMonitor at a time, and its errors. */
function openAlertMonitor(now: number, store: AlertStore = alerts) {
  const errors: unknown[] = [];
  let queued = 0;
  const alertMonitor = new AlertMonitor({
    store,
    startOfPeriod,
    endOfPeriod,
    clock: new ManualClock(now),
    onQueued: () => {
      queued++;
    },
    onError: (error) => errors.push(error),
  });
  return { alertMonitor, errors, queued: () => queued };
}

/** Writes the charge of a request, and returns it as the monitor gets it. */
async function charge(at: number, cost: bigint) {
  await open.store.database.query(
    `INSERT INTO usage_quarters (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost)
     VALUES ($1, date_bin('15 minutes', $2, 'epoch'), $3, '', '', '', 1, 0, 0, 0, $4)
     ON CONFLICT (account_id, quarter, key_id, model, provider, task, instance_id) DO UPDATE SET cost = usage_quarters.cost + EXCLUDED.cost`,
    [accountId, new Date(at), keyId, cost],
  );
  return { accountId, keyId, cost, createdAt: new Date(at) };
}

/** The days and thresholds of the queued alerts. */
async function heard(): Promise<string[]> {
  const rows = await open.store.database.query<{ body: string }>(
    "SELECT body FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id",
    [webhook.id],
  );
  const events = rows.map(({ body }) => JSON.parse(body).data);
  return events.map(({ period_start, threshold }) => `${period_start.slice(0, 10)} ${threshold}`).toSorted();
}

describe("AlertMonitor", () => {
  it("checks charges, and once more when it stops", async () => {
    const { alertMonitor, queued } = openAlertMonitor(MIDNIGHT - 5_000);
    alertMonitor.onCharges([await charge(MIDNIGHT - 5_000, 90n)]);
    await alertMonitor.stop();
    expect(await heard()).toEqual(["2026-01-15 0.8"]);
    expect(queued()).toBe(1);
  });

  it("checks within seconds by itself", async () => {
    const { alertMonitor } = openAlertMonitor(MIDNIGHT - 5_000);
    alertMonitor.onCharges([await charge(MIDNIGHT - 5_000, 90n)]);
    await expect.poll(heard).toEqual(["2026-01-15 0.8"]);
    await alertMonitor.stop();
  });

  it("checks neither free requests nor without any change", async () => {
    const { alertMonitor, queued } = openAlertMonitor(MIDNIGHT - 5_000);
    await charge(MIDNIGHT - 5_000, 90n);
    alertMonitor.onCharges([{ accountId, keyId, cost: 0n, createdAt: new Date(MIDNIGHT) }]);
    await alertMonitor.stop();
    expect(await heard()).toEqual([]);
    expect(queued()).toBe(0);
  });

  it("alerts for the period in which a request arrived, although another has started since", async () => {
    const { alertMonitor } = openAlertMonitor(MIDNIGHT + 500);
    alertMonitor.onCharges([await charge(MIDNIGHT - 500, 90n)]);
    alertMonitor.onCharges([await charge(MIDNIGHT + 100, 100n)]);
    await alertMonitor.stop();
    expect(await heard()).toEqual(["2026-01-15 0.8", "2026-01-16 0.8", "2026-01-16 1"]);
  });

  it("checks everything at first, also a period that has just ended", async () => {
    await charge(MIDNIGHT - 500, 90n);
    await charge(MIDNIGHT + 500, 80n);
    const late = openAlertMonitor(MIDNIGHT + 2 * 3_600_000);
    late.alertMonitor.start();
    await expect.poll(heard).toEqual(["2026-01-16 0.8"]);
    await late.alertMonitor.stop();
    const soon = openAlertMonitor(MIDNIGHT + 60_000);
    soon.alertMonitor.start();
    await expect.poll(heard).toEqual(["2026-01-15 0.8", "2026-01-16 0.8"]);
    await soon.alertMonitor.stop();
  });

  it("checks all of an account's budgets when it subscribes", async () => {
    await charge(MIDNIGHT - 5_000, 100n);
    const { alertMonitor } = openAlertMonitor(MIDNIGHT - 1_000);
    alertMonitor.onAccountChange(accountId);
    await alertMonitor.stop();
    expect(await heard()).toEqual(["2026-01-15 0.8", "2026-01-15 1"]);
  });

  it("loses nothing when the store was unavailable", async () => {
    let isAway = true;
    const store = new Proxy<AlertStore>(alerts, {
      get(_target, name: keyof AlertStore) {
        const method = alerts[name].bind(alerts) as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => (isAway ? Promise.reject(new Error("away")) : method(...given));
      },
    });
    const { alertMonitor, errors } = openAlertMonitor(MIDNIGHT - 5_000, store);
    alertMonitor.onCharges([await charge(MIDNIGHT - 5_000, 90n)]);
    await expect.poll(() => errors).toHaveLength(1);
    isAway = false;
    await alertMonitor.stop();
    expect(await heard()).toEqual(["2026-01-15 0.8"]);
  });

  it("alerts all others when one account's budget can't be checked", async () => {
    const strange = await open.store.makeAccount();
    await open.makeWebhook({ events: ["budget.threshold"] }, strange);
    const { database } = open.store;
    await database.query("UPDATE accounts SET time_zone = 'Mars/Olympus' WHERE id = $1", [strange]);
    await database.query(
      "INSERT INTO api_keys (id, account_id, name, scopes, budget_limit, budget_period) VALUES ($1, $2, 'Key', '{read}', 100, 'day')",
      [newId(), strange],
    );
    await charge(MIDNIGHT - 5_000, 90n);
    const { alertMonitor, errors } = openAlertMonitor(MIDNIGHT - 1_000);
    alertMonitor.start();
    await expect.poll(heard).toEqual(["2026-01-15 0.8"]);
    expect(errors).toEqual([expect.any(RangeError)]);
    alertMonitor.onCharges([await charge(MIDNIGHT - 4_000, 10n)]);
    await alertMonitor.stop();
    expect(await heard()).toEqual(["2026-01-15 0.8", "2026-01-15 1"]);
  });

  it("retries only the balance or budget that failed", async () => {
    const other = await open.store.makeAccount(1_000n);
    const ears = [accountId, other].map((owner) => open.makeWebhook({ events: ["balance.low"] }, owner));
    const [here, there] = await Promise.all(ears);
    await open.store.database.query("UPDATE accounts SET low_balance = 2000 WHERE id = ANY ($1)", [[accountId, other]]);
    let isBroken = true;
    const tried: string[] = [];
    const failFor = <Queued>(id: string, work: () => Promise<Queued>) => {
      tried.push(id);
      return isBroken && id !== other ? Promise.reject(new Error("broken")) : work();
    };
    const store: AlertStore = {
      watchedBudgets: (...given) => alerts.watchedBudgets(...given),
      statusOf: (...given) => alerts.statusOf(...given),
      watchedBalances: (...given) => alerts.watchedBalances(...given),
      queueBudgetAlerts: (span, budgetAlerts) =>
        failFor(span.keyId ?? "", () => alerts.queueBudgetAlerts(span, budgetAlerts)),
      queueBalanceAlerts: (id, judge) => failFor(id, () => alerts.queueBalanceAlerts(id, judge)),
    };
    await charge(MIDNIGHT - 5_000, 90n);
    const { alertMonitor, errors } = openAlertMonitor(MIDNIGHT - 1_000, store);
    alertMonitor.start();
    await expect.poll(() => open.rowsOf(there?.id ?? "")).toHaveLength(1);
    await expect.poll(() => errors).toHaveLength(2);
    expect(await heard()).toEqual([]);
    isBroken = false;
    tried.length = 0;
    await alertMonitor.stop();
    expect(tried.toSorted()).toEqual([keyId, accountId].toSorted());
    expect(await heard()).toEqual(["2026-01-15 0.8"]);
    expect(await open.rowsOf(here?.id ?? "")).toHaveLength(1);
  });
});
