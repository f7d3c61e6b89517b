import { describe, expect, it } from "vitest";
import { HeldClock } from "../../test/held-clock.ts";
import { sampleCaller } from "../../test/samples.ts";
import type { Scope } from "../domain/caller.ts";
import { newId } from "../kit/id.ts";
import type { ApiKey, ApiKeyStore, KeptSecret, KeyTerms } from "./api-key.ts";
import { KeyDesk } from "./key-desk.ts";

const TERMS: KeyTerms = {
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
  readonly rotations: { id: string; secret: KeptSecret; oldEndsAt: Date }[] = [];

  async create(id: string, accountId: string, terms: KeyTerms, secret: KeptSecret): Promise<ApiKey> {
    const key = { ...terms, id, accountId, hint: secret.hint, createdAt: new Date(0), lastUsedAt: undefined };
    this.keys.set(id, key);
    return key;
  }
  async list(accountId: string, limit: number): Promise<ApiKey[]> {
    return [...this.keys.values()].filter((key) => key.accountId === accountId).slice(0, limit);
  }
  async find(accountId: string, id: string): Promise<ApiKey | undefined> {
    const key = this.keys.get(id);
    return key?.accountId === accountId ? key : undefined;
  }
  async change(id: string, terms: KeyTerms): Promise<void> {
    const key = this.keys.get(id);
    if (key !== undefined) this.keys.set(id, { ...key, ...terms });
  }
  async rotate(id: string, secret: KeptSecret, oldEndsAt: Date): Promise<void> {
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
  const desk = new KeyDesk(store, mint, clock, () => {
    changes++;
  });
  return { store, clock, desk, changes: () => changes };
}

const callerWith = (...scopes: Scope[]) => sampleCaller({ accountId: "account", scopes: new Set(scopes) });
const MANAGER = callerWith("inference", "read", "manage");

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

describe("another account's key", () => {
  it.each<[string, (desk: KeyDesk, id: string) => Promise<unknown>]>([
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
    expect(await desk.list(MANAGER, 10, undefined)).toEqual([]);
  });
});
