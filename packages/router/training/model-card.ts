import type { RouterWeights } from "../src/predict/router-weights.ts";
import { formatMeanAndSpread, type HeldOutMetrics } from "./held-out.ts";
import { type Example, SOURCES } from "./training-data.ts";

const MEASURED_START = "<!-- measured -->";
const MEASURED_END = "<!-- /measured -->";

/** The page that says what the router was taught, by what, and how well it does. Figures are kept unless there are new ones. */
export function renderModelCard(
  examples: readonly Example[],
  { domains, models }: RouterWeights,
  size: number,
  heldOutMetrics: HeldOutMetrics | undefined,
  before: string,
): string {
  const kept = before.includes(MEASURED_START)
    ? before.slice(before.indexOf(MEASURED_START) + MEASURED_START.length, before.indexOf(MEASURED_END)).trim()
    : "";
  const measured = heldOutMetrics === undefined ? kept : metricsTable(heldOutMetrics);
  const taught = new Set(examples.map(({ domain }) => domain));
  return `# Model card of the router

What the router knows before it has served anything: \`packages/router/src/predict/weights.bin\`, ${size} bytes. \`npm run router:train\`
makes it and this page, byte for byte the same from the same data.

## What does it predict?

From the words of a request: what it is about (${domains.length} domains), how hard it is among requests of its kind, and each model's chance to
answer it well. Texts are read in part: their head and their tail. Nothing is sent anywhere and nothing is kept.

## What was it taught with?

| file | prompts | answers | models | from | licence |
| ---- | ------- | ------- | ------ | ---- | ------- |
${SOURCES.map(({ pool, from, licence }) => {
  const rows = examples.filter((example) => example.pool === pool);
  const answers = rows.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
  return `| ${pool} | ${rows.length} | ${answers} | ${rows[0]?.outcomes.length ?? 0} | ${from} | ${licence} |`;
}).join("\n")}

The data itself is not part of the project. Requests of kinds without outcomes are made up, so that they are known for what they are. Pools of
models are tied together by what makers publish of their models' general knowledge, so that no model gains or loses because its questions were hard.
Those figures (\`packages/router/training/fit-weights.ts\`) are approximate: rounded, and partly of other settings than a maker's own.

Models with outcomes: ${models.map(({ name }) => name).join(", ")}.

Domains with outcomes: ${domains.flatMap(({ name }) => (taught.has(name) ? [name] : [])).join(", ")}. Without: ${domains.flatMap(({ name }) => (taught.has(name) ? [] : [name])).join(", ")}.

## How well does it do?

Measured on prompts that were held out, five parts in turn, near-duplicates kept together. The spread is that of parting the prompts anew; other
prompts differ by more. How far things are drawn to their means was chosen on the same prompts, so these figures flatter a little. Of grade-school maths
without labels the mean and the spread are those of three pairs of models. \`npm run router:eval\` measures it all again.

${MEASURED_START}

${measured}

${MEASURED_END}

## What are its limits?

- Almost all prompts are in English, and most are exam questions. Other languages and other work are recognised, and then providers' claims count.
- Outcomes of one family of work never speak for another. A model that was seen at maths alone is predicted by its claim elsewhere.
- Costs and token counts in the data are estimates.
- Which of two models is better on one prompt is mostly chance. The gain is over many requests.
`;
}

function metricsTable(heldOutMetrics: HeldOutMetrics): string {
  const rows = [...heldOutMetrics].map(([name, values]) => `| ${name} | ${formatMeanAndSpread(values)} |`);
  return ["| measure | mean ± spread |", "| ------- | ------------- |", ...rows].join("\n");
}
