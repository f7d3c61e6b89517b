/**
 * Sends simulated traffic through the real router while providers slow down, die, heal, change their prices and arrive.
 * `npm run router:simulate`, with `--plot FILE` for a picture and `--seed WORDS` for other chance.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { drawReport, writeReport } from "./simulation/report.ts";
import { runLiveConditions, runOutages } from "./simulation/trials.ts";

const SEED = "live conditions";
const LIVE_PER_SECOND = 10;
const OUTAGE_PER_SECOND = 20;

/** The report of a whole simulation, and its picture as SVG. */
export async function simulationSection(seed = SEED): Promise<{ text: string; picture: string }> {
  const runs = await runLiveConditions(seed, LIVE_PER_SECOND);
  const outages = await runOutages(seed, OUTAGE_PER_SECOND);
  return { text: writeReport(runs, outages), picture: drawReport(runs) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({ options: { plot: { type: "string" }, seed: { type: "string" } } });
  const { text, picture } = await simulationSection(values.seed);
  process.stdout.write(text);
  if (values.plot !== undefined) {
    await mkdir(dirname(values.plot), { recursive: true });
    await writeFile(values.plot, picture);
  }
}
