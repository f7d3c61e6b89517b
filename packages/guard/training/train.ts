import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeWeights } from "../src/classifier/safety-model.ts";
import { calibrate, readCalibrations, writeCalibrations } from "./calibrate.ts";
import { crossValidate } from "./cross-validation.ts";
import { buildExamples } from "./examples.ts";
import { fitSuffixDetector } from "./fit-suffix-detector.ts";
import { fitWeights } from "./fit-weights.ts";
import { measureHeldOut, readFigures, writeFigures } from "./held-out-figures.ts";
import { loadTrainingRows } from "./load-rows.ts";
import { modelCard } from "./model-card.ts";
import { openTrainingData } from "./sources.ts";
import { buildVocabulary } from "./vocabulary.ts";

// `npm run safety:train -- --data <folder>` trains the weights; README.md says what the folder must hold. With --folds the
// model is also measured and calibrated on held-out sources, which takes minutes; without, calibration and figures stay.
const { values } = parseArgs({
  options: {
    data: { type: "string" },
    seeds: { type: "string", default: "packages/guard/training/seeds" },
    calibrations: { type: "string", default: "packages/guard/training/calibrations.json" },
    figures: { type: "string", default: "packages/guard/training/held-out-figures.json" },
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
const suffixWeights = fitSuffixDetector(rows, vocabulary.familiar);
if (values.folds) {
  const crossValidation = crossValidate(examples, rows, vocabulary);
  const calibrations = calibrate(crossValidation.heldOut);
  await writeCalibrations(values.calibrations, calibrations);
  await writeFigures(values.figures, measureHeldOut(crossValidation, suffixWeights, calibrations));
}
const calibrations = await readCalibrations(values.calibrations);
const weights = fitWeights(examples, rows, vocabulary, () => true);
const bytes = encodeWeights({ ...weights, ...suffixWeights, calibrations });
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes\n`);
await writeFile(values.card, modelCard(rows, bytes.length, await readFigures(values.figures)));
