import { parseArgs } from "node:util";
import { type EvaluationSection, heldOutSection } from "./held-out.ts";
import { leftOutSection } from "./left-out-sources.ts";
import { simulationSection } from "./simulation/report.ts";
import { requireDataFolder } from "./training-data.ts";

const SECTIONS: Readonly<Record<string, EvaluationSection>> = {
  prediction: heldOutSection,
  sources: leftOutSection,
  simulation: simulationSection,
};

// `npm run router:eval -- --data <folder>` runs all sections. `--only prediction`, `--only sources` or `--only simulation` runs one;
// the simulation needs no data. `--plot FILE` draws a picture of the simulation.
const { values } = parseArgs({
  options: {
    data: { type: "string" },
    splits: { type: "string", default: "3" },
    only: { type: "string" },
    plot: { type: "string" },
    seed: { type: "string", default: "live conditions" },
  },
});
const { only, plot, seed } = values;
const data = only === "simulation" ? "" : requireDataFolder(values.data, "router:eval");
for (const [name, { title, run }] of Object.entries(SECTIONS)) {
  if (only !== undefined && only !== name) continue;
  process.stdout.write(`\n${title}\n\n${await run({ data, splits: Number(values.splits), plot, seed })}\n`);
}
