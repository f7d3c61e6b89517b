import { parseArgs } from "node:util";
import { heldOutSection } from "./held-out.ts";

/** A part of the evaluation: what it prints is a table for people. */
export interface Section {
  readonly title: string;
  run(options: EvalOptions): Promise<string>;
}

export interface EvalOptions {
  /** The folder with the data. */
  readonly data: string;
  /** How many times everything is parted anew. */
  readonly splits: number;
}

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
