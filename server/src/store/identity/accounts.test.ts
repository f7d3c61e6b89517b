import { DEFAULT_ALERT_THRESHOLDS } from "@trunkline/core/alerts.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { expectSoundLedger } from "../../../test/support/ledger-state.ts";
import type { Account } from "../../identity/organisations/organisations.ts";
import { PostgresAccounts } from "./accounts.ts";

let store: FreshStore;
let accounts: PostgresAccounts;

beforeAll(async () => {
  store = await openFreshStore();
  accounts = new PostgresAccounts(store.database);
});
afterAll(() => store.close());

function account(change: Partial<Account> = {}): Account {
  const id = newId();
  return {
    id,
    name: "Acme",
    provider: `p-${id}`,
    operator: false,
    strategy: undefined,
    keepsContent: false,
    thirdPartyModels: false,
    timeZone: "UTC",
    alerts: DEFAULT_ALERT_THRESHOLDS,
    createdAt: new Date(),
    ...change,
  };
}

describe("an account", () => {
  it("is found as it was created", async () => {
    const made = await accounts.create(account({ name: "Ünïcode ' Ltd" }));
    expect(made).toMatchObject({
      name: "Ünïcode ' Ltd",
      operator: false,
      strategy: undefined,
      keepsContent: false,
      timeZone: "UTC",
      alerts: DEFAULT_ALERT_THRESHOLDS,
    });
    expect(await accounts.find(made?.id ?? "")).toEqual(made);
    expect(await accounts.find(newId())).toBeUndefined();
  });

  it("can't take another's provider name", async () => {
    const first = await accounts.create(account());
    expect(await accounts.create(account({ provider: first?.provider ?? "" }))).toBeUndefined();
  });

  it("changes only the given fields", async () => {
    const { id } = (await accounts.create(account())) ?? account();
    await accounts.change(id, { strategy: "hybrid" });
    expect(await accounts.find(id)).toMatchObject({ strategy: "hybrid", keepsContent: false });
    await accounts.change(id, { keepsContent: true });
    expect(await accounts.find(id)).toMatchObject({ strategy: "hybrid", keepsContent: true });
    await accounts.change(id, { keepsContent: false });
    expect(await accounts.find(id)).toMatchObject({ strategy: "hybrid", keepsContent: false });
    await accounts.change(id, { timeZone: "Europe/Berlin", budgetThresholds: [0.5], lowBalance: 7n });
    const alerts = { lowBalance: 7n, budgetThresholds: [0.5] };
    expect(await accounts.find(id)).toMatchObject({ strategy: "hybrid", timeZone: "Europe/Berlin", alerts });
    await accounts.change(id, { budgetThresholds: [] });
    expect(await accounts.find(id)).toMatchObject({ alerts: { lowBalance: 7n, budgetThresholds: [] } });
    await accounts.change(id, { lowBalance: undefined });
    expect(await accounts.find(id)).toMatchObject({
      timeZone: "Europe/Berlin",
      alerts: { lowBalance: undefined, budgetThresholds: [] },
    });
  });

  it("takes every time zone that the runtime lists, and none that the store does not know", async () => {
    for (const zone of ["UTC", "europe/berlin", "Asia/Kolkata"])
      expect(await accounts.knowsTimeZone(zone), zone).toBe(true);
    expect(await accounts.knowsTimeZone("Nowhere/City")).toBe(false);
  });

  it("is granted credits", async () => {
    const { id } = (await accounts.create(account())) ?? account();
    await accounts.grant(id, 500n, "welcome");
    const ledger = await store.openLedger();
    expect((await ledger.readPool(balancePool(id))).total).toBe(500n);
  });

  it("announces granted credits to its listeners", async () => {
    const heard: string[] = [];
    const { id } = (await accounts.create(account())) ?? account();
    await new PostgresAccounts(store.database, (granted) => heard.push(granted)).grant(id, 1n, "more");
    expect(heard).toEqual([id]);
  });
});

describe("the operator", () => {
  it("is created once with its first credits: both or neither", async () => {
    expect(await accounts.findOperator()).toBeUndefined();
    const first = account({ operator: true });
    await accounts.createOperator(first, 1_000n);
    expect(await accounts.findOperator()).toMatchObject({ id: first.id, operator: true });

    const second = account({ operator: true });
    await expect(accounts.createOperator(second, 1_000n)).rejects.toThrow();
    expect(await accounts.find(second.id)).toBeUndefined();
    expect(await accounts.create(account({ operator: true }))).toBeUndefined();
    const ledger = await store.openLedger();
    expect((await ledger.readPool(balancePool(first.id))).total).toBe(1_000n);
    await expectSoundLedger(store.database);
  });
});
