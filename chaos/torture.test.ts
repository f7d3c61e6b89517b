import { describe, expect, it } from "vitest";
import type { ScenarioName, ScenarioOptions } from "./options.ts";
import { renderReport } from "./report.ts";
import { runScenario } from "./run-scenario.ts";

const PATIENCE = { timeout: 240_000 };

/** Runs a small form of a scenario, which must break no promise. */
async function endure(name: ScenarioName, size: Omit<ScenarioOptions, "say">) {
  const report = await runScenario(name, { say: () => undefined, ...size });
  expect(report.broken, renderReport(report)).toEqual([]);
  return report;
}

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe("the money", () => {
  it("is right after four kills of a service on its embedded store", PATIENCE, async () => {
    const report = await endure("crashes", { seed: "1", kills: 4, everySeconds: [0.2, 0.8], clients: 8 });
    expect(sum(report.kills)).toBe(4);
    expect(Object.keys(report.kills).length).toBeGreaterThan(2);
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers.cut).toBeGreaterThan(0);
  });

  it("is right after kills of two services on one PostgreSQL", PATIENCE, async () => {
    const size = { seed: "8", instances: 2, kills: 4, everySeconds: [0.2, 0.6], clients: 8 } as const;
    const report = await endure("crashes", size);
    expect(sum(report.kills)).toBe(4);
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers.cut).toBeGreaterThan(0);
  });

  it("is never spent twice by many who want the last of it, on three services", PATIENCE, async () => {
    const report = await endure("last-credit", { seed: "9", rounds: 2, requests: 100 });
    expect(report.answers["200"]).toBeLessThanOrEqual(2 * 5);
    expect(report.answers["200"]).toBeGreaterThan(0);
    expect(report.answers["402"]).toBeGreaterThan(100);
  });
});
