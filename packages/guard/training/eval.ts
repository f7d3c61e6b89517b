import { readdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readSafetyModel } from "../src/classifier/bundled-model.ts";
import { createTrainedDetector } from "../src/classifier/trained-detector.ts";
import { curveAsSvg, curveAsText, evaluate, evaluateRows, metricsTable, type ScoredRow } from "./evaluation.ts";
import { figureTables, readFigures } from "./held-out-figures.ts";
import { readRows } from "./rows.ts";

// `npm run safety:eval` prints what was measured on public sources left out of the training, and evaluates the shipped
// model on our own exams, which are never trained on; `npm run safety:eval -- FILE…` evaluates it on other labelled
// rows. `--plot FILE` draws the share of detected attacks over the false positive rate.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plot: { type: "string" },
    exam: { type: "string", default: "packages/guard/training/exam" },
    figures: { type: "string", default: "packages/guard/training/held-out-figures.json" },
  },
});
if (positionals.length === 0) process.stdout.write(`${figureTables(await readFigures(values.figures))}\n`);
const files = positionals.length > 0 ? positionals : await filesIn(values.exam);
const detector = createTrainedDetector(readSafetyModel());
const all: ScoredRow[] = [];
for (const file of files) {
  const scored = evaluateRows(detector, await readRows(file, file.split("/").at(-1)));
  if (scored.length === 0) continue;
  all.push(...scored);
  process.stdout.write(`\n${file}\n\n${metricsTable(evaluate(scored))}\n`);
}
if (files.length > 1) process.stdout.write(`\nall\n\n${metricsTable(evaluate(all))}\n`);
process.stdout.write(`\n${curveAsText(all)}\n`);
if (values.plot !== undefined) await writeFile(values.plot, curveAsSvg(all));

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => `${folder}/${name}`);
}
