import type { Scope } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import type { ApiKeySettings } from "./api-key-settings.ts";
import { type ApiKey, type ApiKeyStore, ApiKeys, type KeyUsage, type StoredSecret } from "./api-keys.ts";

const TERMS: ApiKeySettings = {
  name: "Key",
  scopes: ["inference"],
  expiresAt: undefined,
  requestsPerMinute: 5,
  budget: undefined,
  models: undefined,
  ips: undefined,
};

/** Keys in memory, with their stored secrets. */
class MemoryKeys implements ApiKeyStore {
  readonly keys = new Map<string, ApiKey>();
  readonly rotations: { id: string; secret: StoredSecret; oldEndsAt: Date }[] = [];

  readonly askedSince: (Date | undefined)[] = [];
  use: KeyUsage = { requests: 0n, spent: 0n, spentSince: 0n };

  async create(
    id: string,
    accountId: string,
    terms: ApiKeySettings,
    secret: StoredSecret | undefined,
    madeBy: string | undefined,
  ): Promise<ApiKey> {
    const key = {
      ...terms,
      id,
      accountId,
      serviceAccount: secret === undefined,
      hint: secret?.hint ?? "",
      createdAt: new Date(0),
      lastUsedAt: undefined,
      madeBy: madeBy === undefined ? undefined : { id: madeBy, name: `Name of ${madeBy}` },
      oldSecretEndsAt: undefined,
      revokedAt: undefined,
      timeZone: "Europe/Berlin",
    };
    this.keys.set(id, key);
    return key;
  }
  async list(accountId: string): Promise<ApiKey[]> {
    return [...this.keys.values()].filter((key) => key.accountId === accountId);
  }
  async usageOf(keys: readonly { readonly since: Date | undefined }[]): Promise<KeyUsage[]> {
    this.askedSince.push(...keys.map(({ since }) => since));
    return keys.map(() => this.use);
  }
  async find(accountId: string, id: string): Promise<ApiKey | undefined> {
    const key = this.keys.get(id);
    return key?.accountId === accountId ? key : undefined;
  }
  async change(id: string, terms: ApiKeySettings): Promise<void> {
    const key = this.keys.get(id);
    if (key !== undefined) this.keys.set(id, { ...key, ...terms });
  }
  async rotate(id: string, secret: StoredSecret, oldEndsAt: Date): Promise<void> {
    this.rotations.push({ id, secret, oldEndsAt });
  }
  async revoke(accountId: string, id: string): Promise<boolean> {
    return (await this.find(accountId, id)) !== undefined && this.keys.delete(id);
  }
}

function createApiKeys() {
  const store = new MemoryKeys();
  const clock = new ManualClock();
  let minted = 0;
  let changes = 0;
  const mint = () => ({
    secret: `secret-${++minted}`,
    stored: { hash: `hash-${minted}`, hint: `hint-${minted}` },
  });
  const apiKeys = new ApiKeys({
    store,
    mint,
    clock,
    limits: { requestsPerMinute: 600 },
    onChange: () => {
      changes++;
    },
    startOfPeriod: (period) => (period === "total" ? undefined : 1_000),
    endOfPeriod: (period) => (period === "total" ? undefined : 2_000),
  });
  return { store, clock, apiKeys, changes: () => changes };
}

const callerWith = (...scopes: Scope[]) => sampleCaller({ accountId: "account", scopes: new Set(scopes) });
const MANAGER = callerWith("inference", "read", "manage");
const ANY = { state: undefined, search: undefined };

describe("creating a key", () => {
  it("returns the secret once and stores only its hash and hint", async () => {
    const { apiKeys, store, changes } = createApiKeys();
    const { key, secret } = await apiKeys.create(MANAGER, TERMS);
    expect(secret).toBe("secret-1");
    expect(key).toMatchObject({ ...TERMS, accountId: "account", hint: "hint-1" });
    expect(JSON.stringify([...store.keys.values()])).not.toContain("secret-1");
    expect(changes()).toBe(1);
  });

  it("can be done for another account", async () => {
    const { apiKeys } = createApiKeys();
    expect((await apiKeys.create(MANAGER, TERMS, "other")).key.accountId).toBe("other");
  });

  it("can't grant a scope that the caller lacks", async () => {
    const { apiKeys, store, changes } = createApiKeys();
    for (const scope of ["billing", "provider", "admin"] as const) {
      await expect(apiKeys.create(MANAGER, { ...TERMS, scopes: ["read", scope] })).rejects.toMatchObject({
        type: "insufficient_scope",
        status: 403,
        message: expect.stringContaining(scope),
      });
    }
    expect(store.keys.size).toBe(0);
    expect(changes()).toBe(0);
  });
});

describe("changing a key", () => {
  it("changes only the given fields, and can lift a limit", async () => {
    const { apiKeys, changes } = createApiKeys();
    const { key } = await apiKeys.create(MANAGER, TERMS);
    expect(await apiKeys.change(MANAGER, key.id, { name: "New" })).toEqual({ ...key, name: "New" });
    expect(await apiKeys.change(MANAGER, key.id, { requestsPerMinute: undefined })).toEqual({
      ...key,
      name: "New",
      requestsPerMinute: undefined,
    });
    expect(changes()).toBe(3);
  });

  it("neither grants scopes beyond the caller's own nor changes a key that has such scopes", async () => {
    const { apiKeys } = createApiKeys();
    const { key: plain } = await apiKeys.create(MANAGER, TERMS);
    await expect(apiKeys.change(MANAGER, plain.id, { scopes: ["inference", "admin"] })).rejects.toMatchObject({
      type: "insufficient_scope",
    });
    const { key: operatorKey } = await apiKeys.create(callerWith("manage", "admin"), { ...TERMS, scopes: ["admin"] });
    await expect(apiKeys.change(MANAGER, operatorKey.id, { scopes: ["read"] })).rejects.toMatchObject({
      type: "insufficient_scope",
    });
    await expect(apiKeys.rotate(MANAGER, operatorKey.id, 0)).rejects.toMatchObject({ type: "insufficient_scope" });
  });
});

describe("rotating a key", () => {
  it("returns a new secret, and ends the old one after the grace period", async () => {
    const { apiKeys, store, clock, changes } = createApiKeys();
    const { key } = await apiKeys.create(MANAGER, TERMS);
    const { secret, oldEndsAt } = await apiKeys.rotate(MANAGER, key.id, 3_600);
    expect(secret).toBe("secret-2");
    expect(oldEndsAt.getTime()).toBe(clock.now() + 3_600_000);
    expect(store.rotations).toEqual([{ id: key.id, secret: { hash: "hash-2", hint: "hint-2" }, oldEndsAt }]);
    expect(changes()).toBe(2);
  });
});

describe("revoking a key", () => {
  it("works once", async () => {
    const { apiKeys, changes } = createApiKeys();
    const { key } = await apiKeys.create(MANAGER, TERMS);
    await apiKeys.revoke(MANAGER, key.id);
    expect(changes()).toBe(2);
    await expect(apiKeys.revoke(MANAGER, key.id)).rejects.toMatchObject({ type: "not_found", status: 404 });
    expect(changes()).toBe(2);
  });
});

describe("a key's usage", () => {
  const budgetOf = (period: "month" | "total") => ({ ...TERMS, budget: { limit: 10n, period } });

  it("counts a budget since the start of its period, and says when the next one starts", async () => {
    const { apiKeys, store } = createApiKeys();
    store.use = { requests: 7n, spent: 30n, spentSince: 4n };
    const { key } = await apiKeys.create(MANAGER, budgetOf("month"));
    expect(key).toMatchObject({ requests: 7n, spent: 30n, spentInPeriod: 4n, periodEndsAt: new Date(2_000) });
    expect(store.askedSince).toEqual([new Date(1_000)]);
  });

  it("counts a total budget since the key's creation, and nothing without a budget", async () => {
    const { apiKeys, store } = createApiKeys();
    store.use = { requests: 7n, spent: 30n, spentSince: 30n };
    const { key: whole } = await apiKeys.create(MANAGER, budgetOf("total"));
    expect(whole).toMatchObject({ spentInPeriod: 30n, periodEndsAt: undefined });
    const { key: free } = await apiKeys.create(MANAGER, TERMS);
    expect(free).toMatchObject({ spent: 30n, spentInPeriod: undefined, periodEndsAt: undefined });
    expect(store.askedSince).toEqual([undefined, undefined]);
  });

  it("shows the key as active until the moment it expires", async () => {
    const { apiKeys, clock } = createApiKeys();
    const { key } = await apiKeys.create(MANAGER, { ...TERMS, expiresAt: new Date(clock.now() + 1) });
    expect(key.state).toBe("active");
    clock.advance(1);
    expect((await apiKeys.find(MANAGER, key.id)).state).toBe("expired");
  });
});

describe("a member", () => {
  const member = sampleCaller({
    accountId: "account",
    scopes: new Set(["inference", "read"]),
    person: { id: "ada", email: "ada@example.test", name: "Ada", role: "developer", sessionId: "s" },
  });

  it("is named as a key's creator only in their own organisation", async () => {
    const { apiKeys } = createApiKeys();
    expect((await apiKeys.create(member, TERMS)).key.madeBy).toEqual({ id: "ada", name: "Name of ada" });
    expect((await apiKeys.create(member, TERMS, "other")).key.madeBy).toBeUndefined();
    expect((await apiKeys.create(MANAGER, TERMS)).key.madeBy).toBeUndefined();
  });

  it("neither changes nor rotates a key with scopes beyond their role, but can revoke it", async () => {
    const { apiKeys } = createApiKeys();
    const { key } = await apiKeys.create(callerWith("manage"), { ...TERMS, scopes: ["manage"] });
    for (const act of [apiKeys.change(member, key.id, { name: "x" }), apiKeys.rotate(member, key.id, 0)]) {
      await expect(act).rejects.toMatchObject({
        type: "insufficient_scope",
        message: expect.stringMatching(/role.*manage/),
      });
    }
    await apiKeys.revoke(member, key.id);
    await expect(apiKeys.find(member, key.id)).rejects.toMatchObject({ type: "not_found" });
  });
});

describe("another account's key", () => {
  it.each<[string, (apiKeys: ApiKeys, id: string) => Promise<unknown>]>([
    ["found", (apiKeys, id) => apiKeys.find(MANAGER, id)],
    ["changed", (apiKeys, id) => apiKeys.change(MANAGER, id, { name: "Mine" })],
    ["rotated", (apiKeys, id) => apiKeys.rotate(MANAGER, id, 0)],
    ["revoked", (apiKeys, id) => apiKeys.revoke(MANAGER, id)],
  ])("can't be %s: the fault is the same as for a missing or malformed id", async (_what, act) => {
    const { apiKeys } = createApiKeys();
    const { key } = await apiKeys.create(MANAGER, TERMS, "other");
    const answers = await Promise.all(
      [key.id, newId(), "nonsense", "' OR 1=1"].map((id) => act(apiKeys, id).catch(String)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("no such key");
    expect(await apiKeys.list(MANAGER, ANY, 10, undefined)).toEqual([]);
  });
});
