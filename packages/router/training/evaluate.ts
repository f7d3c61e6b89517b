import { parseArgs } from "node:util";
import { type EvaluationSection, heldOutSection } from "./held-out.ts";
import { simulationSection } from "./simulation/report.ts";

const SECTIONS: Readonly<Record<string, EvaluationSection>> = {
  prediction: heldOutSection,
  simulation: simulationSection,
};

// `--only prediction` or `--only simulation` leaves the other out; `--plot FILE` draws a picture of the simulation.
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/routing/train" },
    splits: { type: "string", default: "3" },
    only: { type: "string" },
    plot: { type: "string" },
    seed: { type: "string", default: "live conditions" },
  },
});
const { data, only, plot, seed } = values;
for (const [name, { title, run }] of Object.entries(SECTIONS)) {
  if (only !== undefined && only !== name) continue;
  process.stdout.write(`\n${title}\n\n${await run({ data, splits: Number(values.splits), plot, seed })}\n`);
}
