import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import type { UsageComparison, UsageScope } from "../../ledger/reconciliation.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { PostgresProviderReports, ReconciledUsage, type ReconciliationFilter } from "./reconciliation.ts";
import { closeUsageDays } from "./usage-rollups.ts";

const DAY_MS = 86_400_000;
const EVER = { from: undefined, to: undefined, model: undefined };
const NOW = Date.now();
/** A number of days before today. */
const dayAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);
const momentsOf = (day: string) => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`].map((text) => new Date(text));

let store: FreshStore;
let ledger: PostgresLedger;
let reports: PostgresProviderReports;
let reconciled: ReconciledUsage;
let accountId: string;
let provider: string;

beforeAll(async () => {
  store = await openFreshStore();
  ledger = await store.openLedger();
  reports = new PostgresProviderReports(store.database);
  reconciled = new ReconciledUsage(store.database);
});
afterAll(() => store.close());

beforeEach(async () => {
  accountId = await store.makeAccount();
  provider = accountId;
});

const use = (model: string, createdAt: Date, change: Partial<Settlement> = {}) =>
  ledger.write([sampleSettlement({ accountId, keyId: newId(), provider, model, createdAt, ...change })]);

const report = (model: string | undefined, day: string | undefined, change: Partial<UsageComparison> = {}) =>
  reports.save(accountId, [
    {
      provider,
      model,
      day,
      reported: { requests: 7, tokens: 70 },
      counted: { requests: 5, tokens: 50 },
      provisional: false,
      flagged: false,
      ...change,
    },
  ]);

const countOf = async (...usageScopes: Partial<UsageScope>[]) =>
  reports.count(usageScopes.map((usageScope) => ({ provider, model: undefined, day: undefined, ...usageScope })));

describe("our own count", () => {
  it("is of answers and their tokens, of all clients, by model and day, closed or not", async () => {
    const [old, today] = [dayAgo(4), dayAgo(0)];
    const otherAccount = await store.makeAccount();
    for (const [index, moment] of [...momentsOf(old), new Date(`${today}T00:00:00Z`)].entries()) {
      await use("writer", moment, {
        inputTokens: 1,
        outputTokens: 2,
        ...(index === 1 ? { accountId: otherAccount } : {}),
      });
      await use("painter", moment, { inputTokens: 10, outputTokens: 0 });
    }
    await use("writer", new Date(`${dayAgo(5)}T23:59:59.999Z`));
    await use("writer", new Date(`${dayAgo(3)}T00:00:00Z`), { status: 502, inputTokens: 0, outputTokens: 0 });
    await use("writer", new Date(`${old}T12:00:00Z`), { provider: "another" });
    const expected = [
      { requests: 2, tokens: 6 },
      { requests: 2, tokens: 20 },
      { requests: 4, tokens: 26 },
      { requests: 1, tokens: 3 },
      { requests: 0, tokens: 0 },
      { requests: 0, tokens: 0 },
      { requests: 4, tokens: 39 },
      { requests: 7, tokens: 69 },
    ];
    const counts = () =>
      countOf(
        { model: "writer", day: old },
        { model: "painter", day: old },
        { day: old },
        { model: "writer", day: today },
        { model: "writer", day: dayAgo(3) },
        { provider: "nobody", day: old },
        { model: "writer" },
        {},
      );
    expect(await counts()).toEqual(expected);
    await closeUsageDays(store.database);
    expect(await counts()).toEqual(expected);
  });
});

describe("models of an account", () => {
  it("are found also when they were withdrawn, those on offer first", async () => {
    const insert = (name: string, type: string, deletedAt: string | null) =>
      store.database.query(
        `INSERT INTO models (id, account_id, provider, name, type, description, endpoint, auth_type, may_dial_private,
           capabilities, specialties, streaming, backups, limits, state, deleted_at)
         VALUES ($1, $2, $3, $4, $5, '', '', 'none', true, '{}', '{}', false, '{}', '{}', 'active', $6)`,
        [newId(), accountId, provider, name, type, deletedAt],
      );
    await insert("gone", "text", "2026-01-02");
    await insert("again", "text", "2026-01-01");
    await insert("again", "image", null);
    expect(await reports.modelsOf(accountId)).toEqual([
      { provider, name: "again", type: "image" },
      { provider, name: "gone", type: "text" },
    ]);
    expect(await reports.modelsOf(await store.makeAccount())).toEqual([]);
  });
});

describe("reports", () => {
  it("are never changed nor deleted", async () => {
    await report("writer", dayAgo(2));
    for (const statement of [
      "UPDATE provider_reports SET flagged = false",
      "DELETE FROM provider_reports",
      "TRUNCATE provider_reports",
    ]) {
      await expect(store.database.query(statement)).rejects.toThrow("append-only");
    }
  });

  it("of one model and day: the newest counts, and the others are kept", async () => {
    await report("writer", dayAgo(2), { flagged: true });
    await report("writer", dayAgo(2), { reported: { requests: 5, tokens: 50 } });
    const [row, ...others] = await reconciled.list({ providers: [provider], ...EVER }, 10, undefined);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ flagged: false, reported: { requests: 5, tokens: 50 } });
    const kept = await store.database.query("SELECT FROM provider_reports WHERE provider = $1", [provider]);
    expect(kept).toHaveLength(2);
  });

  it("give each model its status", async () => {
    await report("writer", dayAgo(5), { flagged: true });
    await report("writer", dayAgo(3), { flagged: true });
    await report("writer", dayAgo(2));
    await report("painter", dayAgo(5), { flagged: true });
    await report("painter", dayAgo(5));
    await report("speaker", undefined, { flagged: true });
    await report(undefined, dayAgo(2), { flagged: true });
    const reconciliationStatuses = await reconciled.statusesOf([provider]);
    const byModel = Object.fromEntries(reconciliationStatuses.map(({ model, ...rest }) => [model, rest]));
    const lastReportedAt = expect.any(Date);
    expect(byModel).toEqual({
      writer: { provider, isFlagged: true, flaggedDays: 2, lastFlaggedDay: dayAgo(3), lastReportedAt },
      painter: { provider, isFlagged: false, flaggedDays: 0, lastFlaggedDay: undefined, lastReportedAt },
      speaker: { provider, isFlagged: true, flaggedDays: 0, lastFlaggedDay: undefined, lastReportedAt },
    });
  });
});

describe("the flagged ones of all providers", () => {
  it("are listed newest first, page by page, without those that a later report replaces", async () => {
    await report("writer", dayAgo(9), { flagged: true });
    await report("writer", dayAgo(8), { flagged: true });
    await report("writer", dayAgo(7), { flagged: true });
    await report("writer", dayAgo(6));
    await report(undefined, undefined, { flagged: true });
    await report("writer", dayAgo(8));
    const first = await reconciled.flagged(2, undefined);
    expect(first[0]).toEqual({
      id: expect.any(String),
      accountId,
      provider,
      model: undefined,
      day: undefined,
      reported: { requests: 7, tokens: 70 },
      counted: { requests: 5, tokens: 50 },
      provisional: false,
      flagged: true,
      reportedAt: expect.any(Date),
    });
    const second = await reconciled.flagged(1, first[1]?.id);
    expect([...first, ...second].map(({ day }) => day)).toEqual([undefined, dayAgo(7), dayAgo(9)]);
  });
});

describe("usage by model and day", () => {
  /** Every row, fetched in pages of a size. */
  async function all(filter: ReconciliationFilter, size: number): Promise<string[]> {
    const names: string[] = [];
    let after: UsageScope | undefined;
    for (;;) {
      const page = await reconciled.list(filter, size, after);
      names.push(...page.map(({ day, model }) => `${day ?? "ever"} ${model ?? "all"}`));
      after = page.at(-1);
      if (page.length < size) return names;
    }
  }

  it("is listed with and without a report, newest first, in pages of any size", async () => {
    for (const days of [0, 1, 6, 7, 8, 40, 41, 400]) {
      const noon = new Date(`${dayAgo(days)}T00:00:01Z`);
      await use("a", noon);
      await use("b", noon);
    }
    await use("c", new Date(`${dayAgo(6)}T00:00:01Z`), { status: 502, inputTokens: 0, outputTokens: 0 });
    await closeUsageDays(store.database);
    await report("b", dayAgo(7));
    await report("silent", dayAgo(90));
    await report(undefined, dayAgo(7));
    await report(undefined, undefined);
    await report("a", undefined);
    const ab = (days: number) => [`${dayAgo(days)} a`, `${dayAgo(days)} b`];
    const expected = [
      "ever all",
      "ever a",
      ...[0, 1, 6].flatMap(ab),
      `${dayAgo(7)} all`,
      ...[7, 8, 40, 41].flatMap(ab),
      `${dayAgo(90)} silent`,
      ...ab(400),
    ];
    const filter = { providers: [provider], ...EVER };
    for (const size of [1, 2, 3, 5, 100]) expect(await all(filter, size), `by ${size}`).toEqual(expected);

    const between = { ...filter, from: dayAgo(8), to: dayAgo(6) };
    for (const size of [1, 4, 100])
      expect(await all(between, size)).toEqual([...ab(6), `${dayAgo(7)} all`, ...ab(7), ...ab(8)]);
    expect(await all({ ...filter, model: "silent" }, 2)).toEqual([`${dayAgo(90)} silent`]);
    expect(await all({ ...filter, model: "a", from: dayAgo(41) }, 2)).toEqual(
      [0, 1, 6, 7, 8, 40, 41].map((days) => `${dayAgo(days)} a`),
    );
    expect(await all({ ...filter, from: "0001-01-01", to: "9999-12-31" }, 100)).toEqual(expected.slice(2));
    expect(await all({ ...filter, from: dayAgo(1), to: dayAgo(2) }, 100)).toEqual([]);
    expect(await all({ ...filter, providers: ["nobody"] }, 100)).toEqual([]);
  });

  it("shows our count as it was compared, and as it is now where nothing was reported", async () => {
    const [reported, silent] = [dayAgo(2), dayAgo(3)];
    await use("writer", new Date(`${reported}T01:00:00Z`));
    await use("writer", new Date(`${silent}T01:00:00Z`));
    await report("writer", reported, { flagged: true });
    const rows = await reconciled.list({ providers: [provider], ...EVER }, 10, undefined);
    expect(rows).toEqual([
      {
        provider,
        model: "writer",
        day: reported,
        counted: { requests: 5, tokens: 50 },
        reported: { requests: 7, tokens: 70 },
        provisional: false,
        flagged: true,
        reportedAt: expect.any(Date),
      },
      {
        provider,
        model: "writer",
        day: silent,
        counted: { requests: 1, tokens: 30 },
        reported: undefined,
        provisional: false,
        flagged: false,
        reportedAt: undefined,
      },
    ]);
  });
});
