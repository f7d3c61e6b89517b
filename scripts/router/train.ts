import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { encodeWeights } from "../../server/src/route/predict/weights.ts";
import { makeWeights } from "./make-weights.ts";
import { readExamples } from "./training-data.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/routing/train" },
    out: { type: "string", default: "server/src/route/predict/weights.bin" },
  },
});
const examples = await readExamples(values.data);
const bytes = encodeWeights(makeWeights(examples));
await writeFile(values.out, bytes);
process.stdout.write(`${values.out}: ${bytes.length} bytes from ${examples.length} prompts\n`);
