import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

const fails: Script = (response) => void response.writeHead(500).end("{}");

let service: StartedService;
let cheap: ScriptedProvider;
let dear: ScriptedProvider;
let clock: ManualClock;

beforeAll(async () => {
  cheap = await startProvider();
  dear = await startProvider();
});

beforeEach(async () => {
  clock = new ManualClock(Date.now());
  service = await startService(
    (config) => ({ ...config, routing: { ...config.routing, probes: true } }),
    undefined,
    clock,
  );
  cheap.script = answerPlainly;
  dear.script = answerPlainly;
  cheap.calls.length = 0;
  dear.calls.length = 0;
  const price = (amount: number) => ({
    pricing: { input_per_1k_tokens: amount, output_per_1k_tokens: amount },
    specialties: ["weaving"],
  });
  for (const body of [registrationOf(cheap, "cheap", price(0.001)), registrationOf(dear, "dear", price(0.01))])
    expect((await service.call("POST", "/v1/provider/models", body)).status).toBe(201);
});

afterEach(() => service.stop());

afterAll(async () => {
  await cheap.stop();
  await dear.stop();
});

/** Who answers a request that wants one model, and takes the other where that can't be had. */
async function whoAnswers(): Promise<string> {
  const body = { task: "chat", input: "Hello", model: "cheap", fallbacks: ["dear"] };
  const answer = await service.call("POST", "/v1/ai/request", body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.model_used;
}

const healthOf = async (name: string) => (await service.call("GET", `/v1/provider/models/${name}`)).json.health;

describe("an endpoint that fails completely", () => {
  it("is left within five failures, and is back within 30 seconds of being well again", async () => {
    expect(await whoAnswers()).toBe("cheap");
    cheap.script = fails;
    for (let request = 0; request < 12; request++) expect(await whoAnswers()).toBe("dear");
    expect(cheap.calls).toHaveLength(6);
    expect(await healthOf("cheap")).toMatchObject({ available: false, breaker: "open" });
    // Long enough that its times have grown as far as they do.
    for (let second = 0; second < 90; second += 5) {
      clock.advance(5_000);
      expect(await whoAnswers()).toBe("dear");
    }
    expect(cheap.calls.length).toBeLessThan(20);

    cheap.script = answerPlainly;
    const answered: string[] = [];
    for (let second = 0; second < 30; second++) {
      clock.advance(1_000);
      answered.push(await whoAnswers());
    }
    expect(answered).toContain("cheap");
    clock.advance(1_000);
    for (let request = 0; request < 5; request++) expect(await whoAnswers()).toBe("cheap");
    expect(await healthOf("cheap")).toMatchObject({ available: true, breaker: "closed" });
  });

  it("is left at once when it fails while it comes back", async () => {
    cheap.script = fails;
    for (let request = 0; request < 6; request++) expect(await whoAnswers()).toBe("dear");
    clock.advance(5_000);
    cheap.script = answerPlainly;
    expect(await whoAnswers()).toBe("cheap");
    expect(await healthOf("cheap")).toMatchObject({ breaker: "ramping" });
    cheap.script = fails;
    const before = cheap.calls.length;
    clock.advance(9_000);
    for (let request = 0; request < 60 && cheap.calls.length === before; request++) await whoAnswers();
    expect(await healthOf("cheap")).toMatchObject({ breaker: "open", available: false });
  });
});

describe("an endpoint that becomes slow", () => {
  it("is left by those who want speed within twenty of its calls, though it never fails", async () => {
    const taking: (ms: number) => Script = (ms) => (response, call) => {
      clock.advance(ms);
      return answerPlainly(response, call);
    };
    const fastest = async () => {
      const body = { task: "weaving", input: "Hello", route: "speed" };
      return (await service.call("POST", "/v1/ai/request", body)).json.model_used;
    };
    cheap.script = taking(100);
    dear.script = taking(400);
    for (const model of ["cheap", "dear"])
      for (let request = 0; request < 30; request++)
        await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model });
    expect(await fastest()).toBe("cheap");
    cheap.script = taking(4_000);
    const before = cheap.calls.length;
    for (let request = 0; request < 40; request++) await fastest();
    expect(cheap.calls.length - before).toBeLessThanOrEqual(20);
    expect(await fastest()).toBe("dear");
  });
});

describe("a provider that says how much it still takes", () => {
  it("is known by it, and left alone while nothing is left", async () => {
    const saying: (limit: string) => Script = (limit) => (response, call) => {
      response.setHeader("ratelimit", limit);
      return answerPlainly(response, call);
    };
    cheap.script = saying('"default";r=7;t=30');
    expect(await whoAnswers()).toBe("cheap");
    expect(await healthOf("cheap")).toMatchObject({ room: 7, available: true });
    cheap.script = saying('"default";r=0;t=30');
    expect(await whoAnswers()).toBe("cheap");
    expect(await whoAnswers()).toBe("dear");
    clock.advance(30_000);
    expect(await whoAnswers()).toBe("cheap");
  });
});

describe("a probe", () => {
  const spent = async () => (await service.call("GET", "/v1/usage")).json;

  it("shows how an idle model does, is charged to no account and is on no record", async () => {
    expect(await whoAnswers()).toBe("cheap");
    const before = await spent();
    await service.services.providers.prober.round();
    // The second of the candidates was not called yet.
    expect([cheap.calls.length, dear.calls.length]).toEqual([1, 1]);
    expect(dear.calls[0]?.body.parameters).toMatchObject({ max_tokens: 16 });
    expect(dear.calls[0]?.headers["x-request-id"]).toMatch(/^probe-/);
    expect(await healthOf("dear")).toMatchObject({ calls: 1, latency_ms: null });
    expect(await spent()).toEqual(before);
    const metrics = await service.call("GET", "/metrics", undefined, { key: null });
    expect(metrics.text).toContain('trunkline_probes_total{outcome="answered"} 1');
    expect(metrics.text).toContain('trunkline_endpoints{state="closed"} 2');
  });

  it("is made by one instance, and only every 15 seconds", async () => {
    await whoAnswers();
    await service.services.providers.prober.round();
    clock.advance(180_000);
    await service.services.providers.prober.round();
    expect(cheap.calls.length + dear.calls.length).toBe(2);
  });

  it("goes to no model that no route considered", async () => {
    await service.services.providers.prober.round();
    expect(cheap.calls.length + dear.calls.length).toBe(0);
  });

  it("brings back an endpoint that is well again, before a request has to try it", async () => {
    cheap.script = fails;
    for (let request = 0; request < 6; request++) expect(await whoAnswers()).toBe("dear");
    cheap.script = answerPlainly;
    clock.advance(5_000);
    await service.services.providers.prober.round();
    expect(await healthOf("cheap")).toMatchObject({ breaker: "ramping" });
    expect((await service.call("GET", "/metrics", undefined, { key: null })).text).toContain(
      'trunkline_endpoint_ejections_total{why="failures"} 1',
    );
  });
});
