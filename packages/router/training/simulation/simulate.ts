import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Section } from "../section.ts";
import { drawReport, writeReport } from "./report.ts";
import { runLiveConditions, runOutages } from "./trials.ts";

const LIVE_PER_SECOND = 10;
const OUTAGE_PER_SECOND = 20;

/** Sends simulated traffic through the real router while providers slow down, die, heal, change their prices and arrive. */
export const simulationSection: Section = {
  title: "Simulated traffic under live conditions",
  async run({ seed, plot }) {
    const runs = await runLiveConditions(seed, LIVE_PER_SECOND);
    const outages = await runOutages(seed, OUTAGE_PER_SECOND);
    if (plot !== undefined) {
      await mkdir(dirname(plot), { recursive: true });
      await writeFile(plot, drawReport(runs));
    }
    return writeReport(runs, outages);
  },
};
