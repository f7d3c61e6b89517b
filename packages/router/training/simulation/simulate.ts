import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { EvaluationSection } from "../section.ts";
import { renderPlot, renderReport } from "./report.ts";
import { runLiveConditions, runOutages } from "./trials.ts";

const LIVE_PER_SECOND = 10;
const OUTAGE_PER_SECOND = 20;

/** Sends simulated traffic through the real router while providers slow down, die, heal, change their prices and arrive. */
export const simulationSection: EvaluationSection = {
  title: "Simulated traffic under live conditions",
  async run({ seed, plot }) {
    const simulationRuns = await runLiveConditions(seed, LIVE_PER_SECOND);
    const outages = await runOutages(seed, OUTAGE_PER_SECOND);
    if (plot !== undefined) {
      await mkdir(dirname(plot), { recursive: true });
      await writeFile(plot, renderPlot(simulationRuns));
    }
    return renderReport(simulationRuns, outages);
  },
};
