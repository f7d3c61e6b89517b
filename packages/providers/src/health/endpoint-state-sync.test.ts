import { type OutageCause, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { recordAnswer } from "@trunkline/testing/recorded-calls.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";
import type { EndpointSnapshot, EndpointStateStore } from "./endpoint-snapshot.ts";
import { EndpointStateSync } from "./endpoint-state-sync.ts";
import { OutageNotifier } from "./outage-notifier.ts";

const broken = new ProviderFailure("broken", "it broke");
const refusal = new ProviderFailure("refused", "refused our credential", { outage: "credential" });

class MemoryStates implements EndpointStateStore {
  readonly rows = new Map<string, EndpointSnapshot>();
  readonly announced: string[] = [];
  isAway = false;

  async put(snapshots: readonly EndpointSnapshot[], urgent: ReadonlySet<string>): Promise<void> {
    if (this.isAway) throw new Error("The database is unavailable.");
    for (const snapshot of snapshots) this.rows.set(snapshot.modelId, snapshot);
    this.announced.push(...urgent);
  }

  async read({ modelIds }: { readonly modelIds?: readonly string[] }): Promise<EndpointSnapshot[]> {
    return [...this.rows.values()].filter(({ modelId }) => modelIds?.includes(modelId) ?? true);
  }
}

let clock: ManualClock;
let states: MemoryStates;
let outages: Map<string, OutageCause>;
let errors: unknown[];

beforeEach(() => {
  clock = new ManualClock();
  states = new MemoryStates();
  outages = new Map();
  errors = [];
});

function open(instanceId: string) {
  const health = new EndpointHealth(clock, () => 0);
  const onError = (error: unknown) => void errors.push(error);
  const notifier = new OutageNotifier({
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
  const sync = new EndpointStateSync({
    store: states,
    health,
    outageNotifier: notifier,
    instanceId,
    isShared,
    onError,
  });
  return { health, sync };
}

const answer = (health: EndpointHealth, modelId: string) =>
  recordAnswer(health, (ms) => clock.advance(ms), modelId, { ms: 500, firstPartMs: 100, outputTokens: 200 });

describe("EndpointStateSync", () => {
  it("writes each change once", async () => {
    const { health, sync } = open("one");
    answer(health, "m");
    await sync.flush();
    expect([...states.rows.keys()]).toEqual(["m"]);
    states.rows.clear();
    await sync.flush();
    expect(states.rows.size).toBe(0);
    await sync.stop();
  });

  it("announces only transitions", async () => {
    const { health, sync } = open("one");
    answer(health, "m");
    for (let call = 0; call < 5; call++) health.observe("n").failed(broken);
    await sync.flush();
    expect(states.announced).toEqual(["n"]);
    await sync.stop();
  });

  it("writes again, and then announces, what the store could not write", async () => {
    const { health, sync } = open("one");
    states.isAway = true;
    for (let call = 0; call < 5; call++) health.observe("m").failed(broken);
    await sync.flush();
    expect(errors).toHaveLength(1);
    states.isAway = false;
    await sync.flush();
    expect(states.announced).toEqual(["m"]);
    await sync.stop();
  });

  it("neither writes, announces nor reads the state of an account's own key", async () => {
    const { health, sync } = open("one");
    health.observe("own").failed(refusal);
    health.observe("m").failed(refusal);
    await sync.flush();
    expect([...states.rows.keys()]).toEqual(["m"]);
    expect(outages).toEqual(new Map([["m", "credential"]]));
    const snapshot = states.rows.get("m");
    if (snapshot !== undefined) states.rows.set("own-too", { ...snapshot, modelId: "own-too" });
    sync.peerNoticed();
    await sync.flush();
    expect(health.of("own-too").state).toBe("closed");
    await sync.stop();
  });

  it("reads what other instances announced, and not its own announcements", async () => {
    const one = open("one");
    const other = open("other");
    for (let call = 0; call < 5; call++) one.health.observe("m").failed(broken);
    await one.sync.flush();
    other.sync.peerNoticed({ modelId: "m", by: "other" });
    await other.sync.flush();
    expect(other.health.of("m").state).toBe("closed");
    other.sync.peerNoticed({ modelId: "m", by: "one" });
    await other.sync.flush();
    expect(other.health.of("m").state).toBe("open");
    await one.sync.stop();
    await other.sync.stop();
  });

  it("restores the state after a restart, and tries endpoints with an outage at once", async () => {
    const before = open("one");
    for (let call = 0; call < 9; call++) answer(before.health, "m");
    before.health.observe("n").failed(refusal);
    await before.sync.stop();
    clock.advance(1_000);
    const after = open("two");
    await after.sync.load();
    expect(after.health.of("m")).toEqual(before.health.of("m"));
    expect(after.health.of("n")).toMatchObject({ state: "half-open", outage: { why: "credential" } });
    answer(after.health, "n");
    await after.sync.stop();
    expect(outages.size).toBe(0);
  });
});
