import type { Budget } from "@trunkline/core/caller.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenOutbox, openOutbox } from "../../../test/support/open-outbox.ts";
import {
  type AlertSubjects,
  type BudgetWindow,
  evaluateBalance,
  type WatchedBalance,
} from "../../notify/alert-rules.ts";
import { createWebhookEvent } from "../../notify/webhooks/deliver.ts";
import type { Webhook } from "../../notify/webhooks/webhooks.ts";
import { grantCredits } from "../ledger/ledger.ts";
import { PostgresAlerts } from "./alerts.ts";

let open: OpenOutbox;
let alerts: PostgresAlerts;
let webhook: Webhook;
let accountId: string;

beforeAll(async () => {
  open = await openOutbox();
  alerts = new PostgresAlerts(open.store.database);
});
beforeEach(async () => {
  accountId = await open.store.makeAccount(1_000n);
  webhook = await open.makeWebhook({}, accountId);
});
afterAll(() => open.store.close());

const run = (text: string, values: readonly unknown[]) => open.store.database.query(text, values);

async function makeKey(budget: Budget | undefined, owner = accountId): Promise<string> {
  const id = newId();
  await run(
    "INSERT INTO api_keys (id, account_id, name, scopes, budget_limit, budget_period) VALUES ($1, $2, 'Key', '{read}', $3, $4)",
    [id, owner, budget?.limit ?? null, budget?.period ?? null],
  );
  return id;
}

const use = (keyId: string, quarter: string, cost: bigint, model = "m") =>
  run(
    `INSERT INTO usage_quarters (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost)
     VALUES ($1, $2, $3, $4, '', '', 1, 0, 0, 0, $5)`,
    [accountId, quarter, keyId, model, cost],
  );

const watched = async (alertSubjects: AlertSubjects | "all") =>
  (await alerts.watchedBudgets("budget.threshold", alertSubjects)).map(({ keyId }) => keyId);

const isQueued = async (...given: Parameters<PostgresAlerts["queueBudgetAlerts"]>) =>
  (await alerts.queueBudgetAlerts(...given)).length > 0;

const DAY: Budget = { limit: 100n, period: "day" };

function spanOf(keyId: string, change: Partial<BudgetWindow> = {}): BudgetWindow {
  return {
    keyId,
    keyName: "Key",
    accountId,
    budget: DAY,
    timeZone: "UTC",
    thresholds: [0.5, 1],
    startsAt: Date.UTC(2026, 0, 15),
    endsAt: Date.UTC(2026, 0, 16),
    ...change,
  };
}

const alertAt = (threshold: number) => ({
  threshold,
  event: createWebhookEvent("budget.threshold", { threshold }, Date.now()),
});

describe("the watched budgets", () => {
  it("are those of active keys whose accounts listen for them", async () => {
    const key = await makeKey(DAY);
    const unlimited = await makeKey(undefined);
    const nothing = await makeKey({ limit: 0n, period: "day" });
    const revoked = await makeKey(DAY);
    await run("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [revoked]);
    const keyIds = [key, unlimited, nothing, revoked];
    expect(await watched({ keyIds, accountIds: [] })).toEqual([key]);
    expect(await watched({ keyIds: [], accountIds: [accountId] })).toEqual([key]);
    expect(await watched({ keyIds: [], accountIds: [] })).toEqual([]);
    expect(await watched("all")).toContain(key);
  });

  it("are none where no webhook listens for them, or no threshold is set", async () => {
    const key = await makeKey(DAY);
    const subjects = { keyIds: [key], accountIds: [] };
    await open.webhooks.change(webhook.id, { events: ["balance.low"] });
    expect(await watched(subjects)).toEqual([]);
    await open.webhooks.change(webhook.id, { events: ["budget.threshold"] });
    expect(await watched(subjects)).toEqual([key]);
    await open.webhooks.change(webhook.id, { enabled: false });
    expect(await watched(subjects)).toEqual([]);
    await open.webhooks.change(webhook.id, { enabled: true });
    await run("UPDATE accounts SET budget_thresholds = '{}' WHERE id = $1", [accountId]);
    expect(await watched(subjects)).toEqual([]);
  });

  it("come with their limit, period and thresholds", async () => {
    const key = await makeKey(DAY);
    await run("UPDATE accounts SET time_zone = 'Asia/Tokyo', budget_thresholds = '{0.25}' WHERE id = $1", [accountId]);
    expect(await alerts.watchedBudgets("budget.threshold", { keyIds: [key], accountIds: [] })).toEqual([
      { keyId: key, keyName: "Key", accountId, budget: DAY, timeZone: "Asia/Tokyo", thresholds: [0.25] },
    ]);
  });
});

describe("the status of a budget", () => {
  it("has the spending of its period, from the first quarter of an hour to the last", async () => {
    const [key, other] = [await makeKey(DAY), await makeKey(DAY)];
    await use(key, "2026-01-14T23:45:00Z", 1n);
    await use(key, "2026-01-15T00:00:00Z", 10n);
    await use(key, "2026-01-15T00:00:00Z", 20n, "another");
    await use(key, "2026-01-15T23:45:00Z", 100n);
    await use(key, "2026-01-16T00:00:00Z", 1_000n);
    await use(other, "2026-01-15T12:00:00Z", 7n);
    const ever = { startsAt: undefined, endsAt: undefined, budget: { limit: 9n, period: "total" } } as const;
    const spans = [spanOf(key), spanOf(other), spanOf(key, ever), spanOf(await makeKey(DAY))];
    const stands = await alerts.statusOf(spans);
    expect(stands).toHaveLength(spans.length);
    const spent = spans.map((span) => stands.find((stand) => stand.span === span)?.spent);
    expect(spent).toEqual([130n, 7n, 1_131n, 0n]);
  });

  it("has the alerts that were already sent in that period", async () => {
    const key = await makeKey(DAY);
    await alerts.queueBudgetAlerts(spanOf(key, { endsAt: undefined }), [alertAt(0.5)]);
    const tomorrow = spanOf(key, { startsAt: Date.UTC(2026, 0, 16), endsAt: Date.UTC(2026, 0, 17) });
    const stands = await alerts.statusOf([spanOf(key), tomorrow]);
    const alertedAt = (startsAt: number) => stands.find(({ span }) => span.startsAt === startsAt)?.alerted;
    expect(alertedAt(Date.UTC(2026, 0, 15))).toEqual([0.5]);
    expect(alertedAt(Date.UTC(2026, 0, 16))).toEqual([]);
  });
});

describe("an alert of a budget", () => {
  it("is sent once, although many instances notice it at once", async () => {
    const span = spanOf(await makeKey(DAY), { endsAt: undefined });
    const sent = await Promise.all(Array.from({ length: 10 }, () => isQueued(span, [alertAt(0.5), alertAt(1)])));
    expect(sent.filter(Boolean)).toHaveLength(1);
    expect(await open.rowsOf(webhook.id)).toHaveLength(2);
  });

  it("is sent again in another period, for another threshold, and for a total budget with another limit", async () => {
    const key = await makeKey(DAY);
    const now = { endsAt: undefined };
    const total = (limit: bigint) =>
      spanOf(key, { startsAt: undefined, endsAt: undefined, budget: { limit, period: "total" } });
    for (const [span, threshold, isNew] of [
      [spanOf(key, now), 0.5, true],
      [spanOf(key, now), 0.5, false],
      [spanOf(key, now), 1, true],
      [spanOf(key, { ...now, budget: { limit: 200n, period: "day" } }), 1, false],
      // A week and a day may begin at the same moment.
      [spanOf(key, { ...now, budget: { limit: 100n, period: "week" } }), 1, true],
      [spanOf(key, { ...now, startsAt: Date.UTC(2026, 0, 16) }), 1, true],
      [total(100n), 1, true],
      [total(100n), 1, false],
      [total(200n), 1, true],
    ] as const) {
      expect(await isQueued(span, [alertAt(threshold)])).toBe(isNew);
    }
  });

  it("is neither sent nor recorded where it can't be put into the outbox", async () => {
    const span = spanOf(await makeKey(DAY), { endsAt: undefined });
    const broken = { threshold: 1, event: { ...alertAt(1).event, body: "\0" } };
    await expect(alerts.queueBudgetAlerts(span, [broken])).rejects.toThrow();
    expect(await isQueued(span, [alertAt(1)])).toBe(true);
  });

  it("is not recorded as sent where the webhook was switched off meanwhile", async () => {
    const span = spanOf(await makeKey(DAY), { endsAt: undefined });
    await open.webhooks.change(webhook.id, { enabled: false });
    expect(await isQueued(span, [alertAt(0.5), alertAt(1)])).toBe(false);
    await open.webhooks.change(webhook.id, { enabled: true });
    expect(await isQueued(span, [alertAt(0.5), alertAt(1)])).toBe(true);
    expect(await open.rowsOf(webhook.id)).toHaveLength(2);
  });

  it("of a period that is over is not for webhooks that were created later", async () => {
    expect(await isQueued(spanOf(await makeKey(DAY)), [alertAt(1)])).toBe(false);
    expect(await open.rowsOf(webhook.id)).toEqual([]);
  });

  it("is deleted long after its period, except for total budgets", async () => {
    const key = await makeKey(DAY);
    const total = spanOf(key, {
      startsAt: undefined,
      endsAt: undefined,
      budget: { limit: 1n, period: "total" },
    });
    const fresh = spanOf(key, { startsAt: Date.now(), endsAt: undefined });
    const old = spanOf(key, { startsAt: Date.now() - 63 * 86_400_000, endsAt: undefined });
    for (const span of [total, fresh, old]) await alerts.queueBudgetAlerts(span, [alertAt(1)]);
    await alerts.sweep();
    const alerted = (await alerts.statusOf([total, fresh, old])).map(({ span, alerted: [first] }) => [span, first]);
    expect(new Map(alerted as [BudgetWindow, number][])).toEqual(
      new Map<BudgetWindow, number | undefined>([
        [total, 1],
        [fresh, 1],
        [old, undefined],
      ]),
    );
  });
});

describe("an account's own budget", () => {
  const month = { startsAt: Date.UTC(2026, 0, 1), endsAt: Date.UTC(2026, 1, 1) };
  const ownSpan = () =>
    spanOf("", { keyId: undefined, keyName: undefined, budget: { limit: 100n, period: "month" }, ...month });

  it("is watched with the budgets of its keys, and sums what all of them spent", async () => {
    await run("UPDATE accounts SET budget_limit = 100, budget_period = 'month' WHERE id = $1", [accountId]);
    const keys = [await makeKey(undefined), await makeKey(DAY)];
    for (const ownBudgetsOf of [[accountId], []])
      expect(await alerts.watchedBudgets("budget.threshold", { keyIds: [], accountIds: [], ownBudgetsOf })).toEqual(
        ownBudgetsOf.map(() => expect.objectContaining({ keyId: undefined, accountId })),
      );
    await use(keys[0] ?? "", "2026-01-15T10:00Z", 30n);
    await use(keys[1] ?? "", "2026-01-20T10:00Z", 40n);
    await use(keys[1] ?? "", "2025-12-31T10:00Z", 9n);
    expect(await alerts.statusOf([ownSpan()])).toMatchObject([{ spent: 70n, alerted: [] }]);
  });

  it("is alerted once in a period, beside those of its keys", async () => {
    const span = { ...ownSpan(), endsAt: undefined };
    expect(await isQueued(span, [alertAt(0.5)])).toBe(true);
    expect(await isQueued(span, [alertAt(0.5)])).toBe(false);
    expect(await isQueued(span, [alertAt(0.5), alertAt(1)])).toBe(true);
    expect(await alerts.statusOf([span])).toMatchObject([{ alerted: expect.arrayContaining([0.5, 1]) }]);
    expect(await open.rowsOf(webhook.id)).toHaveLength(2);
  });
});

describe("alerts by e-mail", () => {
  it("count as sent without a webhook, unless the account wants none", async () => {
    const mailing = new PostgresAlerts(open.store.database, true);
    await open.webhooks.change(webhook.id, { enabled: false });
    const span = spanOf(await makeKey(DAY));
    const subjects = { keyIds: [span.keyId ?? ""], accountIds: [] };
    expect(await alerts.watchedBudgets("budget.threshold", subjects)).toEqual([]);
    expect(await mailing.watchedBudgets("budget.threshold", subjects)).toHaveLength(1);
    expect(await mailing.queueBudgetAlerts(span, [alertAt(1)])).toEqual([1]);
    await run("UPDATE accounts SET low_balance = 5000 WHERE id = $1", [accountId]);
    expect(await mailing.watchedBalances([accountId])).toMatchObject([
      { mails: true, listens: ["balance.low", "balance.exhausted"] },
    ]);
    await run("UPDATE accounts SET alert_email = false WHERE id = $1", [accountId]);
    expect(await mailing.watchedBudgets("budget.threshold", subjects)).toEqual([]);
    expect(await mailing.queueBudgetAlerts(span, [alertAt(0.5)])).toEqual([]);
    expect(await mailing.watchedBalances([accountId])).toEqual([]);
  });
});

describe("a watched balance", () => {
  const tell = async (store = alerts) => {
    const alerted = await store.queueBalanceAlerts(accountId, (balance: WatchedBalance) => {
      const { events, ...state } = evaluateBalance(balance);
      return { ...state, events: events.map((type) => createWebhookEvent(type, {}, Date.now())) };
    });
    return alerted.length > 0;
  };

  it("is all of the account's money, leased or not, for accounts that listen and ever had any", async () => {
    const ledger = await open.store.openLedger();
    await ledger.extendLease(balancePool(accountId), 100n);
    await (await open.store.openLedger()).extendLease(balancePool(accountId), 50n);
    await run("UPDATE accounts SET low_balance = 7 WHERE id = $1", [accountId]);
    const never = await open.makeWebhook();
    const deaf = await open.store.makeAccount(5n);
    expect(await alerts.watchedBalances([accountId, never.accountId, deaf])).toEqual([
      {
        accountId,
        total: 1_000n,
        mails: false,
        mark: 7n,
        isLow: false,
        isExhausted: false,
        listens: expect.arrayContaining(["balance.low", "balance.exhausted", "balance.restored"]),
      },
    ]);
    const all = (await alerts.watchedBalances("all")).map((balance) => balance.accountId);
    expect(all).toContain(accountId);
    expect(all).not.toContain(never.accountId);
    expect(all).not.toContain(deaf);
  });

  it("is checked by one instance at a time: sent once, although many notice it at once", async () => {
    await run("UPDATE accounts SET low_balance = 2000 WHERE id = $1", [accountId]);
    const sent = await Promise.all(Array.from({ length: 10 }, tell));
    expect(sent.filter(Boolean)).toHaveLength(1);
    expect(await open.rowsOf(webhook.id)).toHaveLength(1);
    await grantCredits(open.store.database, accountId, 5_000n, "more");
    await Promise.all(Array.from({ length: 5 }, tell));
    await run("UPDATE accounts SET low_balance = 10000 WHERE id = $1", [accountId]);
    await Promise.all(Array.from({ length: 5 }, tell));
    expect(await open.rowsOf(webhook.id)).toHaveLength(2);
  });

  it("is not sent where no webhook listens any more", async () => {
    await run("UPDATE accounts SET low_balance = 2000 WHERE id = $1", [accountId]);
    await open.webhooks.remove(accountId, webhook.id);
    expect(await tell()).toBe(false);
  });

  it("that rose while no webhook listened is sent again when it is low again", async () => {
    await run("UPDATE accounts SET low_balance = 2000 WHERE id = $1", [accountId]);
    expect(await tell()).toBe(true);
    await open.webhooks.change(webhook.id, { enabled: false });
    await grantCredits(open.store.database, accountId, 5_000n, "more");
    expect(await alerts.watchedBalances([accountId])).toEqual([expect.objectContaining({ isLow: true, listens: [] })]);
    expect(await tell()).toBe(false);
    expect(await alerts.watchedBalances([accountId])).toEqual([]);
    await run("UPDATE accounts SET low_balance = 10000 WHERE id = $1", [accountId]);
    await open.webhooks.change(webhook.id, { enabled: true });
    expect(await tell()).toBe(true);
  });

  it("stays unsent where the webhook is switched off at that moment", async () => {
    await run("UPDATE accounts SET low_balance = 2000 WHERE id = $1", [accountId]);
    const isHeldUp = async () =>
      (await run("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'", []))
        .length > 0;
    let telling: Promise<boolean> | undefined;
    await open.store.database.transaction(async (connection) => {
      await connection.query("UPDATE webhooks SET enabled = false WHERE id = $1", [webhook.id]);
      telling = tell();
      await expect.poll(isHeldUp).toBe(true);
    });
    expect(await telling).toBe(false);
    await open.webhooks.change(webhook.id, { enabled: true });
    expect(await tell()).toBe(true);
  });
});
