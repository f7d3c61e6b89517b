import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import { KeyRotation } from "./key-rotation.ts";

const KEYS = ["one", "two", "three"].map((key) => new Secret(key));
const [ONE, TWO, THREE] = KEYS as [Secret, Secret, Secret];
const MODEL = { id: "a-model" };

function start() {
  const clock = new ManualClock();
  const rotation = new KeyRotation(clock);
  const inTurn = (model = MODEL) => rotation.keysFor(model, KEYS).map((key) => key.reveal());
  return { clock, rotation, inTurn };
}

const refused = new ProviderFailure("refused", "refused our credential");
const busyFor = (retryAfterSeconds?: number) =>
  new ProviderFailure("rate-limited", "gets too many requests from us", { retryAfterSeconds });

describe("KeyRotation", () => {
  it("starts each call with the next key, and offers all the others after it", () => {
    const { inTurn } = start();
    expect(inTurn()).toEqual(["one", "two", "three"]);
    expect(inTurn()).toEqual(["two", "three", "one"]);
    expect(inTurn()).toEqual(["three", "one", "two"]);
    expect(inTurn()).toEqual(["one", "two", "three"]);
  });

  it("leaves out a refused key for five minutes", () => {
    const { clock, rotation, inTurn } = start();
    expect(rotation.onFailure(MODEL, KEYS, TWO, refused)).toEqual({
      place: 2,
      count: 3,
      why: "refused",
      seconds: 300,
    });
    expect(inTurn()).toEqual(["one", "three"]);
    clock.advance(299_999);
    expect(inTurn()).not.toContain("two");
    clock.advance(1);
    expect(inTurn()).toContain("two");
  });

  it("leaves out a rate-limited key for as long as the provider says, or for ten seconds", () => {
    const { clock, rotation, inTurn } = start();
    rotation.onFailure(MODEL, KEYS, ONE, busyFor(60));
    rotation.onFailure(MODEL, KEYS, TWO, busyFor());
    expect(inTurn()).toEqual(["three"]);
    clock.advance(10_000);
    expect(inTurn()).toContain("two");
    clock.advance(50_000);
    expect(inTurn()).toContain("one");
  });

  it("pauses a key only for the model that it was refused for", () => {
    const { rotation, inTurn } = start();
    rotation.onFailure(MODEL, KEYS, ONE, refused);
    expect(inTurn({ id: "another" })).toContain("one");
  });

  it("does not pause a key for a failure that is not about the key", () => {
    const { rotation, inTurn } = start();
    expect(rotation.onFailure(MODEL, KEYS, ONE, new ProviderFailure("broken", "broke"))).toBeUndefined();
    expect(inTurn()).toHaveLength(3);
  });

  it("fails as rate-limited when all keys are paused, with the time until the first rate-limited one returns", () => {
    const { rotation, inTurn } = start();
    for (const key of [ONE, TWO]) rotation.onFailure(MODEL, KEYS, key, refused);
    rotation.onFailure(MODEL, KEYS, THREE, busyFor(7));
    expect(() => inTurn()).toThrow(expect.objectContaining({ kind: "rate-limited", retryAfterSeconds: 7 }));
  });

  it("fails as refused when all keys were refused", () => {
    const { rotation, inTurn } = start();
    for (const key of KEYS) rotation.onFailure(MODEL, KEYS, key, refused);
    expect(() => inTurn()).toThrow(expect.objectContaining({ kind: "refused" }));
  });
});
