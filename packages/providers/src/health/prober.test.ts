import type { Model } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { recordAnswer } from "@trunkline/testing/recorded-calls.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import { candidateCalled, finish, hello, inGroups, says } from "@trunkline/testing/scripted-call.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";
import { Prober, type ProberOptions } from "./prober.ts";

const MINUTE_MS = 60_000;
const broken = new ProviderFailure("broken", "it broke");
const refusal = new ProviderFailure("refused", "refused our credential", { outage: "credential" });

let clock: ManualClock;
let health: EndpointHealth;
let probed: string[];
let errors: unknown[];

beforeEach(() => {
  clock = new ManualClock();
  health = new EndpointHealth(clock, () => 0);
  probed = [];
  errors = [];
});

const answer = (modelId: string) =>
  recordAnswer(health, (ms) => clock.advance(ms), modelId, { ms: 500, firstPartMs: 100, outputTokens: 200 });

const model = (name: string, more: Partial<Model> = {}): Model => ({
  ...sampleModel(`acme/${name}`, { id: name, streaming: true }),
  ...more,
});

function open(models: readonly Model[], changes: Partial<ProberOptions> = {}): Prober {
  return new Prober({
    isEnabled: true,
    health,
    clock,
    random: () => 0,
    adapterFor: ({ name }) => ({
      call: (call) => {
        probed.push(name);
        clock.advance(200);
        return inGroups(says(hello, finish)(call));
      },
    }),
    models: () => models,
    claimTurn: async () => true,
    onError: (error) => errors.push(error),
    ...changes,
  });
}

const routeOf = (...models: readonly Model[]) => models.map((each) => ({ ...candidateCalled(each.name), model: each }));

describe("Prober", () => {
  it("calls the one of the first three candidates that was idle for longest", async () => {
    const models = ["a", "b", "c", "d"].map((name) => model(name));
    const prober = open(models);
    prober.considered(routeOf(...models));
    answer("b");
    clock.advance(MINUTE_MS);
    answer("a");
    answer("c");
    // A probe takes 200 ms: when the first one ends, these have been idle for exactly two minutes.
    clock.advance(2 * MINUTE_MS - 200);
    for (let round = 0; round < 4; round++) await prober.round();
    expect(probed).toEqual(["b"]);
    clock.advance(1);
    for (let round = 0; round < 4; round++) await prober.round();
    expect(probed.toSorted()).toEqual(["a", "b", "c"]);
    expect(health.of("b").firstPartMs).toBeLessThan(200);
    expect(prober.outcomes()).toEqual(new Map([["answered", 3]]));
  });

  it("first probes endpoints that wait for a trial call", async () => {
    const models = ["idle", "ejected"].map((name) => model(name));
    const prober = open(models);
    prober.considered(routeOf(...models));
    for (let call = 0; call < 5; call++) health.observe("ejected").failed(broken);
    await prober.round();
    clock.advance(5_000);
    await prober.round();
    expect(probed).toEqual(["idle", "ejected"]);
    expect(health.of("ejected").state).toBe("ramping");
  });

  /** A provider that refuses every call. */
  const refusing: Partial<ProberOptions> = {
    adapterFor: ({ name }) => ({
      call: (call) => {
        probed.push(name);
        return inGroups(says(refusal)(call));
      },
    }),
  };

  it("probes an endpoint with an outage when its next try is due, as long as routes consider it", async () => {
    const models = [model("out"), model("forgotten")];
    const prober = open(models, refusing);
    for (const { name } of models) health.observe(name).failed(refusal);
    clock.advance(5 * MINUTE_MS - 1);
    prober.considered(routeOf(model("out")));
    await prober.round();
    expect(probed).toEqual([]);
    clock.advance(1);
    for (let round = 0; round < 3; round++) await prober.round();
    expect(probed).toEqual(["out"]);
    expect(health.of("out").outage?.nextTryMs).toBe(clock.now() + 10 * MINUTE_MS);
    expect(prober.outcomes()).toEqual(new Map([["failed", 1]]));
  });

  it("lets owners and their models take turns, however many models of one owner fail", async () => {
    const bad = Array.from({ length: 20 }, (_, place) => model(`bad-${place}`, { accountId: "bad-account" }));
    const good = ["good-0", "good-1"].map((name) => model(name, { accountId: "good-account" }));
    const prober = open([...bad, ...good], refusing);
    for (const { name } of bad) health.observe(name).failed(refusal);
    clock.advance(5 * MINUTE_MS);
    for (const one of [...bad, ...good]) prober.considered(routeOf(one));
    for (let round = 0; round < 4; round++) {
      await prober.round();
      clock.advance(15_000);
    }
    expect(probed).toEqual(["bad-0", "good-0", "bad-1", "good-1"]);
  });

  it("makes no probe after stop, also if that comes while it waits for its turn", async () => {
    const models = [model("m")];
    let stopping: Promise<void> | undefined;
    const prober: Prober = open(models, {
      claimTurn: async () => {
        stopping = prober.stop();
        return true;
      },
    });
    prober.considered(routeOf(...models));
    await prober.round();
    await stopping;
    await prober.round();
    expect(probed).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each<[string, Partial<Model>]>([
    ["a built-in model", { wire: "builtin" }],
    ["a model under an account's own key", { ownKey: true }],
    ["an image model", { type: "image" }],
    ["a realtime model", { type: "multimodal", capabilities: ["realtime"] }],
    ["a model that is suspended", { state: "suspended" }],
    ["a model without a price", { price: undefined }],
  ])("never calls %s", async (_what, more) => {
    const models = [model("m", more)];
    const prober = open(models);
    prober.considered(routeOf(...models));
    await prober.round();
    expect(probed).toEqual([]);
  });

  it("does not probe an endpoint that no route considered for ten minutes", async () => {
    const models = [model("m")];
    const prober = open(models);
    prober.considered(routeOf(...models));
    clock.advance(10 * MINUTE_MS + 1);
    await prober.round();
    expect(probed).toEqual([]);
  });

  it("makes no probe when it is another instance's turn, or when it is disabled", async () => {
    const models = [model("m")];
    for (const changes of [{ claimTurn: async () => false }, { isEnabled: false }]) {
      const prober = open(models, changes);
      prober.considered(routeOf(...models));
      await prober.round();
    }
    expect(probed).toEqual([]);
  });

  it("makes one probe at a time, and frees its slot when a bug ends it", async () => {
    const models = [model("m")];
    const prober = open(models, {
      adapterFor: () => ({
        call: (call) => {
          probed.push("m");
          return inGroups(says(new Error("A bug."))(call));
        },
      }),
    });
    prober.considered(routeOf(...models));
    await Promise.all([prober.round(), prober.round()]);
    expect(probed).toEqual(["m"]);
    expect(errors).toHaveLength(1);
    expect(health.of("m")).toMatchObject({ inFlight: 0, calls: 0, available: true });
  });
});
