import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type ReplicatedPostgres, startReplicatedPostgres } from "../support/replicated-postgres.ts";
import { type Answer, type StartedService, startServiceOn } from "../support/started-service.ts";

let servers: ReplicatedPostgres;
let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  [servers, provider] = await Promise.all([startReplicatedPostgres(true), startProvider()]);
  provider.script = answerPlainly;
  const databaseReadUrl = servers.urlOf("?target_session_attrs=standby");
  service = await startServiceOn({ connectionString: servers.urlOf() }, (config) => ({ ...config, databaseReadUrl }));
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
  await servers.stop();
});

const ask = (idempotencyKey?: string) =>
  service.call(
    "POST",
    "/v1/ai/request",
    { task: "chat", input: "Hello", model: "plain" },
    { key: customer.key, headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey } },
  );
const look = (path: string) => service.call("GET", path, undefined, { key: customer.key });
const ageOf = ({ headers }: Answer) => headers.get("x-trunkline-data-age");
const TIMEOUT = { timeout: 60_000, interval: 200 };

describe("a standby", () => {
  it("is read for usage and the list of requests, and the answer says how old they may be", async () => {
    expect((await ask()).status).toBe(200);
    for (const path of ["/v1/usage", "/v1/usage/breakdown", "/v1/usage/series", "/v1/usage/latency", "/v1/requests"]) {
      await expect.poll(async () => Number(ageOf(await look(path)) ?? 99), TIMEOUT).toBeLessThan(30);
    }
    await expect.poll(async () => (await look("/v1/usage")).json.requests, TIMEOUT).toBe(1);
    // One record is looked up where it was written: a client looks right after its request.
    const { id } = (await look("/v1/requests")).json.data[0];
    expect(ageOf(await look(`/v1/requests/${id}`))).toBeNull();
  });

  it("shows what it had when its replay stopped, until it is back in step", async () => {
    await servers.standby.ask("SELECT pg_wal_replay_pause()");
    await ask();
    const stale = await look("/v1/usage");
    expect([stale.json.requests, ageOf(stale) === null]).toEqual(ageOf(stale) === null ? [2, true] : [1, false]);
    await servers.standby.ask("SELECT pg_wal_replay_resume()");
    await expect.poll(async () => (await look("/v1/usage")).json.requests, TIMEOUT).toBe(2);
  });
});

describe("a primary that is lost", () => {
  it("is replaced by its standby: every answer is charged once, and the service goes on by itself", async () => {
    const answered: Answer[] = [];
    let isOver = false;
    const clients = [1, 2, 3].map(async (client) => {
      for (let turn = 0; !isOver; turn++) {
        const key = `client-${client}-${turn}`;
        let answer = await ask(key);
        while (answer.status !== 200) answer = await ask(key);
        answered.push(answer);
      }
    });
    const since = (count: number) => expect.poll(() => answered.length, TIMEOUT).toBeGreaterThan(count);
    await since(5);
    await servers.primary.kill();
    expect((await service.call("GET", "/readyz")).status).toBe(503);
    await servers.standby.promote();
    await since(answered.length + 5);
    await expect.poll(async () => (await service.call("GET", "/readyz")).status, TIMEOUT).toBe(200);
    isOver = true;
    await Promise.all(clients);

    const total = answered.length + 2;
    await expect.poll(async () => (await look("/v1/usage")).json.requests, TIMEOUT).toBe(total);
    const cost = answered.reduce((sum, { json }) => sum + json.cost, 0) / answered.length;
    const { balance } = await balanceOf(service, customer.key);
    expect(10 - balance).toBeCloseTo(total * cost, 9);
  });
});
