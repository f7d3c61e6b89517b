import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const REQUESTS = 150;
const AT_A_TIME = 8;
/** The failures in a row after which an endpoint is left alone. */
const FAILURES_UNTIL_OUT = 5;
const MOST_CALLS_PER_REQUEST = 1.1;
/** What the first may take until it says something; short enough to wait for, long enough for a busy machine. */
const FIRST_BYTE_MS = 3_000;
/** Of the three models, for a thousand tokens. */
const PRICES = [0.0001, 0.0002, 0.0003];
const BACK_WITHIN_MS = 30_000;

const clock = new ManualClock(Date.now());
let service: StartedService;
let providers: ScriptedProvider[];
let customer: Customer;
let names: string[];
let registered = 0;

beforeAll(async () => {
  service = await startService(
    (config) => ({
      ...config,
      limits: { ...config.limits, requestsPerMinute: 1e6, accountRequestsPerMinute: 1e6, burst: 1e6 },
    }),
    undefined,
    clock,
  );
});

beforeEach(async () => {
  registered++;
  providers = await Promise.all([startProvider(), startProvider(), startProvider()]);
  names = providers.map((_, place) => `model-${registered}-${place}`);
  for (const [place, provider] of providers.entries()) {
    const both = PRICES[place] ?? 0;
    const body = registrationOf(provider, names[place] ?? "", {
      pricing: { input_per_1k_tokens: both, output_per_1k_tokens: both },
      ...(place === 0 ? { limits: { first_byte_ms: FIRST_BYTE_MS } } : {}),
    });
    const made = await service.call("POST", "/v1/provider/models", body);
    expect(made.status, made.text).toBe(201);
  }
  customer = await openCustomer(service, 100, { models: names });
});

afterEach(async () => {
  await Promise.all(providers.map((provider) => provider.stop()));
});

afterAll(() => service.stop());

const ask = () =>
  service.call(
    "POST",
    "/v1/ai/request",
    { task: "chat", input: "Good morning to you.", route: "cost" },
    { key: customer.key },
  );

/** Sends many requests, some at a time, and says what each was answered. */
async function askMany(
  count: number,
  atATime = AT_A_TIME,
): Promise<{ readonly status: number; readonly model: string }[]> {
  const answers: { status: number; model: string }[] = [];
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const { status, json } = await ask();
      answers.push({ status, model: json?.model_used });
    }
  };
  await Promise.all(Array.from({ length: atATime }, one));
  return answers;
}

const callsOf = (place: number) => providers[place]?.calls.length ?? 0;
const allCalls = () => providers.reduce((sum, { calls }) => sum + calls.length, 0);

/** How often the service has called the first model, also where the provider could not count. */
async function triesOfFirst(): Promise<number> {
  const shown = await service.call("GET", `/v1/models/${names[0]}`);
  return shown.json.providers[0].live.calls;
}

/** Time passes and requests come, until the first model answers again; says how long that took. */
async function msUntilBack(): Promise<number> {
  const stepMs = 1_000;
  for (let waitedMs = 0; waitedMs <= 2 * BACK_WITHIN_MS; waitedMs += stepMs) {
    const { json } = await ask();
    if (json.model_used === names[0]) return waitedMs;
    clock.advance(stepMs);
  }
  return Number.POSITIVE_INFINITY;
}

const fails: Script = (response) => void response.writeHead(500).end("{}");
const hangs: Script = () => undefined;
const garbles: Script = (response) => void response.end("<html>It works!</html>");
const resets: Script = (response) => void response.socket?.resetAndDestroy();

describe("with one of three models failing completely, clients notice nothing:", () => {
  it.each([
    ["it answers 500", fails, 0],
    ["it hangs until the first byte is overdue", hangs, 0],
    ["it sends garbage", garbles, 0],
    // A request that meets a kept connection closing is sent once more, and that many connections were kept.
    ["it resets the connection", resets, AT_A_TIME],
  ])("%s", async (_how, script, resent) => {
    const [first] = providers;
    if (first === undefined) throw new Error("There is no first provider.");
    expect((await askMany(AT_A_TIME)).every(({ model }) => model === names[0])).toBe(true);
    const before = allCalls();
    const calledBefore = callsOf(0);
    first.script = script;

    const answers = await askMany(REQUESTS);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(callsOf(0) - calledBefore).toBeLessThanOrEqual(FAILURES_UNTIL_OUT + AT_A_TIME + resent);
    expect(allCalls() - before).toBeLessThanOrEqual(REQUESTS * MOST_CALLS_PER_REQUEST + resent);

    first.script = answerPlainly;
    expect(await msUntilBack()).toBeLessThanOrEqual(BACK_WITHIN_MS);
    const after = await askMany(AT_A_TIME);
    expect(after.filter(({ model }) => model !== names[0])).toEqual([]);
  });

  it("its port has no listener", async () => {
    const [first] = providers;
    if (first === undefined) throw new Error("There is no first provider.");
    await askMany(AT_A_TIME);
    const before = await triesOfFirst();
    const port = Number(new URL(first.endpoint).port);
    await first.stop();

    const answers = await askMany(REQUESTS);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await triesOfFirst()) - before).toBeLessThanOrEqual(FAILURES_UNTIL_OUT + AT_A_TIME);

    providers[0] = await startProvider(answerPlainly, port);
    expect(await msUntilBack()).toBeLessThanOrEqual(BACK_WITHIN_MS);
    expect(callsOf(0)).toBeGreaterThan(0);
  });

  it("and one that comes and goes is taken back each time", async () => {
    const [first] = providers;
    if (first === undefined) throw new Error("There is no first provider.");
    for (let outage = 0; outage < 3; outage++) {
      first.script = fails;
      // Few at a time: outage after outage must stay within the budget for retries.
      const answers = await askMany(40, 4);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      first.script = answerPlainly;
      expect(await msUntilBack()).toBeLessThanOrEqual(BACK_WITHIN_MS);
    }
  });
});

describe("a provider that is busy", () => {
  it("is left alone for as long as it says, and then called again", async () => {
    const [first] = providers;
    if (first === undefined) throw new Error("There is no first provider.");
    first.script = (response) => void response.writeHead(429, { "retry-after": "12" }).end("{}");
    expect((await askMany(REQUESTS)).filter(({ status }) => status !== 200)).toEqual([]);
    const called = callsOf(0);
    expect(called).toBeLessThanOrEqual(AT_A_TIME);
    first.script = answerPlainly;
    clock.advance(11_000);
    await askMany(AT_A_TIME);
    expect(callsOf(0)).toBe(called);
    clock.advance(2_000);
    expect((await ask()).json.model_used).toBe(names[0]);
  });
});

describe("a change of prices", () => {
  const change = (place: number, both: number) =>
    service.call("PATCH", `/v1/provider/models/${names[place]}`, {
      pricing: { input_per_1k_tokens: both, output_per_1k_tokens: both },
    });

  it("is followed at once, up and down, by those who want the cheapest", async () => {
    expect((await ask()).json.model_used).toBe(names[0]);
    expect((await change(0, 0.01)).status).toBe(200);
    const dear = await askMany(AT_A_TIME);
    expect(dear.filter(({ model }) => model !== names[1])).toEqual([]);
    expect((await change(2, 0.00005)).status).toBe(200);
    const cheap = await askMany(AT_A_TIME);
    expect(cheap.filter(({ model }) => model !== names[2])).toEqual([]);
  });

  it("brings in a new model that is cheaper with the next request", async () => {
    const [, second] = providers;
    if (second === undefined) throw new Error("There is no second provider.");
    const name = `model-${registered}-new`;
    const key = await openCustomer(service, 10, { models: [...names, name] });
    const body = registrationOf(second, name, {
      pricing: { input_per_1k_tokens: 0.00001, output_per_1k_tokens: 0.00001 },
    });
    expect((await service.call("POST", "/v1/provider/models", body)).status).toBe(201);
    const answer = await service.call(
      "POST",
      "/v1/ai/request",
      { task: "chat", input: "Good morning to you.", route: "cost" },
      { key: key.key },
    );
    expect(answer.json.model_used).toBe(name);
  });
});
