import { newGate } from "@trunkline/testing/gate.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hashOfKey,
  hintOfKey,
  isPlausibleKey,
  type KeyRecord,
  Keyring,
  type KeyStore,
  newKeySecret,
} from "./keyring.ts";

describe("Keyring", () => {
  /** A store that counts its lookups and answers them when the test says so. */
  class CountingStore implements KeyStore {
    readonly records = new Map<string, KeyRecord>();
    readonly lookups: string[] = [];
    gate: Promise<void> | undefined;

    async findByHash(hash: string): Promise<KeyRecord | undefined> {
      this.lookups.push(hash);
      const found = this.records.get(hash);
      await this.gate;
      return found;
    }

    findById(id: string): Promise<KeyRecord | undefined> {
      return this.findByHash(`id of ${id}`);
    }
  }

  function keyringWith(...hashes: string[]) {
    const store = new CountingStore();
    const clock = new ManualClock();
    for (const hash of hashes) {
      store.records.set(hash, { caller: sampleCaller({ keyId: `key of ${hash}` }), expiresAt: undefined });
    }
    return { store, clock, keyring: new Keyring(store, clock) };
  }

  describe("a known key", () => {
    it("is looked up once, however often it is used", async () => {
      const { store, keyring } = keyringWith("a", "b");
      for (let i = 0; i < 5; i++) expect(await keyring.find("a")).toMatchObject({ keyId: "key of a" });
      expect(await keyring.find("b")).toMatchObject({ keyId: "key of b" });
      expect(store.lookups).toEqual(["a", "b"]);
    });

    it("is also found by its id, for background work", async () => {
      const { store, keyring } = keyringWith("id of k");
      for (let i = 0; i < 3; i++) expect(await keyring.findById("k")).toMatchObject({ keyId: "key of id of k" });
      expect(store.lookups).toEqual(["id of k"]);
      keyring.invalidate();
      store.records.clear();
      expect(await keyring.findById("k")).toBeUndefined();
    });

    it("is looked up again after invalidation", async () => {
      const { store, keyring } = keyringWith("a");
      await keyring.find("a");
      store.records.delete("a");
      expect(await keyring.find("a")).toBeDefined();
      keyring.invalidate();
      expect(await keyring.find("a")).toBeUndefined();
      expect(store.lookups).toHaveLength(2);
    });

    it("is not cached when its lookup began before a change", async () => {
      const { store, keyring } = keyringWith("a");
      const answer = newGate();
      store.gate = answer.opened;
      const early = keyring.find("a");
      store.records.delete("a");
      keyring.invalidate();
      answer.open();
      expect(await early).toMatchObject({ keyId: "key of a" });
      expect(await keyring.find("a")).toBeUndefined();
    });

    it("expires at the exact moment, without another lookup", async () => {
      const { store, clock, keyring } = keyringWith();
      store.records.set("a", { caller: sampleCaller(), expiresAt: clock.now() + 1_000 });
      expect(await keyring.find("a")).toBeDefined();
      clock.advance(999);
      expect(await keyring.find("a")).toBeDefined();
      clock.advance(1);
      expect(await keyring.find("a")).toBeUndefined();
      expect(store.lookups).toHaveLength(1);
    });

    it("is cached with up to the maximum of others, and the oldest is looked up again once the cache is full", async () => {
      const { store, keyring } = keyringWith();
      const caller = sampleCaller();
      const name = (i: number) => `key-${i}`;
      for (let i = 0; i <= 50_000; i++) store.records.set(name(i), { caller, expiresAt: undefined });
      for (let i = 0; i <= 50_000; i++) await keyring.find(name(i));
      expect(store.lookups).toHaveLength(50_001);
      await keyring.find(name(50_000));
      await keyring.find(name(1));
      expect(store.lookups).toHaveLength(50_001);
      await keyring.find(name(0));
      expect(store.lookups).toHaveLength(50_002);
    });
  });

  describe("a regular check", () => {
    it("looks a key up once, and no request waits for it within a second", async () => {
      const { store, keyring } = keyringWith("a");
      await keyring.find("a");
      keyring.refresh();
      const answer = newGate();
      store.gate = answer.opened;
      store.records.delete("a");
      for (let i = 0; i < 5; i++) expect(keyring.find("a")).toMatchObject({ keyId: "key of a" });
      expect(store.lookups).toEqual(["a", "a"]);
      answer.open();
      await expect.poll(() => keyring.findCached("a")).toBeUndefined();
      expect(await keyring.find("a")).toBeUndefined();
      expect(store.lookups).toHaveLength(2);
    });

    it("lets a key that is used later wait for the store", async () => {
      const { store, clock, keyring } = keyringWith("a");
      await keyring.find("a");
      keyring.refresh();
      clock.advance(1_000);
      store.records.delete("a");
      expect(await keyring.find("a")).toBeUndefined();
      expect(store.lookups).toHaveLength(2);
    });

    it("leaves a key in use while the store fails, but only for a second", async () => {
      const { store, clock, keyring } = keyringWith("a");
      await keyring.find("a");
      keyring.refresh();
      store.gate = Promise.reject(new Error("away"));
      store.gate.catch(() => undefined);
      expect(keyring.find("a")).toBeDefined();
      clock.advance(1_000);
      await expect(Promise.resolve(keyring.find("a"))).rejects.toThrow("away");
    });

    it("does not bring back a key that was changed while it was looked up", async () => {
      const { store, keyring } = keyringWith("a");
      await keyring.find("a");
      keyring.refresh();
      const answer = newGate();
      store.gate = answer.opened;
      void keyring.find("a");
      store.records.delete("a");
      keyring.invalidate();
      answer.open();
      store.gate = undefined;
      expect(await keyring.find("a")).toBeUndefined();
    });
  });

  describe("requests at once", () => {
    it("share one lookup of their key", async () => {
      const { store, keyring } = keyringWith("a");
      const callers = await Promise.all([keyring.find("a"), keyring.find("a"), keyring.findById("b")]);
      expect(callers.map((caller) => caller?.keyId)).toEqual(["key of a", "key of a", undefined]);
      expect(store.lookups).toEqual(["a", "id of b"]);
    });
  });

  describe("an unknown key", () => {
    it("is cached as unknown for two seconds", async () => {
      const { store, clock, keyring } = keyringWith();
      for (let i = 0; i < 5; i++) expect(await keyring.find("x")).toBeUndefined();
      clock.advance(1_999);
      await keyring.find("x");
      expect(store.lookups).toHaveLength(1);
      clock.advance(1);
      await keyring.find("x");
      await keyring.find("x");
      expect(store.lookups).toHaveLength(2);
    });

    it("is known at once after it was created", async () => {
      const { store, keyring } = keyringWith();
      await keyring.find("x");
      store.records.set("x", { caller: sampleCaller(), expiresAt: undefined });
      keyring.invalidate();
      expect(await keyring.find("x")).toBeDefined();
    });

    it("does not evict a known one, however many are tried", async () => {
      const { store, keyring } = keyringWith("a");
      await keyring.find("a");
      for (let i = 0; i <= 50_000; i++) await keyring.find(`guess-${i}`);
      const before = store.lookups.length;
      await keyring.find("a");
      expect(store.lookups).toHaveLength(before);
    });
  });

  describe("a failing store", () => {
    it("is called again by the next request", async () => {
      const { store, keyring } = keyringWith("a");
      store.gate = Promise.reject(new Error("away"));
      await expect(keyring.find("a")).rejects.toThrow("away");
      store.gate = undefined;
      expect(await keyring.find("a")).toBeDefined();
    });
  });
});

describe("key format", () => {
  const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  describe("a new key", () => {
    it("is tl_ and 38 characters of base 62, and plausible", () => {
      for (let i = 0; i < 500; i++) {
        const key = newKeySecret();
        expect(key).toMatch(/^tl_[0-9A-Za-z]{38}$/);
        expect(isPlausibleKey(key)).toBe(true);
      }
    });

    it("is never created twice", () => {
      const keys = Array.from({ length: 2_000 }, () => newKeySecret());
      expect(new Set(keys).size).toBe(keys.length);
    });

    it("uses every character of the alphabet about equally often", () => {
      const counts = new Map<string, number>();
      for (let i = 0; i < 1_000; i++) {
        for (const character of newKeySecret().slice(3, 35)) counts.set(character, (counts.get(character) ?? 0) + 1);
      }
      // 516 of each are expected; 350 is more than seven deviations away.
      for (const character of BASE62) expect(counts.get(character) ?? 0, character).toBeGreaterThan(350);
    });
  });

  describe("a mistyped key", () => {
    const place = fc.integer({ min: 3, max: 40 });

    it("is implausible when any one character differs", () => {
      const key = newKeySecret();
      fc.assert(
        fc.property(place, fc.constantFrom(...BASE62), (at, character) => {
          fc.pre(key[at] !== character);
          expect(isPlausibleKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
        }),
        { numRuns: 200 },
      );
    });

    it("is implausible when two adjacent characters are swapped", () => {
      const key = newKeySecret();
      for (let at = 3; at < 34; at++) {
        if (key[at] === key[at + 1]) continue;
        const swapped = `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
        expect(isPlausibleKey(swapped), `at ${at}`).toBe(false);
      }
    });
  });

  describe("a key of another format", () => {
    it.each([
      "operator-key-of-the-tests",
      "A".repeat(16),
      "_".repeat(128),
      `tl_${"a".repeat(37)}`,
      `TL_${"a".repeat(38)}`,
    ])("is plausible when the operator may have chosen it: %s", (key) => {
      expect(isPlausibleKey(key)).toBe(true);
    });

    it.each([
      "",
      "short",
      "A".repeat(15),
      "A".repeat(129),
      "spaces are not allowed",
      "schlüssel-mit-umlaut",
      "a'b--------------",
      "a\u0000aaaaaaaaaaaaaaa",
    ])("is implausible otherwise: %j", (key) => {
      expect(isPlausibleKey(key)).toBe(false);
    });
  });

  describe("the stored form of a key", () => {
    it("is its SHA-256 in hex", () => {
      expect(hashOfKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    });

    it("has a hint with only the ends of a key", () => {
      const key = newKeySecret();
      expect(hintOfKey(key)).toBe(`${key.slice(0, 6)}…${key.slice(-4)}`);
    });

    it("hides most of even the shortest key", () => {
      const shown = hintOfKey("0123456789abcdef").replace("…", "").length;
      expect(shown).toBeLessThanOrEqual(8);
    });
  });
});
