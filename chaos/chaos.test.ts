import { describe, expect, it } from "vitest";
import type { ScenarioName, ScenarioOptions } from "./options.ts";
import { renderReport } from "./report.ts";
import { runScenario } from "./run-scenario.ts";

/** Runs a small form of a scenario and expects that no promise was broken. */
async function runSmall(name: ScenarioName, size: Omit<ScenarioOptions, "say">) {
  const report = await runScenario(name, { say: () => undefined, ...size });
  expect(report.broken, renderReport(report)).toEqual([]);
  return report;
}

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe("the ledger", () => {
  it("is right after kills of a service on its embedded store", async () => {
    const report = await runSmall("crashes", {
      seed: "1",
      kills: 3,
      everySeconds: [0.2, 0.8],
      lateSeconds: 300,
      clients: 8,
    });
    expect(sum(report.kills)).toBe(3);
    expect(Object.keys(report.kills).length).toBeGreaterThan(1);
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers.cut).toBeGreaterThan(0);
  });

  it("is right after kills of two services on one PostgreSQL", async () => {
    const size = { seed: "8", instances: 2, kills: 2, everySeconds: [0.2, 0.6], clients: 8 } as const;
    const report = await runSmall("crashes", size);
    expect(sum(report.kills)).toBe(2);
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers.cut).toBeGreaterThan(0);
  });

  it("never lets the last credit be spent twice, with many requests at once on two services", async () => {
    const report = await runSmall("last-credit", { seed: "9", instances: 2, rounds: 1, requests: 100 });
    expect(report.answers["200"]).toBeLessThanOrEqual(5);
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers["402"]).toBeGreaterThan(50);
  });

  it("is right after answers of hostile providers", async () => {
    const report = await runSmall("hostile-provider", { seed: "3", requests: 1 });
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers["502"]).toBeGreaterThan(0);
    expect(report.requests.whole).toBeGreaterThanOrEqual(30);
  });

  it("is right after commits whose answers were lost", async () => {
    const report = await runSmall("unknown-commit", { seed: "4", rounds: 1, clients: 6 });
    expect(report.answers["503"]).toBeGreaterThan(0);
  });

  it("is right after clients that did not read, and others are served", async () => {
    const report = await runSmall("stalled-readers", { seed: "5", rounds: 1, clients: 12 });
    expect(report.answers["200"]).toBe(1);
  });
});
