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
import { type Row, readSeedRows, readSharedRows } from "./rows.ts";
import { buildVocabulary } from "./vocabulary.ts";

// With --folds the model is measured and calibrated anew on sources that are kept from it, which takes minutes; without,
// the calibration and the figures stay what they are.
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/safety" },
    seeds: { type: "string", default: "packages/guard/training/seeds" },
    calibrations: { type: "string", default: "packages/guard/training/calibrations.json" },
    out: { type: "string", default: "packages/guard/src/classifier/weights.bin" },
    card: { type: "string", default: "docs/safety-model-card.md" },
    folds: { type: "boolean", default: false },
  },
});
const rows = await loadTrainingRows(values.data, values.seeds);
const vocabulary = await buildVocabulary(rows, `${values.data}/resources`, values.seeds);
const examples = buildExamples(rows, vocabulary);
process.stdout.write(`${rows.length} texts, ${examples.size} passages, ${examples.features.length} marks\n`);
const heldOut = values.folds ? scoreHeldOut(examples, rows, vocabulary) : undefined;
if (heldOut !== undefined) await writeCalibrations(values.calibrations, calibrate(heldOut));
const calibrations = await readCalibrations(values.calibrations);
const weights = fitWeights(examples, rows, vocabulary, () => true);
const tails = fitSuffixDetector(rows, vocabulary.familiar);
const bytes = encodeWeights({ ...weights, ...tails, calibrations });
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes\n`);
const before = await readFile(values.card, "utf8").catch(() => "");
await writeFile(values.card, modelCard(rows, bytes.length, calibrations, heldOut, before));

/** All that the model is taught with: the shared rows, our own, and what is made of both. The same each time. */
async function loadTrainingRows(shared: string, seeds: string): Promise<Row[]> {
  const rows = [
    ...(await readSharedRows(shared)),
    ...(await readSeedRows(seeds)),
    ...(await composeRequests(seeds, 2)),
    ...(await composeScenarios(seeds, 10)),
    ...composeEditingRequests(7),
  ];
  const orders = await readSeedTexts(`${seeds}/document/payloads.jsonl`);
  return [
    ...rows,
    ...(await composeDocuments(seeds, 1)),
    ...augmentRows(rows, 4),
    ...disguiseBenignRows(rows, 8),
    ...composeFragments(rows, 9),
    ...embedInDocuments(rows, [...orders, ...collectStrayTasks(rows, 6)], 5),
  ];
}
