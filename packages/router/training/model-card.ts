import { familyCount } from "../src/predict/model-families.ts";
import type { RouterWeights } from "../src/predict/router-weights.ts";
import { formatMeanAndSpread, type HeldOutMetrics } from "./held-out.ts";
import { formatFigure, type LeftOutFigure } from "./left-out-sources.ts";
import { type Example, SOURCES } from "./training-data.ts";

const MEASURED_START = "<!-- measured -->";
const MEASURED_END = "<!-- /measured -->";

interface MeasuredFigures {
  readonly heldOut: HeldOutMetrics;
  readonly leftOut: readonly LeftOutFigure[];
}

/** The model card. Its measured figures stay unless there are new ones. */
export function renderModelCard(
  examples: readonly Example[],
  { domains, models }: RouterWeights,
  size: number,
  measuredFigures: MeasuredFigures | undefined,
  before: string,
): string {
  const previous = before.includes(MEASURED_START)
    ? before.slice(before.indexOf(MEASURED_START) + MEASURED_START.length, before.indexOf(MEASURED_END)).trim()
    : "";
  const measured = measuredFigures === undefined ? previous : metricsTables(measuredFigures);
  const withOutcomes = new Set(examples.map(({ domain }) => domain));
  return `# Model card of the router

The weights that the router ships with: \`packages/router/src/predict/weights.bin\`, ${size} bytes. \`npm run router:train\`
makes them and this page; the same data gives the same bytes. [How to rebuild them](../packages/router/training/README.md).

## What does it predict?

From the text of a request: its domain (${domains.length} domains), how hard it is, and each model's chance to
answer it well. Only the head and the tail of a long text are read. Nothing is sent anywhere and nothing is stored.

## What was it trained on?

| file | prompts | answers | models | from | licence |
| ---- | ------- | ------- | ------ | ---- | ------- |
${SOURCES.map(({ pool, from, licence }) => {
  const rows = examples.filter((example) => example.pool === pool);
  const answers = rows.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
  return `| ${pool} | ${rows.length} | ${answers} | ${rows[0]?.outcomes.length ?? 0} | ${from} | ${licence} |`;
}).join("\n")}

The data itself is not part of the project. Everyday requests are synthetic, with labels for their domain and for how hard they are. The pools of
models are made comparable by published scores for general knowledge, so that no model gains or loses because its questions were harder.
Those scores (\`packages/router/training/fit-weights.ts\`) are approximate: rounded, and partly measured with other settings than the publisher's.

Models with outcomes: ${models.map(({ name }) => name).join(", ")}.

Domains with outcomes: ${domains.flatMap(({ name }) => (withOutcomes.has(name) ? [name] : [])).join(", ")}. Without: ${domains.flatMap(({ name }) => (withOutcomes.has(name) ? [] : [name])).join(", ")}.

## How strong are well-known models without outcomes?

A model that has neither outcomes nor a claim is as strong as is published of its family (\`packages/router/src/predict/model-families.ts\`): ${familyCount()} families
with their versions, by the share of questions for graduates (GPQA Diamond) that they answer. **These figures are approximate:** they are rounded, as the publishers
stated them, and partly measured with other settings, with or without thinking. They are put on the scale of claims so that they agree with the models that have both:
50 % is a claim of 0.86, 33 % one of 0.71 and 86 % one of 0.96. A version that is not in the table is as strong as the last one before it, and an older one is
estimated by size and price. Names count without their vendor, date and form, and a name that has more words, such as that of a fine-tune, is of the family unless
they tell another size. Qwen Coder and Codestral have a second figure, for programming, set by their published results in it.

## How well does it do?

Measured on held-out prompts in five folds, with near-duplicates in the same fold. The spread is that of different splits; other prompts differ
more. The shrinkage was chosen on the same prompts, so these figures are a little optimistic. For grade-school maths without labels, mean and spread
are those of three pairs of models. \`npm run router:eval\` measures everything again.

Where a whole source is left out, its models are known by their claims and prices and by the other sources. If less than half of a pool's models have outcomes
in the family, claims are compared, so that quality mode is the best model by claim. The weight of ease between two models without outcomes was chosen on pairs of the
other three sources; that a domain's own ease does not count there was first seen on the MMLU pair and holds on the others too. The intervals are over prompts and
do not cover these choices. Of the other left-out pairs, two are routed little better than by chance and that of MATH worse,
and the areas of left-out pools are below those of single models, which are chosen in hindsight.

Two figures stay below what was wanted: 0.625 for the left-out MMLU pair, and 1.5 % in quality mode on MMLU-Pro.

- The MMLU pair: other weights for the ease of the request, the ease in its domain, discrimination and length, 320 combinations, were compared on the
  other three left-out pairs. Those that do best there bring the MMLU pair to 0.58 to 0.60; the best for the MMLU pair itself would add 0.007. What tells
  two models apart differs between the sources more than between the settings, so the weights stayed.
- MMLU-Pro: taking the best model of each of its 14 categories in hindsight would give 1.9 %. With the published category of each prompt known and the best
  shrinkage, held out, 1.4 % ± 0.1 is reached; the router has to recognise the category. A wider spread of abilities in a domain (0.3 instead of 0.2) gives
  1.3 instead of 1.1 % in one split and loses as much on MATH and the MMLU pair.

The templates of short requests, of experts, of other languages and of pasted texts, and the reading of other scripts, changed the figures that were
measured before them within the spread of splits, with these exceptions. Worse are the Brier score of the nine-model pool (0.1650, before 0.1646), its area (0.6485,
before 0.6491), and on MMLU-Pro the area (0.7170, before 0.7177), what quality mode gains (0.84 %,
before 0.96 %) and perhaps what is saved (0.259 ± 0.016, before 0.266). Better are quality mode on MATH (2.2 %,
before 1.7 %) and the area where MATH is left out (0.547, before 0.530).

${MEASURED_START}

${measured}

${MEASURED_END}

## What are its limits?

- Almost all prompts are in English, and most are exam questions. Other languages and other work are recognised; for them, providers' claims are used.
- How easy everyday requests are comes from five levels that were set by hand, not from outcomes. Of 44 everyday prompts that were written after the templates and not used to change them, the domain is right for 37 (39 before templates of other languages and of experts were added); of the 55 in everyday-routes.md, which were known when the templates were written, for nearly all.
- Short hard requests are taught by templates, which say what is hard and not how long it is: names of theorems, systems and algorithms that they do not have are judged by the words around them, so that "Write a compiler for C" is only a little harder than a check for palindromes. Some texts with numbers are still read as arithmetic.
- Requests in other languages than English are told apart by templates in 21 languages, with few words in each (German, French, Spanish and Russian have most, Greek, Hebrew, Swedish, Vietnamese, Indonesian and Thai two to three kinds of requests). A hard request whose words they do not have is taken for an ordinary one. There are no outcomes in any of these languages, so that a model that is weaker in one of them is not known to be.
- The same hard request still gets other difficulties in other languages: 0.23 to 0.69 for one proof in ten languages that no template has (0.10 to 0.45 before, in English the most); the capital of a country gets at most 0.02 in seven.
- On 120 prompts in several languages that a person had graded from 0 to 4 before, and that no template has, the rank correlation of the difficulty with the grade is 0.87 (0.69 before). The templates were written with the kinds of mistakes on these prompts known, so that this figure is optimistic.
- A long text with a request before or after it in a line of its own is judged by that line for three fifths. Where the request stands amid the text, the text is judged. A hard request about a long document can come out easier for that: one about a runbook fell from 0.80 to 0.36.
- Of a conversation, a turn that only carries on is known by words of eighteen languages. In others it is judged like any short text.
- Outcomes of one family of work never count for another. A model with outcomes in maths only is predicted by its claim elsewhere.
- Costs and token counts in the data are estimates.
- Which of two models is better on one prompt is mostly chance. The gain is over many requests.
`;
}

function metricsTables({ heldOut, leftOut }: MeasuredFigures): string {
  const rows = [...heldOut].map(([name, values]) => `| ${name} | ${formatMeanAndSpread(values)} |`);
  const leftOutRows = leftOut.map((figure) => `| ${figure.name} | ${formatFigure(figure)} |`);
  return [
    "| measure | mean ± spread |",
    "| ------- | ------------- |",
    ...rows,
    "",
    "With the whole source left out of the training:",
    "",
    "| measure | value (95 % interval) |",
    "| ------- | --------------------- |",
    ...leftOutRows,
  ].join("\n");
}
