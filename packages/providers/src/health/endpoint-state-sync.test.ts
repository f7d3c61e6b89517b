import { type OutageCause, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";
import type { EndpointSnapshot, EndpointStateStore } from "./endpoint-snapshot.ts";
import { EndpointStateSync } from "./endpoint-state-sync.ts";
import { OutageNotifier } from "./outage-notifier.ts";

const broken = new ProviderFailure("broken", "it broke");
const refusal = new ProviderFailure("refused", "refused our credential", { outage: "credential" });
const fine = { ms: 500, firstPartMs: 100, outputTokens: 200 };

class MemoryStates implements EndpointStateStore {
  readonly rows = new Map<string, EndpointSnapshot>();
  readonly announced: string[] = [];
  isAway = false;

  async put(snapshots: readonly EndpointSnapshot[], urgent: ReadonlySet<string>): Promise<void> {
    if (this.isAway) throw new Error("The store is away.");
    for (const snapshot of snapshots) this.rows.set(snapshot.modelId, snapshot);
    this.announced.push(...urgent);
  }

  async read({ modelIds }: { readonly modelIds?: readonly string[] }): Promise<EndpointSnapshot[]> {
    return [...this.rows.values()].filter(({ modelId }) => modelIds?.includes(modelId) ?? true);
  }
}

let clock: HeldClock;
let states: MemoryStates;
let outages: Map<string, OutageCause>;
let troubles: unknown[];

beforeEach(() => {
  clock = new HeldClock();
  states = new MemoryStates();
  outages = new Map();
  troubles = [];
});

function open(instanceId: string) {
  const health = new EndpointHealth(clock, () => 0);
  const onError = (error: unknown) => void troubles.push(error);
  const teller = new OutageNotifier({
    store: {
      begin: async (modelId, why) => outages.set(modelId, why).size > 0,
      end: async (modelId) => outages.delete(modelId),
      all: async () => [...outages.keys()],
    },
    clock,
    ownerOf: (model) => ({ accountId: "owner", model }),
    compose: (type) => ({ id: "event", type, body: "{}" }),
    onQueued: () => undefined,
    onError,
  });
  const isShared = (modelId: string) => !modelId.startsWith("own");
  const keeper = new EndpointStateSync({
    store: states,
    health,
    outageNotifier: teller,
    instanceId,
    isShared,
    onError,
  });
  return { health, keeper };
}

describe("EndpointKeeper", () => {
  it("writes what has changed, and that once", async () => {
    const { health, keeper } = open("one");
    health.succeeded("m", fine);
    await keeper.flush();
    expect([...states.rows.keys()]).toEqual(["m"]);
    states.rows.clear();
    await keeper.flush();
    expect(states.rows.size).toBe(0);
    await keeper.stop();
  });

  it("announces only what turns", async () => {
    const { health, keeper } = open("one");
    health.succeeded("m", fine);
    for (let call = 0; call < 5; call++) health.failed("n", broken);
    await keeper.flush();
    expect(states.announced).toEqual(["n"]);
    await keeper.stop();
  });

  it("tries again what the store could not take, and announces it then", async () => {
    const { health, keeper } = open("one");
    states.isAway = true;
    for (let call = 0; call < 5; call++) health.failed("m", broken);
    await keeper.flush();
    expect(troubles).toHaveLength(1);
    states.isAway = false;
    await keeper.flush();
    expect(states.announced).toEqual(["m"]);
    await keeper.stop();
  });

  it("neither keeps nor tells of what an account's own key comes to, nor believes what is told of it", async () => {
    const { health, keeper } = open("one");
    health.failed("own", refusal);
    health.failed("m", refusal);
    await keeper.flush();
    expect([...states.rows.keys()]).toEqual(["m"]);
    expect(outages).toEqual(new Map([["m", "credential"]]));
    const told = states.rows.get("m");
    if (told !== undefined) states.rows.set("own-too", { ...told, modelId: "own-too" });
    keeper.peerNoticed();
    await keeper.flush();
    expect(health.of("own-too").state).toBe("closed");
    await keeper.stop();
  });

  it("reads what others told of, and not what it told itself", async () => {
    const one = open("one");
    const other = open("other");
    for (let call = 0; call < 5; call++) one.health.failed("m", broken);
    await one.keeper.flush();
    other.keeper.peerNoticed({ modelId: "m", by: "other" });
    await other.keeper.flush();
    expect(other.health.of("m").state).toBe("closed");
    other.keeper.peerNoticed({ modelId: "m", by: "one" });
    await other.keeper.flush();
    expect(other.health.of("m").state).toBe("open");
    await one.keeper.stop();
    await other.keeper.stop();
  });

  it("knows after a start what was known before, and tries at once who was out", async () => {
    const before = open("one");
    for (let call = 0; call < 9; call++) before.health.succeeded("m", fine);
    before.health.failed("n", refusal);
    await before.keeper.stop();
    clock.advance(1_000);
    const after = open("two");
    await after.keeper.load();
    expect(after.health.of("m")).toEqual(before.health.of("m"));
    expect(after.health.of("n")).toMatchObject({ state: "half-open", outage: { why: "credential" } });
    after.health.succeeded("n", fine);
    await after.keeper.stop();
    expect(outages.size).toBe(0);
  });
});
