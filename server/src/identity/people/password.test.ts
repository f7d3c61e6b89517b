import { describe, expect, it } from "vitest";
import { PasswordHasher, scorePassword } from "./password.ts";

describe("judge-password", () => {
  const owner = { email: "grace.hopper@navy.example", name: "Grace Hopper" };

  describe("a password", () => {
    it.each([
      ["in lists of stolen ones", "1q2w3e4r5t", /stolen|most used/],
      ["its owner's address", "grace.hopper@navy", /name or address|guess/],
      ["its owner's name and a year", "gracehopper1986", /./],
      ["one character again and again", "aaaaaaaaaaaaaaaa", /[Rr]epeat/],
      ["nine characters of chance", "qX7#mP2$w", /at least 10/],
      ["the service's own name", "trunkline2026", /./],
    ])("is weak where it is %s", async (_, password, advice) => {
      const judged = await scorePassword(password, owner);
      expect(judged.score).toBeLessThan(3);
      expect(judged.advice).toMatch(advice);
    });

    it.each(["orchid tractor velvet moon", "hZ8-vbQ2-mmWp-k", "Zwölf Boxkämpfer jagen Viktor", "🦉🌋🧶🪁🦑🛶🪵🧲🥝🪨"])(
      "is good where nobody would think of it: %s",
      async (password) => {
        expect(await scorePassword(password, owner)).toMatchObject({ advice: undefined });
      },
    );

    it("is counted in characters, not in how they are stored", async () => {
      expect((await scorePassword("🦉🌋🧶🪁🦑🛶", owner)).advice).toMatch(/at least 10/);
    });
  });
});

describe("password-hash", () => {
  describe("a password's hash", () => {
    it("is argon2id with 19 MiB and two passes, and never the same twice", async () => {
      const hasher = new PasswordHasher();
      const [first, second] = await Promise.all([hasher.hash("velvet moon"), hasher.hash("velvet moon")]);
      expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(second).not.toBe(first);
      expect(await hasher.matches(first, "velvet moon")).toBe(true);
      expect(await hasher.matches(first, "velvet moo")).toBe(false);
    });

    it("of nobody matches nothing, and is compared with all the same, at the same cost", async () => {
      const hasher = new PasswordHasher();
      expect(await hasher.matches(undefined, "")).toBe(false);
      const waiting = Array.from({ length: 80 }, () => hasher.matches(undefined, "x"));
      const outcomes = await Promise.allSettled(waiting);
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(80 - 66);
    });

    it("is made a few at a time: too many at once are sent away, and the others all get their turn", async () => {
      const hasher = new PasswordHasher();
      const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => hasher.hash("x")));
      const refused = outcomes.filter(({ status }) => status === "rejected");
      expect(refused).toHaveLength(80 - 66);
      expect(refused[0]).toMatchObject({ reason: { type: "overloaded" } });
      expect(await hasher.matches(await hasher.hash("x"), "x")).toBe(true);
    });

    it("of nobody is compared with again after a crowd: who is known must not show by it", async () => {
      const hasher = new PasswordHasher();
      const crowd = Array.from({ length: 66 }, () => hasher.hash("x"));
      await expect(hasher.matches(undefined, "x")).rejects.toMatchObject({ type: "overloaded" });
      await Promise.all(crowd);
      expect(await hasher.matches(undefined, "x")).toBe(false);
    });
  });
});
