import { newId } from "@trunkline/core/id.ts";
import type { ServiceRetention } from "@trunkline/core/retention.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { priceSettlements } from "../../test/support/priced-settlements.ts";
import { PostgresAccountRetention } from "./account-retention.ts";
import { PostgresAuditLog } from "./identity/audit-log.ts";
import { auditLedger } from "./ledger/audit.ts";
import type { PostgresLedger } from "./ledger/ledger.ts";
import { sealLedger } from "./ledger/seal-ledger.ts";
import { PostgresStoredResponses } from "./stored-responses/responses.ts";
import { closeUsageDays } from "./usage/usage-rollups.ts";

const DAY_MS = 86_400_000;
const RESPONSE_DAYS = 30;
const FREE = { days: undefined, minDays: 1, maxDays: undefined };
const BOUNDS: ServiceRetention = {
  contents: FREE,
  details: FREE,
  responses: { ...FREE, maxDays: RESPONSE_DAYS },
  audit_log: { ...FREE, minDays: 5 },
};

describe("an account's retention", () => {
  let store: FreshStore;
  let ledger: PostgresLedger;
  let settle: Awaited<ReturnType<typeof priceSettlements>>;
  let mine: string;
  let other: string;
  const now = Date.now();

  beforeEach(async () => {
    store = await openFreshStore();
    settle = await priceSettlements(store);
    ledger = await store.openLedger();
    mine = await store.makeAccount(1_000_000n);
    other = await store.makeAccount(1_000_000n);
  });
  afterEach(() => store.close());

  /** A NUL, which PostgreSQL's JSON functions refuse, and signs that look like the end of the content. */
  const INPUT = 'Say \u0000 "," and ,"content":{"input":"x"}';
  const DETAIL = { timings: { route: 1 }, error: 'no "content" here', content: { input: INPUT, output: "Good." } };

  const write = (accountId: string, ...daysAgo: number[]) =>
    ledger.write(
      daysAgo.map((days) => {
        const arrived = now - days * DAY_MS;
        const ids = { accountId, keyId: accountId, requestId: newId(arrived), createdAt: new Date(arrived) };
        return settle({ ...ids, cost: 3n, detail: DETAIL, tags: { team: "one" } });
      }),
    );

  const retentionWith = (bounds: Partial<ServiceRetention> = {}) =>
    new PostgresAccountRetention(store.database, { ...BOUNDS, ...bounds }, RESPONSE_DAYS, { now: () => now });

  const details = async (accountId: string) =>
    (
      await store.database.query<{ detail: string }>(
        "SELECT detail::text AS detail FROM requests WHERE account_id = $1 ORDER BY id",
        [accountId],
      )
    ).map(({ detail }) => JSON.parse(detail));

  it("takes prompts and outputs out of records past their days, and leaves the rest and the other accounts", async () => {
    await write(mine, 9, 8, 2);
    await write(other, 9);
    const retention = retentionWith();
    await retention.change(mine, { contents: 7 });
    await retention.expire(now);
    const { content: _, ...bare } = DETAIL;
    expect(await details(mine)).toEqual([bare, bare, DETAIL]);
    expect(await details(other)).toEqual([DETAIL]);
    // The next time begins where this one ended.
    await retention.expire(now + 6 * DAY_MS);
    expect(await details(mine)).toEqual([bare, bare, bare]);
  });

  it("goes through more records than fit into one statement", async () => {
    await write(mine, ...Array.from({ length: 2_001 }, () => 3));
    const retention = retentionWith();
    await retention.change(mine, { contents: 1 });
    await retention.expire(now);
    const left = await store.database.query("SELECT FROM requests WHERE detail::text LIKE '%Good.%'");
    expect(left).toEqual([]);
  });

  it("reduces records to what their charge is proved by, and the audit stays sound", async () => {
    await write(mine, 9, 2);
    const [first] = await store.database.query<{ id: string }>("SELECT id FROM requests ORDER BY id LIMIT 1");
    await store.database.query(
      "INSERT INTO request_feedback (request_id, account_id, score, comment, given_at) VALUES ($1, $2, 1, 'private', now())",
      [first?.id, mine],
    );
    const retention = retentionWith();
    await retention.change(mine, { details: 7 });
    await retention.expire(now);
    expect(await details(mine)).toEqual([{}, DETAIL]);
    const rows = await store.database.query("SELECT cost, input_tokens, tags FROM requests ORDER BY id");
    expect(rows).toEqual([
      { cost: 3n, input_tokens: 3n, tags: null },
      { cost: 3n, input_tokens: 3n, tags: { team: "one" } },
    ]);
    expect(await store.database.query("SELECT FROM request_feedback")).toEqual([]);
    await sealLedger(store.database);
    await closeUsageDays(store.database);
    const { findings } = await auditLedger(store.database);
    expect(findings.filter(({ verdict }) => verdict !== "sound")).toEqual([]);
  });

  it("follows the operator's days where an account has none, and its bounds where they were narrowed", async () => {
    await write(mine, 9, 2);
    await write(other, 9, 2);
    await retentionWith().change(mine, { contents: 365 });
    await retentionWith({ contents: { days: 4, minDays: 1, maxDays: 8 } }).expire(now);
    const contents = async (accountId: string) =>
      (await details(accountId)).map(({ content }) => content !== undefined);
    expect(await contents(mine)).toEqual([false, true]);
    expect(await contents(other)).toEqual([false, true]);
  });

  it("deletes kept responses the set number of days after their last use", async () => {
    const responses = new PostgresStoredResponses(store.database);
    const save = async (accountId: string, usedDaysAgo: number) => {
      const used = now - usedDaysAgo * DAY_MS;
      const box = Buffer.from("sealed");
      await responses.save(
        { id: newId(), accountId, previousId: undefined, usedIds: [], input: box, response: box },
        { createdAt: new Date(used), expiresAt: new Date(used + RESPONSE_DAYS * DAY_MS) },
      );
    };
    await save(mine, 3);
    await save(mine, 1);
    await save(other, 3);
    const retention = retentionWith();
    await retention.change(mine, { responses: 2 });
    await retention.expire(now);
    const rows = await store.database.query("SELECT account_id FROM stored_responses ORDER BY created_at");
    expect(rows).toEqual([{ account_id: other }, { account_id: mine }]);
  });

  it("deletes old entries of the audit log, which nothing else can", async () => {
    const log = new PostgresAuditLog(store.database);
    const actor = { kind: "service", id: undefined, name: "x" } as const;
    const event = { actor, action: "a", subjectId: undefined, subjectName: undefined, details: {}, address: undefined };
    for (const accountId of [mine, mine, other]) await log.record({ accountId, ...event });
    const retention = retentionWith();
    // Less than the operator's least.
    await retention.change(mine, { audit_log: 1 });
    await retention.expire(now + 4 * DAY_MS);
    expect(await store.database.query("SELECT FROM deeds")).toHaveLength(3);
    await retention.expire(now + 6 * DAY_MS);
    expect(await store.database.query("SELECT account_id FROM deeds")).toEqual([{ account_id: other }]);
    await expect(store.database.query("DELETE FROM deeds")).rejects.toThrow("append-only");
    const young = store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL trunkline.expires_deeds_before = '2000-01-01'");
      await connection.query("DELETE FROM deeds");
    });
    await expect(young).rejects.toThrow("append-only");
  });

  it("keeps what is not named, and takes the service's days again after null", async () => {
    const retention = retentionWith();
    expect(await retention.read(mine)).toEqual({
      contents: undefined,
      details: undefined,
      responses: undefined,
      audit_log: undefined,
    });
    await retention.change(mine, { contents: 7, audit_log: 90 });
    await retention.change(mine, { contents: null, details: 30 });
    await retention.change(mine, {});
    expect(await retention.read(mine)).toEqual({
      contents: undefined,
      details: 30,
      responses: undefined,
      audit_log: 90,
    });
  });
});
