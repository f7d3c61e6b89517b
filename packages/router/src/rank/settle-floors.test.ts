import { samplePolicy } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settleFloors } from "./settle-floors.ts";
import { type Rankable, rankByStrategy } from "./strategies.ts";

const one = (quality: number, more: Partial<Rankable> = {}): Rankable => ({
  isWanted: false,
  latencyMs: 1_000,
  errorRate: 0,
  quality,
  ...more,
});
const floorOf = (setBy: "request" | "account" | "service", qualityFloor: number, ...qualities: readonly number[]) =>
  settleFloors(
    qualities.map((quality) => one(quality)),
    { ...samplePolicy("cost-optimized"), floorSetBy: setBy, qualityFloor },
  );

describe("the service's own floor", () => {
  it("holds where the best is well above it, and else asks for 95 % of the best", () => {
    expect(floorOf("service", 0.6, 0.4, 0.9)).toMatchObject({ qualityFloor: 0.6, loweredFloor: undefined });
    expect(floorOf("service", 0.6, 0.05, 0.58).qualityFloor).toBeCloseTo(0.551);
    expect(floorOf("service", 0.6, 0.05, 0.58).loweredFloor).toEqual({ asked: 0.6, best: 0.58, setBy: "service" });
    expect(floorOf("service", 0.6, 0.61).qualityFloor).toBeCloseTo(0.5795);
  });

  it("goes by the models that list the client's word, as these come first", () => {
    const candidates = [one(0.9), one(0.2, { isWanted: true })];
    expect(settleFloors(candidates, samplePolicy("cost-optimized")).qualityFloor).toBeCloseTo(0.19);
  });

  it("never gives a harder prompt a weaker model, however hard the prompts and whatever the prices", () => {
    const strength = fc.double({ min: -3, max: 3, noNaN: true });
    const offers = fc.array(fc.record({ strength, cost: fc.integer({ min: 1, max: 1_000 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    const ease = fc.double({ min: -4, max: 4, noNaN: true });
    fc.assert(
      fc.property(offers, ease, ease, (models, a, b) => {
        const firstAt = (at: number) => {
          const candidates = models.map((model) => ({
            ...model,
            ...one(1 / (1 + Math.exp(-model.strength - at))),
          }));
          const criteria = settleFloors(candidates, samplePolicy("cost-optimized"));
          const [first] = rankByStrategy(
            candidates,
            ({ cost }) => cost,
            () => 2,
            criteria,
          );
          return first?.candidate;
        };
        const [harder, easier] = [firstAt(Math.min(a, b)), firstAt(Math.max(a, b))];
        // What is first for the harder prompt would have sufficed for the easier one, so that it is no cheaper.
        expect(harder?.cost).toBeGreaterThanOrEqual(easier?.cost ?? 0);
      }),
    );
  });
});

describe("the floor of an account", () => {
  it("holds as long as one model clears it, and else the best comes first", () => {
    expect(floorOf("account", 0.8, 0.3, 0.81)).toMatchObject({ qualityFloor: 0.8, loweredFloor: undefined });
    expect(floorOf("account", 0.8, 0.3, 0.79).qualityFloor).toBeCloseTo(0.785);
  });
});

describe("a request's own floor", () => {
  it("stays", () => {
    expect(floorOf("request", 0.6, 0.61)).toMatchObject({ qualityFloor: 0.6, loweredFloor: undefined });
  });
});

describe("what speed asks of quality", () => {
  const speedFloor = (...candidates: readonly Rankable[]) =>
    settleFloors(candidates, samplePolicy("speed-optimized")).speedFloor;

  it("is half of the best that takes little longer than the fastest", () => {
    const fastest = one(0.05, { latencyMs: 400 });
    expect(speedFloor(fastest, one(0.5, { latencyMs: 2_000 }), one(0.9, { latencyMs: 2_001 }))).toBe(0.25);
    expect(speedFloor(fastest)).toBe(0.025);
    expect(settleFloors([fastest], samplePolicy("hybrid")).speedFloor).toBe(0);
  });
});
