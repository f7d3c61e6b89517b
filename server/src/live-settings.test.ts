import { describe, expect, it } from "vitest";
import type { Config } from "./config.ts";
import { LiveSettings, type SettingStore } from "./live-settings.ts";

function memoryStore(): SettingStore {
  const kept = new Map<string, string>();
  return {
    read: async (name) => JSON.parse(kept.get(name) ?? "null") ?? undefined,
    write: async (name, value) => void kept.set(name, JSON.stringify(value)),
    forget: async (name) => void kept.delete(name),
  };
}

async function open(store: SettingStore, signUp: Config["signUp"]): Promise<LiveSettings> {
  const safety: Config["safety"] = { preset: "balanced", categories: {} };
  const routing = { qualityFloor: 0, exploration: 0, learning: true, probes: false };
  const config = { signUp, strategy: "cost-optimized", routing, safety, judge: undefined } as const;
  const settings = new LiveSettings(store, config);
  await settings.reload();
  return settings;
}

describe("the service's settings", () => {
  it("leave to the configuration what nobody has set: a sign-up that it closes is closed", async () => {
    const store = memoryStore();
    await (await open(store, "open")).change({ announcement: "Welcome." });
    const { current } = await open(store, "closed");
    expect(current).toMatchObject({ signUp: "closed", announcement: "Welcome." });
  });

  it("let learning be as configured until the operator freezes it", async () => {
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
});
