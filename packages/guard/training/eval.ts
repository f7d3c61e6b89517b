import { readdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readSafetyModel } from "../src/classifier/bundled-model.ts";
import { createTrainedDetector } from "../src/classifier/trained-detector.ts";
import { curveAsSvg, curveAsText, evaluate, evaluateRows, type Judged, metricsTable } from "./evaluation.ts";
import { readRows } from "./rows.ts";

// `safety:eval -- FILE…` measures what is shipped on labelled rows; without files, on our own exams, which it was never taught.
// `--plot FILE` draws the curve of found attacks over refused harmless texts.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { plot: { type: "string" }, exam: { type: "string", default: "packages/guard/training/exam" } },
});
const files = positionals.length > 0 ? positionals : await filesIn(values.exam);
const detector = createTrainedDetector(readSafetyModel());
const all: Judged[] = [];
for (const file of files) {
  const judged = evaluateRows(detector, await readRows(file, file.split("/").at(-1)));
  if (judged.length === 0) continue;
  all.push(...judged);
  process.stdout.write(`\n${file}\n\n${metricsTable(evaluate(judged))}\n`);
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
