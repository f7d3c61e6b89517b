import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeWeights } from "../src/predict/weights.ts";
import { measureHeldOut } from "./held-out.ts";
import { makeWeights } from "./make-weights.ts";
import { modelCard } from "./model-card.ts";
import { readExamples } from "./training-data.ts";

// With --splits the model card gets new figures, which takes minutes; without, it keeps those that it has.
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/routing/train" },
    out: { type: "string", default: "packages/router/src/predict/weights.bin" },
    card: { type: "string", default: "docs/router-model-card.md" },
    splits: { type: "string", default: "0" },
  },
});
const examples = await readExamples(values.data);
const weights = makeWeights(examples);
const bytes = encodeWeights(weights);
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes from ${examples.length} prompts\n`);
const figures = Number(values.splits) > 0 ? measureHeldOut(examples, Number(values.splits)) : undefined;
const before = await readFile(values.card, "utf8").catch(() => "");
await writeFile(values.card, modelCard(examples, weights, bytes.length, figures, before));
