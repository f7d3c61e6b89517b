import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { SeverableStore } from "../support/severable-store.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";

const way = new SeverableStore();
let shared: TestDatabase;
let services: readonly StartedService[];

beforeAll(async () => {
  shared = await createTestDatabase();
  services = [
    await startService(undefined, async () => shared.address),
    await startService(undefined, async () => shared.address),
    await startService(undefined, () => way.reach(shared.address)),
  ];
});

afterAll(async () => {
  way.mend();
  await Promise.all(services.map((service) => service.stop()));
  way.stop();
  await shared.drop();
});

function serviceAt(nth: number): StartedService {
  const service = services[nth % services.length];
  if (service === undefined) throw new Error("No service was started.");
  return service;
}

const customerOf = (requestsPerMinute?: number): Promise<Customer> =>
  openCustomer(serviceAt(0), 0, requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute });

const send = (nth: number, { key }: Customer) => serviceAt(nth).call("GET", "/v1/models", undefined, { key });

const leftIn = ({ headers }: Answer) => Number(headers.get("ratelimit")?.match(/r=(\d+)/)?.[1]);
const admittedOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

describe("a key's limit on three instances", () => {
  it("is one limit: what one instance admits the others do not", async () => {
    const customer = await customerOf(4);
    const answers: Answer[] = [];
    for (let nth = 0; nth < 6; nth++) answers.push(await send(nth, customer));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429]);
    expect(answers.map(leftIn)).toEqual([3, 2, 1, 0, 0, 0]);
    for (const refused of answers.slice(4)) {
      expectRefusal(refused, 429, "rate_limited");
      expect(refused.headers.get("ratelimit-policy")).toBe('"default";q=4;w=60');
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    }
  });

  it.each([
    ["all on one", () => 1],
    ["even", (nth: number) => nth],
    ["moving", (nth: number) => Math.floor(nth / 20)],
  ])("admits it exactly where it is small, however many come at once, with traffic %s", async (_name, spread) => {
    const customer = await customerOf(30);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, nth) => send(spread(nth), customer)));
    expect(admittedOf(answers)).toBe(30);
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  });

  it("admits the burst of 100 once, not once on each", async () => {
    const customer = await customerOf();
    const since = performance.now();
    const answers: Answer[] = [];
    for (let round = 0; round < 5; round++)
      answers.push(...(await Promise.all(Array.from({ length: 60 }, (_, nth) => send(nth, customer)))));
    const refilled = ((performance.now() - since) / 1_000) * 10;
    expect(admittedOf(answers)).toBeGreaterThanOrEqual(100 - 3 * 6);
    // Each instance may hold a lease that the bucket has made up for meanwhile.
    expect(admittedOf(answers)).toBeLessThanOrEqual(100 + Math.ceil(refilled) + 2 * 6);
  });

  it("holds on all of them from the next request on when it is changed", async () => {
    const customer = await customerOf(2);
    for (let nth = 0; nth < 2; nth++) await send(nth, customer);
    expect((await send(2, customer)).status).toBe(429);
    const patch = { requests_per_minute: 6_000 };
    const changed = await serviceAt(0).call("PATCH", `/v1/keys/${customer.keyId}`, patch, {
      key: await makeManager(customer),
    });
    expect(changed.status, changed.text).toBe(200);
    for (let nth = 0; nth < 3; nth++) await expect.poll(async () => (await send(nth, customer)).status).toBe(200);
  });
});

describe("an account's ceiling", () => {
  const setCeiling = async ({ id }: Customer, requests_per_minute: number | null) => {
    const changed = await serviceAt(0).call("PATCH", `/v1/admin/accounts/${id}`, { requests_per_minute });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.requests_per_minute).toBe(requests_per_minute);
  };
  /** A caller may know the old ceiling until its instance hears of the new one. */
  const awaitCeiling = async ({ key }: Customer, ceiling: number) => {
    for (let nth = 0; nth < 3; nth++)
      await expect
        .poll(async () => (await serviceAt(nth).call("GET", "/v1/settings", undefined, { key })).json)
        .toMatchObject({ requests_per_minute: ceiling });
  };

  it("is one for all its keys on all instances, until the operator raises it", async () => {
    const customer = await customerOf();
    const other = { ...customer, key: await makeManager(customer) };
    const watcher = await customerOf();
    await setCeiling(customer, 30);
    const answers: Answer[] = [];
    for (let nth = 0; nth < 36; nth++) answers.push(await send(nth, nth % 2 === 0 ? customer : other));
    expect(admittedOf(answers)).toBe(30);
    const refused = answers.at(-1);
    if (refused === undefined) throw new Error("Nobody answered.");
    expectRefusal(refused, 429, "rate_limited");
    expect(refused.json.error.message).toContain("All keys of this account together may send 30 requests a minute");
    expect(refused.headers.get("ratelimit-policy")).toBe('"default";q=30;w=60');
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send(0, watcher)).status).toBe(200);
    await setCeiling(customer, null);
    for (let nth = 0; nth < 3; nth++) await expect.poll(async () => (await send(nth, other)).status).toBe(200);
  });

  it("bounds the rate of its keys, unless the operator gives one more, which raises it", async () => {
    const customer = await customerOf();
    const manager = await makeManager(customer);
    const call = (method: "POST" | "PATCH", path: string, rate: number) =>
      serviceAt(0).call(method, path, { name: "Fast", scopes: ["read"], requests_per_minute: rate }, { key: manager });
    await setCeiling(customer, 5_000);
    const above = await call("POST", "/v1/keys", 5_001);
    expectRefusal(above, 400, "invalid_request", { param: "requests_per_minute" });
    expect(above.json.error.message).toContain("may send 5000 requests a minute together");
    const made = await call("POST", "/v1/keys", 5_000);
    expect(made.status, made.text).toBe(201);
    const path = `/v1/keys/${made.json.id}`;
    expectRefusal(await call("PATCH", path, 5_001), 400, "invalid_request", { param: "requests_per_minute" });
    // A rate from before the ceiling was lowered may stay.
    await setCeiling(customer, 4_000);
    expect((await call("PATCH", path, 5_000)).status).toBe(200);
    expectRefusal(await call("PATCH", path, 4_500), 400, "invalid_request", { param: "requests_per_minute" });

    const fast = await openKey(customer, 50_000);
    await awaitCeiling({ ...customer, key: fast }, 50_000);
    await openKey(customer, 10);
    const { json } = await serviceAt(0).call("GET", `/v1/admin/accounts/${customer.id}`);
    expect(json.requests_per_minute).toBe(50_000);
  });

  it.each([0, -1, 1.5, 10_000_001, "600"])("can't be %j", async (rate) => {
    const { id } = await customerOf();
    const refused = await serviceAt(0).call("PATCH", `/v1/admin/accounts/${id}`, { requests_per_minute: rate });
    expectRefusal(refused, 400, "invalid_request", { param: "requests_per_minute" });
  });

  it("is the operator's to set, and none has the operator's own account", async () => {
    const { id, key } = await customerOf();
    const body = { requests_per_minute: 1_000_000 };
    const own = await serviceAt(0).call("PATCH", `/v1/admin/accounts/${id}`, body, { key });
    expectRefusal(own, 403, "insufficient_scope");
    expect((await serviceAt(0).call("GET", "/v1/settings")).json.requests_per_minute).toBeNull();
    const { json } = await serviceAt(0).call("GET", "/v1/admin/accounts?q=operator");
    const operator = json.data.find((account: { operator: boolean }) => account.operator);
    const refused = await serviceAt(0).call("PATCH", `/v1/admin/accounts/${operator.id}`, body);
    expectRefusal(refused, 409, "conflict", { param: "requests_per_minute" });
  });
});

/** Another key of the same account, which may change the first. */
function makeManager(customer: Customer): Promise<string> {
  return openKey(customer, 6_000);
}

async function openKey({ id }: Customer, requestsPerMinute: number): Promise<string> {
  const made = await serviceAt(0).call("POST", `/v1/admin/accounts/${id}/keys`, {
    name: "Manager",
    scopes: ["inference", "read", "manage", "provider"],
    requests_per_minute: requestsPerMinute,
  });
  expect(made.status, made.text).toBe(201);
  return made.json.key;
}

describe("an instance whose store is away", () => {
  it("answers 503 to a key within its limit, never 429, while the others go on", async () => {
    const customer = await customerOf();
    expect((await send(2, customer)).status).toBe(200);
    way.cut();
    try {
      const answers: Answer[] = [];
      for (let nth = 0; nth < 8; nth++) answers.push(await send(2, customer));
      const refused = answers.at(-1);
      if (refused === undefined) throw new Error("Nobody answered.");
      expectRefusal(refused, 503, "unavailable");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
      expect((await send(0, customer)).status).toBe(200);
    } finally {
      way.mend();
    }
    await expect.poll(async () => (await send(2, customer)).status).toBe(200);
  });
});
