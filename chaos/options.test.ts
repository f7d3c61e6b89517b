import { describe, expect, it } from "vitest";
import { HELP, readRequest, SCENARIOS } from "./options.ts";

const read = (...args: string[]) => readRequest(args, () => undefined);

describe("the command line", () => {
  it("runs crashes on the embedded store with a seed of its own, where nothing is said", () => {
    expect(read()).toMatchObject({
      kind: "run",
      scenario: "crashes",
      options: { seed: expect.stringMatching(/^\d+$/), keep: false },
    });
  });

  it("takes what is said, and leaves the rest to the scenario", () => {
    const asked = read("--kills", "200", "--instances", "3", "--seed", "7", "--every", "0.5-3");
    expect(asked).toMatchObject({
      scenario: "crashes",
      options: { kills: 200, instances: 3, seed: "7", everySeconds: [0.5, 3] },
    });
    const outage = read("--scenario", "outage", "--kind", "restart", "--seconds", "30");
    expect(outage).toMatchObject({ scenario: "outage", options: { kind: "restart", seconds: 30 } });
    expect(Object.keys(outage.kind === "run" ? outage.options : {})).not.toContain("kills");
  });

  it.each([
    [["--kills", "many"], "--kills must be a whole number above 0."],
    [["--kills", "0"], "--kills must be a whole number above 0."],
    [["--every", "3-0.5"], "--every must be a range of seconds such as 0.5-3."],
    [["--every", "often"], "--every must be a range of seconds such as 0.5-3."],
    [["--scenario", "war"], `--scenario must be one of ${SCENARIOS.join(", ")}.`],
    [["--kind", "pause"], "--kind must be one of restart, stop, kill."],
  ])("says what is wrong with %j", (args, sentence) => {
    expect(read(...args)).toEqual({ kind: "mistake", sentence });
  });

  it("knows no other words", () => {
    expect(read("--kill", "3").kind).toBe("mistake");
    expect(read("crashes").kind).toBe("mistake");
  });

  it("explains every scenario", () => {
    expect(read("--help")).toEqual({ kind: "help" });
    for (const scenario of SCENARIOS) expect(HELP).toContain(`\n  ${scenario} `);
  });
});
