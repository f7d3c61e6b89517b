import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeWeights } from "../src/classifier/weights.ts";
import { calibrate, readCalibrations, writeCalibrations } from "./calibrate.ts";
import { makeExamples } from "./examples.ts";
import { scoreHeldOut } from "./held-out.ts";
import { makeWeights } from "./make-weights.ts";
import { modelCard } from "./model-card.ts";
import { makeTails } from "./odd-tails.ts";
import { trainingRows } from "./training-rows.ts";
import { makeVocabulary } from "./vocabulary.ts";

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
const rows = await trainingRows(values.data, values.seeds);
const vocabulary = await makeVocabulary(rows, `${values.data}/resources`, values.seeds);
const examples = makeExamples(rows, vocabulary);
process.stdout.write(`${rows.length} texts, ${examples.size} passages, ${examples.marks.length} marks\n`);
const heldOut = values.folds ? scoreHeldOut(examples, rows, vocabulary) : undefined;
if (heldOut !== undefined) await writeCalibrations(values.calibrations, calibrate(heldOut));
const calibrations = await readCalibrations(values.calibrations);
const weights = makeWeights(examples, rows, vocabulary, () => true);
const tails = makeTails(rows, vocabulary.familiar);
const bytes = encodeWeights({ ...weights, ...tails, calibrations });
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes\n`);
const before = await readFile(values.card, "utf8").catch(() => "");
await writeFile(values.card, modelCard(rows, bytes.length, calibrations, heldOut, before));
