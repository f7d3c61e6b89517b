import { newId } from "@trunkline/core/id.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Cluster, identifyClusters } from "../../src/store/clusters/cluster-registry.ts";
import { ClusterTransfers } from "../../src/store/clusters/cluster-transfers.ts";
import { moveAccount } from "../../src/store/clusters/move-account.ts";
import { Placements } from "../../src/store/clusters/placements.ts";
import { ClusterSweeper } from "../../src/store/clusters/sweep-clusters.ts";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { PostgresProviderEarnings } from "../../src/store/ledger/provider-earnings.ts";
import { sealLedger } from "../../src/store/ledger/seal-ledger.ts";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type Answer, type StartedService, startService, startSibling } from "../support/started-service.ts";
import { findTroubles, type SecondServer, startSecondServer } from "../support/two-clusters.ts";

let second: SecondServer;
let first: StartedService;
let both: StartedService[];
let provider: ScriptedProvider;
let clusters: readonly Cluster[];
let other: Database;

beforeAll(async () => {
  second = await startSecondServer();
  const several = (config: Parameters<NonNullable<Parameters<typeof startService>[0]>>[0]) => ({
    ...config,
    otherDatabaseUrls: [second.url],
  });
  first = await startService(several);
  both = [first, await startSibling(first, several)];
  other = openDatabase({ connectionString: second.url }, () => undefined, { connections: 2 });
  clusters = await identifyClusters([first.database, other]);
  provider = await startProvider();
  provider.script = answerPlainly;
  // Exactly one credit an answer, whatever is said: what can be served can be counted.
  const pricing = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 };
  const made = await first.call("POST", "/v1/provider/models", registrationOf(provider, "fixed", { pricing }));
  expect(made.status, made.text).toBe(201);
  for (const service of both)
    await vi.waitUntil(() => service.services.providers.catalogue.byName("fixed").length > 0, { timeout: 240_000 });
});

afterAll(async () => {
  for (const service of [...both].reverse()) await service.stop();
  await other.close();
  await provider.stop();
  await second.remove();
});

const ask = (service: StartedService, key: string, headers: Record<string, string> = {}) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "fixed" }, { key, headers });

const served = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

/** Moves an account and waits until both instances know of it. */
async function move(accountId: string, to: number): Promise<void> {
  await moveAccount(clusters, accountId, to);
  for (const { services } of both)
    await expect.poll(() => services.forAccount?.(accountId) === services).toBe(to === 1);
}

const countOn = async (database: Database, accountId: string) =>
  (await database.query("SELECT 1 FROM requests WHERE account_id = $1", [accountId])).length;

async function sweep(): Promise<void> {
  const placements = new Placements(first.database);
  await placements.reload();
  const transfers = new ClusterTransfers(clusters);
  const sweeper = new ClusterSweeper(clusters, placements, transfers, (error) => {
    throw error;
  });
  await sweeper.copyReferences();
  await sweeper.moveMoney();
}

const expectSound = async () => expect(await findTroubles(clusters)).toEqual([]);

describe("an account that is moved while it runs", () => {
  it("is answered all the time, is charged once for each answer, and keeps its balance", async () => {
    const { id, key } = await openCustomer(first, 500, { requests_per_minute: 5_000 });
    const answers: Answer[] = [];
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, index) => {
      while (!isOver) answers.push(await ask(both[index % 2] ?? first, key));
    });
    for (const to of [2, 1, 2]) {
      const before = answers.length;
      await vi.waitUntil(() => answers.length > before + 16, { timeout: 240_000 });
      await move(id, to);
    }
    const before = answers.length;
    await vi.waitUntil(() => answers.length > before + 16, { timeout: 240_000 });
    isOver = true;
    await Promise.all(load);
    for (const { status, headers, text } of answers) {
      if (status === 200) continue;
      expect([status, headers.get("retry-after"), text]).toEqual([503, "1", expect.stringContaining("being moved")]);
    }
    expect(served(answers)).toBeGreaterThan(64);
    await expect.poll(async () => (await balanceOf(first, key)).balance).toBe(500 - served(answers));
    expect(await countOn(first.database, id)).toBeGreaterThan(0);
    expect(await countOn(other, id)).toBeGreaterThan(0);
    await expectSound();
  });

  it("can spend its last credit, wherever its leases and payments are", async () => {
    const { id, key } = await openCustomer(first, 4);
    for (const service of both) expect((await ask(service, key)).status).toBe(200);
    await move(id, 2);
    for (const service of both) expect((await ask(service, key)).status).toBe(200);
    expect((await ask(first, key)).status).toBe(402);
    const grant = await first.call("POST", `/v1/admin/accounts/${id}/grants`, { amount: 1 });
    expect([grant.status, grant.json.balance]).toEqual([201, 1]);
    expect((await ask(first, key)).status).toBe(200);
    expect((await balanceOf(first, key)).balance).toBe(0);
    await expectSound();
  });

  it("gets an idempotent answer of before again, for one charge", async () => {
    const { id, key } = await openCustomer(first, 10);
    const headers = { "idempotency-key": `once-${newId()}` };
    const original = await ask(first, key, headers);
    for (const to of [2, 1]) {
      await move(id, to);
      for (const service of both) expect((await ask(service, key, headers)).text).toBe(original.text);
    }
    expect((await balanceOf(first, key)).balance).toBe(9);
  });

  it("spends a key's and its own budget to the last credit and not further", async () => {
    const { id, key } = await openCustomer(first, 100, { budget: { limit: 5, period: "day" } });
    expect(served([await ask(first, key), await ask(first, key), await ask(first, key)])).toBe(3);
    await move(id, 2);
    let count = 0;
    for (let turn = 0; count < 2 && turn < 20; turn++) count += served([await ask(both[turn % 2] ?? first, key)]);
    expect(count).toBe(2);
    const refused = await ask(first, key);
    expect([refused.status, refused.json.error.type]).toEqual([402, "budget_exceeded"]);
    await move(id, 1);
    expect((await ask(first, key)).status).toBe(402);
    expect((await balanceOf(first, key)).balance).toBe(95);
  });
});

describe("what is read of an account that was moved", () => {
  it("is the sum over its clusters: requests, usage, keys, statements and the operator's list", async () => {
    const scopes = ["inference", "read", "manage", "billing"];
    const { id, key, keyId } = await openCustomer(first, 10, { scopes });
    const managing = { key };
    const ids = [];
    for (const to of [2, 1, 2]) {
      for (const service of both) ids.push((await ask(service, key)).headers.get("x-request-id"));
      await move(id, to);
    }
    ids.push((await ask(first, key)).headers.get("x-request-id"));
    const read = async (path: string) => {
      const answer = await first.call("GET", path, undefined, managing);
      expect(answer.status, answer.text).toBe(200);
      return answer.json;
    };
    const newest = await read("/v1/requests?limit=4");
    const older = await read(`/v1/requests?limit=4&cursor=${newest.next_cursor}`);
    expect([...newest.data, ...older.data].map((request) => request.id)).toEqual(ids.toReversed());
    for (const requestId of ids) expect((await read(`/v1/requests/${requestId}`)).id).toBe(requestId);
    expect((await read("/v1/requests?model=fixed&status=200")).data).toHaveLength(7);
    await expect.poll(async () => (await read(`/v1/requests?key_id=${keyId}`)).data).toHaveLength(7);
    expect((await read("/v1/usage")).requests).toBe(7);
    expect((await read("/v1/usage/breakdown?group_by=model")).data[0]).toMatchObject({ requests: 7, cost: 7 });
    expect((await read(`/v1/keys/${keyId}`)).spent).toMatchObject({ total: 7 });
    const lines = (await read("/v1/transactions?group=none")).data as { amount: number; balance_after: number }[];
    expect(lines.map(({ amount }) => amount)).toEqual([...Array(7).fill(-1), 10]);
    expect(lines[0]?.balance_after).toBe(3);
    expect(await read("/v1/overview")).toMatchObject({
      balance: 3,
      today: { requests: 7 },
      last_request: { id: ids.at(-1) },
      first_request: { id: ids[0] },
    });
    const series = await read("/v1/usage/series?range=24h&group_by=model");
    expect(series.total).toMatchObject({ requests: 7 });
    const latency = await read("/v1/usage/latency?range=24h");
    expect(latency.total).toMatchObject({ requests: 7 });
    const customer = await first.call("GET", `/v1/admin/accounts/${id}`);
    expect(customer.json).toMatchObject({ balance: 3, last_30_days: { requests: 7, cost: 7 } });
  });
});

describe("the operator", () => {
  const clusterPath = (id: string) => `/v1/admin/accounts/${id}/cluster`;

  it("sees the clusters, moves an account, and sees where it is and what follows", async () => {
    const { id, key } = await openCustomer(first, 10);
    expect((await ask(first, key)).status).toBe(200);
    expect((await first.call("GET", clusterPath(id))).json).toEqual({
      cluster: 1,
      past: [],
      moved_at: null,
      following: 0,
    });
    const list = async () => (await first.call("GET", "/v1/admin/clusters")).json.data;
    const [homeBefore, otherBefore] = await list();
    const moved = await first.call("PUT", clusterPath(id), { cluster: 2 });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.json).toMatchObject({ cluster: 2, past: [1], moved_at: expect.any(String), from: 1 });
    expect(moved.json.moved + moved.json.following).toBe(9);
    await expect.poll(async () => (await ask(first, key)).status).toBe(200);
    await expect.poll(async () => (await first.call("GET", clusterPath(id))).json.following).toBe(0);
    const [homeAfter, otherAfter] = await list();
    expect(homeAfter).toMatchObject({ number: 1, home: true, reachable: true, accounts: homeBefore.accounts - 1 });
    expect(otherAfter).toMatchObject({ number: 2, home: false, reachable: true, accounts: otherBefore.accounts + 1 });
    const there = await first.call("GET", "/v1/admin/accounts?cluster=2&limit=100");
    expect(there.json.data.find((account: { id: string }) => account.id === id)).toMatchObject({ cluster: 2 });
    const here = await first.call("GET", "/v1/admin/accounts?cluster=1&limit=100");
    expect(here.json.data.some((account: { id: string }) => account.id === id)).toBe(false);
    await expectSound();
  });

  it("learns why an account can't be moved", async () => {
    const { id } = await openCustomer(first, 0);
    const operator = await first.services.identity.accounts.findOperator();
    const refusal = async (account: string | undefined, body: unknown) => {
      const { status, json } = await first.call("PUT", clusterPath(account ?? ""), body);
      return [status, json.error.type, json.error.message];
    };
    expect(await refusal(id, { cluster: 1 })).toEqual([409, "conflict", "The account is on cluster 1 already."]);
    expect(await refusal(id, { cluster: 3 })).toEqual([
      400,
      "invalid_request",
      expect.stringContaining("There is no cluster 3."),
    ]);
    for (const cluster of [0, -1, 1.5, "2", null])
      expect(await refusal(id, { cluster })).toEqual([400, "invalid_request", expect.stringContaining("cluster")]);
    expect(await refusal(operator?.id, { cluster: 2 })).toEqual([
      409,
      "conflict",
      "The operator's own account stays on the home cluster.",
    ]);
    expect((await refusal(newId(), { cluster: 2 }))[1]).toBe("not_found");
    expect((await first.call("GET", clusterPath(newId()))).status).toBe(404);
    expect((await first.call("GET", clusterPath(id))).json.cluster).toBe(1);
  });
});

describe("a model of another account", () => {
  it("earns from requests on every cluster, and the earnings come home", async () => {
    const owner = await openCustomer(first, 0);
    const pricing = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 };
    await registerAsOtherAccount(first, owner, registrationOf(provider, "theirs", { pricing }), "active");
    const { id, key } = await openCustomer(first, 10);
    const askFor = () =>
      first.call(
        "POST",
        "/v1/ai/request",
        { task: "chat", input: "Hello", model: `${owner.provider}/theirs` },
        { key },
      );
    expect((await askFor()).status).toBe(200);
    await move(id, 2);
    expect((await askFor()).status).toBe(200);
    for (const { database } of clusters) await sealLedger(database);
    await sweep();
    for (const { database } of clusters) await new PostgresProviderEarnings(database).collect(100_000);
    await sweep();
    const standing = await first.call("GET", "/v1/provider/earnings", undefined, { key: owner.key });
    expect(standing.status, standing.text).toBe(200);
    expect(standing.json).toMatchObject({ payable: 1.8, this_month: { requests: 2, gross: 2, net: 1.8 } });
    await expectSound();
  });
});

describe("a cluster that is away", () => {
  it("keeps its own accounts waiting with 503, and no others", async () => {
    const here = await openCustomer(first, 10);
    const there = await openCustomer(first, 10);
    await move(there.id, 2);
    expect((await ask(first, there.key)).status).toBe(200);
    await second.stop();
    try {
      expect((await ask(first, here.key)).status).toBe(200);
      const refused = await ask(both[1] ?? first, there.key);
      expect([refused.status, refused.json.error.type]).toEqual([503, "unavailable"]);
      expect((await first.call("GET", "/readyz", undefined, { key: null })).status).toBe(200);
      const [, away] = (await first.call("GET", "/v1/admin/clusters")).json.data;
      expect(away).toMatchObject({ number: 2, reachable: false, accounts: null, balance: null });
      const move = await first.call("PUT", `/v1/admin/accounts/${here.id}/cluster`, { cluster: 2 });
      expect([move.status, move.json.error.type]).toEqual([503, "unavailable"]);
      expect((await ask(first, here.key)).status).toBe(200);
    } finally {
      await second.start();
    }
    await expect.poll(async () => (await ask(both[1] ?? first, there.key)).status).toBe(200);
    await expect.poll(() => findTroubles(clusters)).toEqual([]);
  });
});
