import type { RouterWeights } from "../src/predict/router-weights.ts";
import { formatMeanAndSpread, type HeldOutMetrics } from "./held-out.ts";
import { type Example, SOURCES } from "./training-data.ts";

const MEASURED_START = "<!-- measured -->";
const MEASURED_END = "<!-- /measured -->";

/** The model card. Its measured figures stay unless there are new ones. */
export function renderModelCard(
  examples: readonly Example[],
  { domains, models }: RouterWeights,
  size: number,
  heldOutMetrics: HeldOutMetrics | undefined,
  before: string,
): string {
  const previous = before.includes(MEASURED_START)
    ? before.slice(before.indexOf(MEASURED_START) + MEASURED_START.length, before.indexOf(MEASURED_END)).trim()
    : "";
  const measured = heldOutMetrics === undefined ? previous : metricsTable(heldOutMetrics);
  const withOutcomes = new Set(examples.map(({ domain }) => domain));
  return `# Model card of the router

The weights that the router ships with: \`packages/router/src/predict/weights.bin\`, ${size} bytes. \`npm run router:train\`
makes them and this page; the same data gives the same bytes. [How to rebuild them](../packages/router/training/README.md).

## What does it predict?

From the text of a request: its domain (${domains.length} domains), how hard it is among requests of its kind, and each model's chance to
answer it well. Only the head and the tail of a long text are read. Nothing is sent anywhere and nothing is stored.

## What was it trained on?

| file | prompts | answers | models | from | licence |
| ---- | ------- | ------- | ------ | ---- | ------- |
${SOURCES.map(({ pool, from, licence }) => {
  const rows = examples.filter((example) => example.pool === pool);
  const answers = rows.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
  return `| ${pool} | ${rows.length} | ${answers} | ${rows[0]?.outcomes.length ?? 0} | ${from} | ${licence} |`;
}).join("\n")}

The data itself is not part of the project. Requests of domains without outcomes are synthetic, so that these domains are recognised. The pools of
models are made comparable by published scores for general knowledge, so that no model gains or loses because its questions were harder.
Those scores (\`packages/router/training/fit-weights.ts\`) are approximate: rounded, and partly measured with other settings than the publisher's.

Models with outcomes: ${models.map(({ name }) => name).join(", ")}.

Domains with outcomes: ${domains.flatMap(({ name }) => (withOutcomes.has(name) ? [name] : [])).join(", ")}. Without: ${domains.flatMap(({ name }) => (withOutcomes.has(name) ? [] : [name])).join(", ")}.

## How well does it do?

Measured on held-out prompts in five folds, with near-duplicates in the same fold. The spread is that of different splits; other prompts differ
more. The shrinkage was chosen on the same prompts, so these figures are a little optimistic. For grade-school maths without labels, mean and spread
are those of three pairs of models. \`npm run router:eval\` measures everything again.

${MEASURED_START}

${measured}

${MEASURED_END}

## What are its limits?

- Almost all prompts are in English, and most are exam questions. Other languages and other work are recognised; for them, providers' claims are used.
- Outcomes of one family of work never count for another. A model with outcomes in maths only is predicted by its claim elsewhere.
- Costs and token counts in the data are estimates.
- Which of two models is better on one prompt is mostly chance. The gain is over many requests.
`;
}

function metricsTable(heldOutMetrics: HeldOutMetrics): string {
  const rows = [...heldOutMetrics].map(([name, values]) => `| ${name} | ${formatMeanAndSpread(values)} |`);
  return ["| measure | mean ± spread |", "| ------- | ------------- |", ...rows].join("\n");
}
