import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { describe, expect, it } from "vitest";
import { KeyRotation } from "./key-rotation.ts";
import { ProviderFailure } from "./provider-failure.ts";
import { Secret } from "./secret.ts";

const KEYS = ["one", "two", "three"].map((key) => new Secret(key));
const [ONE, TWO, THREE] = KEYS as [Secret, Secret, Secret];
const MODEL = { id: "a-model" };

function start() {
  const clock = new HeldClock();
  const turns = new KeyRotation(clock);
  const inTurn = (model = MODEL) => turns.keysFor(model, KEYS).map((key) => key.reveal());
  return { clock, turns, inTurn };
}

const refused = new ProviderFailure("refused", "refused our credential");
const busyFor = (retryAfterSeconds?: number) =>
  new ProviderFailure("rate-limited", "gets too many requests from us", { retryAfterSeconds });

describe("several keys", () => {
  it("take turns, and each call may go on to all the others", () => {
    const { inTurn } = start();
    expect(inTurn()).toEqual(["one", "two", "three"]);
    expect(inTurn()).toEqual(["two", "three", "one"]);
    expect(inTurn()).toEqual(["three", "one", "two"]);
    expect(inTurn()).toEqual(["one", "two", "three"]);
  });

  it("leave out one that was refused, for five minutes", () => {
    const { clock, turns, inTurn } = start();
    expect(turns.onFailure(MODEL, KEYS, TWO, refused)).toEqual({
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

  it("leave out one that is used too often for as long as the provider says, or for ten seconds", () => {
    const { clock, turns, inTurn } = start();
    turns.onFailure(MODEL, KEYS, ONE, busyFor(60));
    turns.onFailure(MODEL, KEYS, TWO, busyFor());
    expect(inTurn()).toEqual(["three"]);
    clock.advance(10_000);
    expect(inTurn()).toContain("two");
    clock.advance(50_000);
    expect(inTurn()).toContain("one");
  });

  it("rest for the model alone that they were refused for", () => {
    const { turns, inTurn } = start();
    turns.onFailure(MODEL, KEYS, ONE, refused);
    expect(inTurn({ id: "another" })).toContain("one");
  });

  it("do not rest for a failure that is not about them", () => {
    const { turns, inTurn } = start();
    expect(turns.onFailure(MODEL, KEYS, ONE, new ProviderFailure("broken", "broke"))).toBeUndefined();
    expect(inTurn()).toHaveLength(3);
  });

  it("that all rest are the provider's failure, which says when the first is back where one is only busy", () => {
    const { turns, inTurn } = start();
    for (const key of [ONE, TWO]) turns.onFailure(MODEL, KEYS, key, refused);
    turns.onFailure(MODEL, KEYS, THREE, busyFor(7));
    expect(() => inTurn()).toThrow(expect.objectContaining({ kind: "rate-limited", retryAfterSeconds: 7 }));
  });

  it("that were all refused are a refusal", () => {
    const { turns, inTurn } = start();
    for (const key of KEYS) turns.onFailure(MODEL, KEYS, key, refused);
    expect(() => inTurn()).toThrow(expect.objectContaining({ kind: "refused" }));
  });
});
