import type { Scope } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import {
  type ApiKey,
  type ApiKeySettings,
  type ApiKeyStore,
  ApiKeys,
  type KeyUsage,
  type StoredSecret,
} from "./api-keys.ts";

const TERMS: ApiKeySettings = {
  name: "Key",
  scopes: ["inference"],
  expiresAt: undefined,
  requestsPerMinute: 5,
  budget: undefined,
  models: undefined,
  ips: undefined,
};

/** Keys in memory, with what became of their secrets. */
class MemoryKeys implements ApiKeyStore {
  readonly keys = new Map<string, ApiKey>();
  readonly rotations: { id: string; secret: StoredSecret; oldEndsAt: Date }[] = [];

  readonly askedSince: (Date | undefined)[] = [];
  use: KeyUsage = { requests: 0n, spent: 0n, spentSince: 0n };

  async create(
    id: string,
    accountId: string,
    terms: ApiKeySettings,
    secret: StoredSecret,
    madeBy: string | undefined,
  ): Promise<ApiKey> {
    const key = {
      ...terms,
      id,
      accountId,
      hint: secret.hint,
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

function openDesk() {
  const store = new MemoryKeys();
  const clock = new HeldClock();
  let minted = 0;
  let changes = 0;
  const mint = () => ({
    secret: `secret-${++minted}`,
    kept: { hash: `hash-${minted}`, hint: `hint-${minted}` },
  });
  const desk = new ApiKeys({
    store,
    mint,
    clock,
    onChange: () => {
      changes++;
    },
    startOfPeriod: (period) => (period === "total" ? undefined : 1_000),
    endOfPeriod: (period) => (period === "total" ? undefined : 2_000),
  });
  return { store, clock, desk, changes: () => changes };
}

const callerWith = (...scopes: Scope[]) => sampleCaller({ accountId: "account", scopes: new Set(scopes) });
const MANAGER = callerWith("inference", "read", "manage");
const ANY = { state: undefined, search: undefined };

describe("making a key", () => {
  it("gives the secret once and keeps only what recognises it", async () => {
    const { desk, store, changes } = openDesk();
    const { key, secret } = await desk.create(MANAGER, TERMS);
    expect(secret).toBe("secret-1");
    expect(key).toMatchObject({ ...TERMS, accountId: "account", hint: "hint-1" });
    expect(JSON.stringify([...store.keys.values()])).not.toContain("secret-1");
    expect(changes()).toBe(1);
  });

  it("can be done for another account, where the endpoint says so", async () => {
    const { desk } = openDesk();
    expect((await desk.create(MANAGER, TERMS, "other")).key.accountId).toBe("other");
  });

  it("can't give a scope that the giver lacks", async () => {
    const { desk, store, changes } = openDesk();
    for (const scope of ["billing", "provider", "admin"] as const) {
      await expect(desk.create(MANAGER, { ...TERMS, scopes: ["read", scope] })).rejects.toMatchObject({
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
  it("touches nothing but what was said, and can lift a limit", async () => {
    const { desk, changes } = openDesk();
    const { key } = await desk.create(MANAGER, TERMS);
    expect(await desk.change(MANAGER, key.id, { name: "New" })).toEqual({ ...key, name: "New" });
    expect(await desk.change(MANAGER, key.id, { requestsPerMinute: undefined })).toEqual({
      ...key,
      name: "New",
      requestsPerMinute: undefined,
    });
    expect(changes()).toBe(3);
  });

  it("neither widens a key beyond the giver's own scopes nor touches a mightier one", async () => {
    const { desk } = openDesk();
    const { key: plain } = await desk.create(MANAGER, TERMS);
    await expect(desk.change(MANAGER, plain.id, { scopes: ["inference", "admin"] })).rejects.toMatchObject({
      type: "insufficient_scope",
    });
    const { key: mighty } = await desk.create(callerWith("manage", "admin"), { ...TERMS, scopes: ["admin"] });
    await expect(desk.change(MANAGER, mighty.id, { scopes: ["read"] })).rejects.toMatchObject({
      type: "insufficient_scope",
    });
    await expect(desk.rotate(MANAGER, mighty.id, 0)).rejects.toMatchObject({ type: "insufficient_scope" });
  });
});

describe("rotating a key", () => {
  it("gives a new secret, and the old one ends after the grace that was asked for", async () => {
    const { desk, store, clock, changes } = openDesk();
    const { key } = await desk.create(MANAGER, TERMS);
    const { secret, oldEndsAt } = await desk.rotate(MANAGER, key.id, 3_600);
    expect(secret).toBe("secret-2");
    expect(oldEndsAt.getTime()).toBe(clock.now() + 3_600_000);
    expect(store.rotations).toEqual([{ id: key.id, secret: { hash: "hash-2", hint: "hint-2" }, oldEndsAt }]);
    expect(changes()).toBe(2);
  });
});

describe("revoking a key", () => {
  it("ends it once", async () => {
    const { desk, changes } = openDesk();
    const { key } = await desk.create(MANAGER, TERMS);
    await desk.revoke(MANAGER, key.id);
    expect(changes()).toBe(2);
    await expect(desk.revoke(MANAGER, key.id)).rejects.toMatchObject({ type: "not_found", status: 404 });
    expect(changes()).toBe(2);
  });
});

describe("a key's standing", () => {
  const budgetOf = (period: "month" | "total") => ({ ...TERMS, budget: { limit: 10n, period } });

  it("counts a budget since its period began, and says when the next one does", async () => {
    const { desk, store } = openDesk();
    store.use = { requests: 7n, spent: 30n, spentSince: 4n };
    const { key } = await desk.create(MANAGER, budgetOf("month"));
    expect(key).toMatchObject({ requests: 7n, spent: 30n, spentInPeriod: 4n, periodEndsAt: new Date(2_000) });
    expect(store.askedSince).toEqual([new Date(1_000)]);
  });

  it("counts a budget in total from the beginning, and nothing where there is no budget", async () => {
    const { desk, store } = openDesk();
    store.use = { requests: 7n, spent: 30n, spentSince: 30n };
    const { key: whole } = await desk.create(MANAGER, budgetOf("total"));
    expect(whole).toMatchObject({ spentInPeriod: 30n, periodEndsAt: undefined });
    const { key: free } = await desk.create(MANAGER, TERMS);
    expect(free).toMatchObject({ spent: 30n, spentInPeriod: undefined, periodEndsAt: undefined });
    expect(store.askedSince).toEqual([undefined, undefined]);
  });

  it("is active until the moment it expires", async () => {
    const { desk, clock } = openDesk();
    const { key } = await desk.create(MANAGER, { ...TERMS, expiresAt: new Date(clock.now() + 1) });
    expect(key.state).toBe("active");
    clock.advance(1);
    expect((await desk.find(MANAGER, key.id)).state).toBe("expired");
  });
});

describe("a member", () => {
  const member = sampleCaller({
    accountId: "account",
    scopes: new Set(["inference", "read"]),
    person: { id: "ada", email: "ada@example.test", name: "Ada", role: "developer", sessionId: "s" },
  });

  it("is named as a key's maker in the own organisation alone", async () => {
    const { desk } = openDesk();
    expect((await desk.create(member, TERMS)).key.madeBy).toEqual({ id: "ada", name: "Name of ada" });
    expect((await desk.create(member, TERMS, "other")).key.madeBy).toBeUndefined();
    expect((await desk.create(MANAGER, TERMS)).key.madeBy).toBeUndefined();
  });

  it("neither changes nor rotates a key mightier than the own role, but stops it", async () => {
    const { desk } = openDesk();
    const { key } = await desk.create(callerWith("manage"), { ...TERMS, scopes: ["manage"] });
    for (const act of [desk.change(member, key.id, { name: "x" }), desk.rotate(member, key.id, 0)]) {
      await expect(act).rejects.toMatchObject({
        type: "insufficient_scope",
        message: expect.stringMatching(/role.*manage/),
      });
    }
    await desk.revoke(member, key.id);
    await expect(desk.find(member, key.id)).rejects.toMatchObject({ type: "not_found" });
  });
});

describe("another account's key", () => {
  it.each<[string, (desk: ApiKeys, id: string) => Promise<unknown>]>([
    ["found", (desk, id) => desk.find(MANAGER, id)],
    ["changed", (desk, id) => desk.change(MANAGER, id, { name: "Mine" })],
    ["rotated", (desk, id) => desk.rotate(MANAGER, id, 0)],
    ["revoked", (desk, id) => desk.revoke(MANAGER, id)],
  ])("can't be %s: the answer is the same as for one that does not exist, or can't", async (_what, act) => {
    const { desk } = openDesk();
    const { key } = await desk.create(MANAGER, TERMS, "other");
    const answers = await Promise.all(
      [key.id, newId(), "nonsense", "' OR 1=1"].map((id) => act(desk, id).catch(String)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("no such key");
    expect(await desk.list(MANAGER, ANY, 10, undefined)).toEqual([]);
  });
});
