import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeRouterWeights } from "../src/predict/router-weights.ts";
import { fitWeights } from "./fit-weights.ts";
import { evaluateHeldOut } from "./held-out.ts";
import { renderModelCard } from "./model-card.ts";
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
const routerWeights = fitWeights(examples);
const bytes = encodeRouterWeights(routerWeights);
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes from ${examples.length} prompts\n`);
const heldOutMetrics = Number(values.splits) > 0 ? evaluateHeldOut(examples, Number(values.splits)) : undefined;
const before = await readFile(values.card, "utf8").catch(() => "");
await writeFile(values.card, renderModelCard(examples, routerWeights, bytes.length, heldOutMetrics, before));
