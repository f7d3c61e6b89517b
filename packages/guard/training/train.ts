import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeWeights } from "../src/classifier/safety-model.ts";
import {
  augmentRows,
  collectStrayTasks,
  composeFragments,
  disguiseBenignRows,
  embedInDocuments,
} from "./augment-rows.ts";
import { calibrate, readCalibrations, writeCalibrations } from "./calibrate.ts";
import {
  composeDocuments,
  composeEditingRequests,
  composeRequests,
  composeScenarios,
  readSeedTexts,
} from "./compose-rows.ts";
import { scoreHeldOut } from "./cross-validation.ts";
import { buildExamples } from "./examples.ts";
import { fitSuffixDetector } from "./fit-suffix-detector.ts";
import { fitWeights } from "./fit-weights.ts";
import { modelCard } from "./model-card.ts";
import { type Row, readPublicRows, readSeedRows } from "./rows.ts";
import { openTrainingData, type TrainingData } from "./sources.ts";
import { buildVocabulary } from "./vocabulary.ts";

// `npm run safety:train -- --data <folder>` trains the weights; README.md says what the folder must hold. With --folds the
// model is also measured and calibrated on held-out sources, which takes minutes; without, calibration and figures stay.
const { values } = parseArgs({
  options: {
    data: { type: "string" },
    seeds: { type: "string", default: "packages/guard/training/seeds" },
    calibrations: { type: "string", default: "packages/guard/training/calibrations.json" },
    out: { type: "string", default: "packages/guard/src/classifier/weights.bin" },
    card: { type: "string", default: "docs/safety-model-card.md" },
    folds: { type: "boolean", default: false },
  },
});
const data = await openTrainingData(values.data).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
const rows = await loadTrainingRows(data, values.seeds);
const vocabulary = await buildVocabulary(rows, `${data.folder}/resources`, values.seeds);
const examples = buildExamples(rows, vocabulary);
process.stdout.write(`${rows.length} texts, ${examples.size} passages, ${examples.features.length} features\n`);
const heldOut = values.folds ? scoreHeldOut(examples, rows, vocabulary) : undefined;
if (heldOut !== undefined) await writeCalibrations(values.calibrations, calibrate(heldOut));
const calibrations = await readCalibrations(values.calibrations);
const weights = fitWeights(examples, rows, vocabulary, () => true);
const suffixWeights = fitSuffixDetector(rows, vocabulary.familiar);
const bytes = encodeWeights({ ...weights, ...suffixWeights, calibrations });
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes\n`);
const before = await readFile(values.card, "utf8").catch(() => "");
await writeFile(values.card, modelCard(rows, bytes.length, calibrations, heldOut, before));

/** All training rows: public ones, our own, and those derived from both. Deterministic. */
async function loadTrainingRows(data: TrainingData, seeds: string): Promise<Row[]> {
  const rows = [
    ...(await readPublicRows(data)),
    ...(await readSeedRows(seeds)),
    ...(await composeRequests(seeds, 2)),
    ...(await composeScenarios(seeds, 10)),
    ...composeEditingRequests(7),
  ];
  const instructions = await readSeedTexts(`${seeds}/document/payloads.jsonl`);
  return [
    ...rows,
    ...(await composeDocuments(seeds, 1)),
    ...augmentRows(rows, 4),
    ...disguiseBenignRows(rows, 8),
    ...composeFragments(rows, 9),
    ...embedInDocuments(rows, [...instructions, ...collectStrayTasks(rows, 6)], 5),
  ];
}
