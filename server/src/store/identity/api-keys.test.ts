import { randomBytes } from "node:crypto";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { ApiKeySettings } from "../../identity/keys/api-key-settings.ts";
import type { StoredSecret } from "../../identity/keys/api-keys.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { closeUsageDays } from "../usage/usage-rollups.ts";
import { PostgresAccounts, PostgresCustomers } from "./accounts.ts";
import { PostgresApiKeys } from "./api-keys.ts";

describe("api keys", () => {
  let store: FreshStore;
  let keys: PostgresApiKeys;

  beforeAll(async () => {
    store = await openFreshStore();
    keys = new PostgresApiKeys(store.database, { accountRequestsPerMinute: 6_000 });
  });
  afterAll(() => store.close());

  const secret = (hint = "tl_abc…wxyz"): StoredSecret => ({ hash: randomBytes(32).toString("hex"), hint });
  const LIVING = { state: undefined, search: undefined, now: new Date() };
  const PLAIN: ApiKeySettings = {
    name: "Plain",
    scopes: ["inference"],
    expiresAt: undefined,
    requestsPerMinute: undefined,
    budget: undefined,
    models: undefined,
    ips: undefined,
  };
  const FULL: ApiKeySettings = {
    name: "Full 'quoted' 😀",
    scopes: ["inference", "read", "manage"],
    expiresAt: new Date("2030-01-02T03:04:05.678Z"),
    requestsPerMinute: 5,
    budget: { limit: 9_007_199_254_740_993n, period: "week" },
    models: ["acme/x", 'odd,"name"', "{}"],
    ips: ["10.0.0.0/8"],
    origins: ["*"],
  };

  async function makeKey(terms: ApiKeySettings = PLAIN, accountId?: string) {
    const kept = secret();
    const owner = accountId ?? (await store.makeAccount());
    return { accountId: owner, kept, key: await keys.create(newId(), owner, terms, kept) };
  }

  describe("a key", () => {
    it.each([
      ["without limits", PLAIN],
      ["with every limit", FULL],
    ])("%s is found by its owner just as it was made", async (_what, terms) => {
      const { accountId, key, kept } = await makeKey(terms);
      expect(key).toMatchObject({ ...terms, accountId, hint: kept.hint, lastUsedAt: undefined });
      expect(await keys.find(accountId, key.id)).toEqual(key);
    });

    it("is found by its hash, with its own and its account's permissions", async () => {
      const { accountId, key, kept } = await makeKey(FULL);
      await new PostgresAccounts(store.database).change(accountId, {
        strategy: "hybrid",
        keepsContent: true,
        timeZone: "Europe/Berlin",
        weights: { cost: 0.1, speed: 0.2, quality: 0.7 },
      });
      expect(await keys.findByHash(kept.hash)).toEqual({
        expiresAt: FULL.expiresAt?.getTime(),
        caller: {
          keyId: key.id,
          accountId,
          provider: accountId,
          operator: false,
          suspended: false,
          person: undefined,
          scopes: new Set(FULL.scopes),
          expiresAt: FULL.expiresAt?.getTime(),
          requestsPerMinute: 5,
          accountRequestsPerMinute: 6_000,
          admissionWeight: 1,
          budget: FULL.budget,
          models: new Set(FULL.models),
          ips: FULL.ips,
          origins: undefined,
          strategy: "hybrid",
          weights: { cost: 0.1, speed: 0.2, quality: 0.7 },
          thirdPartyModels: false,
          keepsContent: true,
          hasLogSinks: false,
          hasGuardrails: false,
          timeZone: "Europe/Berlin",
        },
      });
      expect(await keys.findByHash(randomBytes(32).toString("hex"))).toBeUndefined();
    });

    it.each([
      [null, 6_000, 1],
      [10, 10, 1],
      [15_000, 15_000, 3],
      [1_000_000, 1_000_000, 10],
    ])(
      "of an account with a rate of %j has its ceiling of %d and begins %d in a row",
      async (rate, ceiling, weight) => {
        const { accountId, kept } = await makeKey();
        await new PostgresCustomers(store.database).change(accountId, { requests_per_minute: rate });
        expect((await keys.findByHash(kept.hash))?.caller).toMatchObject({
          accountRequestsPerMinute: ceiling,
          admissionWeight: weight,
        });
      },
    );

    it("is unknown to another account", async () => {
      const { key } = await makeKey();
      const otherAccount = await store.makeAccount();
      expect(await keys.find(otherAccount, key.id)).toBeUndefined();
      expect(await keys.revoke(otherAccount, key.id)).toBe(false);
      expect(await keys.list(otherAccount, LIVING, 10, undefined)).toEqual([]);
    });

    it("takes on its new settings, and loses the old ones", async () => {
      const { accountId, key, kept } = await makeKey(FULL);
      await keys.change(key.id, PLAIN);
      expect(await keys.find(accountId, key.id)).toMatchObject(PLAIN);
      expect(await keys.findByHash(kept.hash)).toMatchObject({
        expiresAt: undefined,
        caller: { budget: undefined, models: undefined },
      });
    });

    it("says when it was last used", async () => {
      const { accountId, key } = await makeKey();
      const ledger = await store.openLedger();
      const createdAt = new Date("2026-05-06T07:08:09.123Z");
      await ledger.write([sampleSettlement({ accountId, keyId: key.id, createdAt })]);
      expect((await keys.find(accountId, key.id))?.lastUsedAt).toEqual(createdAt);
    });

    it("is listed newest first, page by page, until it is revoked", async () => {
      const { accountId, key: first } = await makeKey();
      const { key: second } = await makeKey(PLAIN, accountId);
      const { key: third } = await makeKey(PLAIN, accountId);
      await keys.revoke(accountId, second.id);
      expect((await keys.list(accountId, LIVING, 1, undefined)).map(({ id }) => id)).toEqual([third.id]);
      expect((await keys.list(accountId, LIVING, 5, third.id)).map(({ id }) => id)).toEqual([first.id]);
    });

    it("is never created with another key's secret, and leaves nothing behind then", async () => {
      const { kept } = await makeKey();
      const accountId = await store.makeAccount();
      await expect(keys.create(newId(), accountId, PLAIN, kept)).rejects.toThrow();
      expect(await keys.hasAny(accountId)).toBe(false);
    });
  });

  describe("a revoked key", () => {
    it("is no longer found, and can't be revoked again", async () => {
      const { accountId, key, kept } = await makeKey();
      expect(await keys.revoke(accountId, key.id)).toBe(true);
      expect(await keys.revoke(accountId, key.id)).toBe(false);
      expect(await keys.findByHash(kept.hash)).toBeUndefined();
      expect(await keys.find(accountId, key.id)).toBeUndefined();
      expect(await keys.hasAny(accountId)).toBe(true);
    });
  });

  describe("rotation", () => {
    const soon = new Date("2029-01-01T00:00:00Z");
    const sooner = new Date("2028-01-01T00:00:00Z");

    it("creates a new secret that is valid at once, and ends the old one", async () => {
      const { accountId, key, kept } = await makeKey();
      const next = secret("tl_new…hint");
      await keys.rotate(key.id, next, soon);
      expect(await keys.findByHash(kept.hash)).toMatchObject({
        expiresAt: soon.getTime(),
        caller: { keyId: key.id },
      });
      expect(await keys.findByHash(next.hash)).toMatchObject({
        expiresAt: undefined,
        caller: { keyId: key.id },
      });
      expect((await keys.find(accountId, key.id))?.hint).toBe("tl_new…hint");
    });

    it("never extends an older secret", async () => {
      const { key, kept } = await makeKey();
      const [second, third] = [secret(), secret()];
      await keys.rotate(key.id, second, sooner);
      await keys.rotate(key.id, third, soon);
      expect(await keys.findByHash(kept.hash)).toMatchObject({ expiresAt: sooner.getTime() });
      expect(await keys.findByHash(second.hash)).toMatchObject({ expiresAt: soon.getTime() });
      expect(await keys.findByHash(third.hash)).toMatchObject({ expiresAt: undefined });
    });

    it("does not outlive the key: the earlier end counts", async () => {
      const { key, kept } = await makeKey({ ...PLAIN, expiresAt: sooner });
      const next = secret();
      await keys.rotate(key.id, next, soon);
      expect(await keys.findByHash(kept.hash)).toMatchObject({ expiresAt: sooner.getTime() });
      expect(await keys.findByHash(next.hash)).toMatchObject({ expiresAt: sooner.getTime() });
    });

    it("ends all secrets with the key when it is revoked", async () => {
      const { accountId, key, kept } = await makeKey();
      const next = secret();
      await keys.rotate(key.id, next, soon);
      await keys.revoke(accountId, key.id);
      expect(await keys.findByHash(kept.hash)).toBeUndefined();
      expect(await keys.findByHash(next.hash)).toBeUndefined();
    });
  });

  describe("ensuring a key", () => {
    it("creates it where it is missing, and once", async () => {
      const accountId = await store.makeAccount();
      const kept = secret();
      await keys.ensure(newId(), accountId, FULL, kept);
      await keys.ensure(newId(), accountId, FULL, kept);
      expect(await keys.list(accountId, LIVING, 10, undefined)).toMatchObject([FULL]);
    });

    it("restores it with its settings after any change", async () => {
      const { accountId, key, kept } = await makeKey(FULL);
      await keys.change(key.id, { ...FULL, scopes: ["read"], expiresAt: new Date(0) });
      await keys.rotate(key.id, secret(), new Date(0));
      await keys.revoke(accountId, key.id);
      await keys.ensure(newId(), accountId, PLAIN, kept);
      expect(await keys.findByHash(kept.hash)).toMatchObject({
        expiresAt: undefined,
        caller: { keyId: key.id, scopes: new Set(["inference"]) },
      });
    });

    it("says whether an account has ever had one", async () => {
      const accountId = await store.makeAccount();
      expect(await keys.hasAny(accountId)).toBe(false);
      await makeKey(PLAIN, accountId);
      expect(await keys.hasAny(accountId)).toBe(true);
    });
  });

  describe("the store", () => {
    it("holds hashes alone, never a secret", async () => {
      const { kept } = await makeKey();
      const rows = await store.database.query<{ hash: Buffer }>("SELECT hash FROM api_key_secrets WHERE hash = $1", [
        Buffer.from(kept.hash, "hex"),
      ]);
      expect(rows[0]?.hash).toHaveLength(32);
    });
  });
});

describe("usage of keys", () => {
  const QUARTER_MS = 900_000;
  const DAY_MS = 96 * QUARTER_MS;
  const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const KEYS = [newId(), newId()];

  let store: FreshStore;
  let requests: readonly Settlement[];

  /** Traffic of four days, of which all but the last one or two are closed, and half of it comes late. */
  beforeAll(async () => {
    store = await openFreshStore();
    const accountId = await store.makeAccount(1_000_000_000n);
    const ledger = await store.openLedger();
    await ledger.extendLease(balancePool(accountId), 1_000_000_000n);
    requests = Array.from({ length: 200 }, (_, index) =>
      sampleSettlement({
        accountId,
        keyId: KEYS[index % 2] ?? "",
        createdAt: new Date(TODAY - 3 * DAY_MS + ((index * 7919) % 300) * QUARTER_MS),
        status: index % 5 === 0 ? 502 : 200,
        cost: index % 5 === 0 ? 0n : BigInt(index),
      }),
    );
    await ledger.write(requests.slice(0, 100));
    expect(await closeUsageDays(store.database)).toBe(true);
    await ledger.write(requests.slice(100));
  });
  afterAll(() => store.close());

  function plainUseOf(id: string, since: number) {
    const mine = requests.filter(({ keyId }) => keyId === id);
    const sum = (some: readonly Settlement[]) => some.reduce((total, { cost }) => total + cost, 0n);
    return {
      requests: BigInt(mine.filter(({ status }) => status < 400).length),
      spent: sum(mine),
      spentSince: sum(mine.filter(({ createdAt }) => createdAt.getTime() >= since)),
    };
  }

  describe("the usage of a key", () => {
    it("is what its requests add up to, since any quarter of an hour at which a period may begin", async () => {
      const since = fc.integer({ min: -5 * 96, max: 96 }).map((quarter) => TODAY + quarter * QUARTER_MS);
      await fc.assert(
        fc.asyncProperty(since, since, async (first, second) => {
          const asked = [first, second].map((at, index) => ({ id: KEYS[index] ?? "", since: new Date(at) }));
          expect(await new PostgresApiKeys(store.database, { accountRequestsPerMinute: 6_000 }).usageOf(asked)).toEqual(
            asked.map(({ id, since: at }) => plainUseOf(id, at.getTime())),
          );
        }),
        { numRuns: 40 },
      );
    });

    it("counts from the beginning without a start, and in the order of the keys", async () => {
      const asked = [...KEYS, newId()].toReversed().map((id) => ({ id, since: undefined }));
      expect(await new PostgresApiKeys(store.database, { accountRequestsPerMinute: 6_000 }).usageOf(asked)).toEqual(
        asked.map(({ id }) => plainUseOf(id, -Infinity)),
      );
      expect(await new PostgresApiKeys(store.database, { accountRequestsPerMinute: 6_000 }).usageOf([])).toEqual([]);
    });
  });
});
