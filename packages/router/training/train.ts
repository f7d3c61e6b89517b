import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeRouterWeights } from "../src/predict/router-weights.ts";
import { fitWeights } from "./fit-weights.ts";
import { evaluateHeldOut } from "./held-out.ts";
import { evaluateLeftOutSources } from "./left-out-sources.ts";
import { renderModelCard } from "./model-card.ts";
import { readExamples, requireDataFolder } from "./training-data.ts";

// `npm run router:train -- --data <folder>` fits the weights; README.md says what the folder must hold. With --splits the
// model card gets new figures, which takes minutes; without, it keeps its figures.
const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string", default: "packages/router/src/predict/weights.bin" },
    card: { type: "string", default: "docs/router-model-card.md" },
    splits: { type: "string", default: "0" },
  },
});
const examples = await readExamples(requireDataFolder(values.data, "router:train"));
const routerWeights = fitWeights(examples);
const bytes = encodeRouterWeights(routerWeights);
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes from ${examples.length} prompts\n`);
const measured =
  Number(values.splits) > 0
    ? { heldOut: evaluateHeldOut(examples, Number(values.splits)), leftOut: evaluateLeftOutSources(examples) }
    : undefined;
const before = await readFile(values.card, "utf8").catch(() => "");
await writeFile(values.card, renderModelCard(examples, routerWeights, bytes.length, measured, before));
