import { describe, expect, it } from "vitest";
import type { Config } from "./config/config.ts";
import { LiveSettings, type SettingStore } from "./live-settings.ts";

function memoryStore() {
  const kept = new Map<string, string>();
  const counts = { reads: 0, writes: 0 };
  return {
    counts,
    async read(names: readonly string[]) {
      counts.reads += 1;
      return new Map(names.map((name) => [name, JSON.parse(kept.get(name) ?? "null") ?? undefined]));
    },
    async write(values: ReadonlyMap<string, unknown>) {
      counts.writes += 1;
      for (const [name, value] of values) {
        if (value === undefined) kept.delete(name);
        else kept.set(name, JSON.stringify(value));
      }
    },
  };
}

/** A store that reads at once and answers when a test says so, in any order. */
function slowStore() {
  const store = memoryStore();
  const answers: (() => void)[] = [];
  let isSlow = false;
  return {
    ...store,
    answers,
    slowDown: () => {
      isSlow = true;
    },
    async read(names: readonly string[]) {
      const values = await store.read(names);
      if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
      return values;
    },
  };
}

const RULES = { preset: "strict", categories: {} } as const;
const JUDGE = { model: "operator/judge", time_box_ms: 500, on_failure: "open" } as const;

async function open(store: SettingStore, signUp: Config["signUp"]): Promise<LiveSettings> {
  const safety: Config["safety"] = { preset: "balanced", categories: {} };
  const routing = { qualityFloor: 0, exploration: 0, learning: true, probes: false };
  const config = { signUp, strategy: "cost-optimized", routing, safety, judge: undefined } as const;
  const settings = new LiveSettings(store, config);
  await settings.reload();
  return settings;
}

describe("the service's settings", () => {
  it("are those of the configuration until set, such as a closed sign-up", async () => {
    const store = memoryStore();
    await (await open(store, "open")).change({ announcement: "Welcome." });
    const { current } = await open(store, "closed");
    expect(current).toMatchObject({ signUp: "closed", announcement: "Welcome." });
  });

  it("leave learning as configured until the operator freezes it", async () => {
    const store = memoryStore();
    const settings = await open(store, "open");
    expect(settings.current.learning).toBe("on");
    await settings.change({ learning: "frozen" });
    expect((await open(store, "open")).current.learning).toBe("frozen");
  });

  it("keep what another instance has just set", async () => {
    const store = memoryStore();
    const [one, other] = [await open(store, "open"), await open(store, "open")];
    await one.change({ signUp: "closed", welcomeCredits: 5n });
    await other.change({ announcement: "Welcome." });
    expect(other.current).toMatchObject({ signUp: "closed", welcomeCredits: 5n, announcement: "Welcome." });
  });

  it("are never replaced by an earlier read that ends later", async () => {
    const store = slowStore();
    const settings = await open(store, "open");
    const other = await open(store, "open");
    await other.changeSafety(RULES, { ...JUDGE, model: "operator/former" });
    store.slowDown();
    const earlier = settings.reload();
    await expect.poll(() => store.answers).toHaveLength(1);
    await store.write(new Map([["judge", { set: JUDGE }]]));
    const later = settings.reload();
    await settleAll();
    // The later look's answer first, where there are two at once.
    while (store.answers.length > 0) {
      store.answers.pop()?.();
      await settleAll();
    }
    await Promise.all([earlier, later]);
    expect(settings.judge?.by).toBe("operator/judge");
  });

  it("are read twice at most for any number of simultaneous notices", async () => {
    const store = memoryStore();
    const settings = await open(store, "open");
    const before = store.counts.reads;
    await Promise.all(Array.from({ length: 20 }, () => settings.reload()));
    expect(store.counts.reads - before).toBe(2);
  });

  it("change and reset together with the judge in one write", async () => {
    const store = memoryStore();
    const settings = await open(store, "open");
    await settings.changeSafety(RULES, JUDGE);
    expect(settings).toMatchObject({ safetyIsOwn: true, judgeIsOwn: true });
    expect(store.counts.writes).toBe(1);
    await settings.forgetSafety();
    expect(settings).toMatchObject({ safetyIsOwn: false, judgeIsOwn: false, judge: undefined });
    expect(store.counts.writes).toBe(2);
  });
});

/** Lets everything go on that waits for nothing but its turn. */
async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}
