import type { Preferences } from "@trunkline/core/inference.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { resolveRoutingPolicy, resolveStrategy } from "./resolve-strategy.ts";

function prefer(changes: Partial<Preferences>) {
  return { strategy: undefined, preferences: { ...sampleInference().preferences, ...changes } };
}
const quiet = { strategy: undefined };

describe("resolveStrategy", () => {
  it("lets the request's own strategy win over everything", () => {
    const inference = { ...prefer({ speed: "fast" }), strategy: "quality-optimized" as const };
    expect(resolveStrategy(inference, { strategy: "hybrid" }, "cost-optimized")).toBe("quality-optimized");
  });

  it.each([
    [{ speed: "fast" }, "speed-optimized"],
    [{ cost: "low" }, "cost-optimized"],
    [{ quality: "high" }, "quality-optimized"],
    [{ quality: "high", cost: "any" }, "quality-optimized"],
    [{ speed: "fast", cost: "balanced" }, "speed-optimized"],
    [{ speed: "fast", cost: "low" }, "hybrid"],
    [{ speed: "fast", cost: "low", quality: "high" }, "hybrid"],
    [{ cost: "balanced" }, "hybrid"],
  ] as const)("reads the preferences %j as %s, over the account's strategy", (preferences, strategy) => {
    const account = { strategy: strategy === "hybrid" ? "cost-optimized" : "hybrid" } as const;
    expect(resolveStrategy(prefer(preferences), account, account.strategy)).toBe(strategy);
  });

  it("falls to the account's strategy where the preferences say nothing about it", () => {
    const account = { strategy: "speed-optimized" } as const;
    expect(resolveStrategy(prefer({}), account, "hybrid")).toBe("speed-optimized");
    expect(resolveStrategy(prefer({ speed: "any", cost: "any" }), account, "hybrid")).toBe("speed-optimized");
    expect(resolveStrategy(prefer({ minQuality: 0.9 }), account, "hybrid")).toBe("speed-optimized");
  });

  it("falls to the service's strategy last", () => {
    expect(resolveStrategy(prefer({}), quiet, "cost-optimized")).toBe("cost-optimized");
  });
});

describe("the floor of quality", () => {
  const defaults = { strategy: "cost-optimized", qualityFloor: 0.3 } as const;
  const floorOf = (minQuality: number | undefined, account: number | undefined) => {
    const inference = { ...prefer({ minQuality }), model: undefined };
    return resolveRoutingPolicy(inference, { ...quiet, weights: undefined, minQuality: account }, defaults)
      .qualityFloor;
  };

  it("is the request's, else the account's, else the service's", () => {
    expect(floorOf(0.9, 0.6)).toBe(0.9);
    expect(floorOf(undefined, 0.6)).toBe(0.6);
    expect(floorOf(undefined, undefined)).toBe(0.3);
    expect(floorOf(0, 0.6)).toBe(0);
    expect(floorOf(undefined, 0)).toBe(0);
  });
});
