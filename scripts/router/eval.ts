import { parseArgs } from "node:util";
import { heldOutSection } from "./held-out.ts";
import type { Section } from "./section.ts";

const SECTIONS: readonly Section[] = [heldOutSection];

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/routing/train" },
    splits: { type: "string", default: "5" },
  },
});
for (const { title, run } of SECTIONS) {
  process.stdout.write(`\n${title}\n\n${await run({ data: values.data, splits: Number(values.splits) })}\n`);
}
