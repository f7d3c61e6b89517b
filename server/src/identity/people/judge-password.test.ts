import { describe, expect, it } from "vitest";
import { scorePassword } from "./judge-password.ts";

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

  it.each([
    "orchid tractor velvet moon",
    "hZ8-vbQ2-mmWp-k",
    "Zwölf Boxkämpfer jagen Viktor",
    "🦉🌋🧶🪁🦑🛶🪵🧲🥝🪨",
  ])("is good where nobody would think of it: %s", async (password) => {
    expect(await scorePassword(password, owner)).toMatchObject({ advice: undefined });
  });

  it("is counted in characters, not in how they are stored", async () => {
    expect((await scorePassword("🦉🌋🧶🪁🦑🛶", owner)).advice).toMatch(/at least 10/);
  });
});
