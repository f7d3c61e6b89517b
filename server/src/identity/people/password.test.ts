import { describe, expect, it } from "vitest";
import { PasswordHasher, scorePassword } from "./password.ts";

describe("scorePassword", () => {
  const owner = { email: "grace.hopper@navy.example", name: "Grace Hopper" };

  describe("a password", () => {
    it.each([
      ["in lists of stolen ones", "1q2w3e4r5t", /stolen|most used/],
      ["its owner's address", "grace.hopper@navy", /name or address|guess/],
      ["its owner's name and a year", "gracehopper1986", /./],
      ["one repeated character", "aaaaaaaaaaaaaaaa", /[Rr]epeat/],
      ["nine random characters", "qX7#mP2$w", /at least 10/],
      ["the service's own name", "trunkline2026", /./],
    ])("is weak when it is %s", async (_, password, advice) => {
      const judged = await scorePassword(password, owner);
      expect(judged.score).toBeLessThan(3);
      expect(judged.advice).toMatch(advice);
    });

    it.each(["orchid tractor velvet moon", "hZ8-vbQ2-mmWp-k", "Zwölf Boxkämpfer jagen Viktor", "🦉🌋🧶🪁🦑🛶🪵🧲🥝🪨"])(
      "is good when it is hard to guess: %s",
      async (password) => {
        expect(await scorePassword(password, owner)).toMatchObject({ advice: undefined });
      },
    );

    it("counts characters, not code units", async () => {
      expect((await scorePassword("🦉🌋🧶🪁🦑🛶", owner)).advice).toMatch(/at least 10/);
    });
  });
});

/** Queues as the real one does, without two hundred real hashes of 19 MiB each. */
const quickHasher = (compared: string[] = []) =>
  new PasswordHasher({
    hash: async (password) => `hash of ${String(password)}`,
    verify: async (stored, password) => {
      compared.push(String(stored));
      return stored === `hash of ${String(password)}`;
    },
  });

const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

describe("PasswordHasher", () => {
  describe("a password's hash", () => {
    it("uses argon2id with 19 MiB and two passes, with a new salt each time", async () => {
      const hasher = new PasswordHasher();
      const [first, second] = await Promise.all([hasher.hash("velvet moon"), hasher.hash("velvet moon")]);
      expect(first).toMatch(ARGON2ID);
      expect(second).not.toBe(first);
      expect(await hasher.matches(first, "velvet moon")).toBe(true);
      expect(await hasher.matches(first, "velvet moo")).toBe(false);
    });

    it("compares at the same cost without a stored hash, and never matches", async () => {
      expect(await new PasswordHasher().matches(undefined, "")).toBe(false);
      const compared: string[] = [];
      const hasher = quickHasher(compared);
      expect(await hasher.matches(undefined, "")).toBe(false);
      expect(compared).toEqual([expect.stringMatching(ARGON2ID)]);
      const waiting = Array.from({ length: 80 }, () => hasher.matches(undefined, "x"));
      const outcomes = await Promise.allSettled(waiting);
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(80 - 66);
    });

    it("runs a few at a time, refuses too many at once, and serves all the others", async () => {
      const hasher = quickHasher();
      const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => hasher.hash("x")));
      const refused = outcomes.filter(({ status }) => status === "rejected");
      expect(refused).toHaveLength(80 - 66);
      expect(refused[0]).toMatchObject({ reason: { type: "overloaded" } });
      expect(await hasher.matches(await hasher.hash("x"), "x")).toBe(true);
    });

    it("still compares without a stored hash after an overload, so that known addresses don't show", async () => {
      const hasher = quickHasher();
      const crowd = Array.from({ length: 66 }, () => hasher.hash("x"));
      await expect(hasher.matches(undefined, "x")).rejects.toMatchObject({ type: "overloaded" });
      await Promise.all(crowd);
      expect(await hasher.matches(undefined, "x")).toBe(false);
    });
  });
});
