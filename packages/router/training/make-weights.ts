import { DOMAIN_FAMILIES } from "../src/predict/domains.ts";
import { plainModelName } from "../src/predict/model-names.ts";
import { PLACES } from "../src/predict/scan-text.ts";
import { FIGURES } from "../src/predict/shape-of-text.ts";
import type { Weights } from "../src/predict/weights.ts";
import { fitAbilities, type Layout } from "./fit-abilities.ts";
import { fitDomains } from "./fit-domains.ts";
import { type Case, fitFigures } from "./fit-figures.ts";
import { fitHardness } from "./fit-hardness.ts";
import { fitLengths, fitPrices, fitStretch } from "./fit-lengths.ts";
import { fitTraits } from "./fit-traits.ts";
import { markText } from "./mark-text.ts";
import type { Grid } from "./matrix.ts";
import { PUBLISHED_CLAIMS } from "./published-claims.ts";
import { everydayPrompts } from "./synthetic-prompts.ts";
import type { Example } from "./training-data.ts";

const EVERYDAY_EACH = 120;
const UNKNOWN_CLAIM = 0.7;
const CLAIMS = new Map(
  Object.entries(PUBLISHED_CLAIMS).map(([name, claim]) => [plainModelName(name), claim]),
);

/** Fits everything that the predictor knows beforehand. The same examples give the same weights. */
export function makeWeights(
  examples: readonly Example[],
  domainWeights: Float32Array = learnDomains(examples),
): Weights {
  const layout = layOut(examples);
  const { domains, families, familyOf, models } = layout;
  const { abilities, outcomes, ease, standing } = fitAbilities(examples, layout);
  const cases: Case[] = examples.map(({ domain, marks, outcomes: answers }) => {
    const column = domains.indexOf(domain);
    const family = familyOf[column] ?? -1;
    return {
      figures: marks.figures,
      domain: column,
      family,
      answers: answers.map(({ model, score }) => {
        const row = models.indexOf(model);
        return {
          model: row,
          ability: abilities.get(row, column),
          standing: standing.get(row, family),
          score,
        };
      }),
    };
  });
  const figures = fitFigures(cases, familyOf, families.length);
  const weighed = cases.map((one, at) => ({
    ...one,
    marks: examples[at]?.marks ?? markText(""),
    ease: weigh(figures, one, 0),
    parting: weigh(figures, one, FIGURES),
  }));
  const hardness = fitHardness(weighed, families.length);
  const lengths = fitLengths(examples, layout);
  const { table, scales } = pack(domainWeights, hardness, domains.length, families.length);
  return {
    domains: domains.map((name) => ({ name, family: FAMILIES[name] ?? name })),
    families,
    models: models.map((name, at) => ({
      name,
      claim: layout.claims[at] ?? UNKNOWN_CLAIM,
      ...fitPrices(examples, name),
    })),
    table,
    usual: usualMarks(examples),
    scales,
    figures: Float32Array.from(figures.values),
    ease: Float32Array.from(ease),
    spread: spreadOf(weighed, hardness, layout),
    abilities: Float32Array.from(abilities.values),
    outcomes: Float32Array.from(outcomes.values),
    lengths: Float32Array.from(lengths.values),
    traits: fitTraits(weighed, models.length, families.length),
    stretch: Float32Array.from(fitStretch(examples, lengths, layout).values),
    standing: Float32Array.from(standing.values),
  };
}

const FAMILIES: Readonly<Record<string, string>> = DOMAIN_FAMILIES;

/** Which marks speak for which domain. Outcomes are not looked at. */
export function learnDomains(examples: readonly Example[]): Float32Array {
  const domains = Object.keys(FAMILIES);
  const everyday = everydayPrompts(EVERYDAY_EACH).map(({ domain, prompt }) => ({
    domain,
    marks: markText(prompt),
  }));
  return fitDomains(
    [...examples, ...everyday].map(({ domain, marks }) => ({ marks, at: domains.indexOf(domain) })),
    domains.length,
  );
}

function layOut(examples: readonly Example[]): Layout {
  const domains = Object.keys(FAMILIES);
  const families = [...new Set(examples.map(({ family }) => family))].toSorted();
  const models = [
    ...new Set(examples.flatMap(({ outcomes }) => outcomes.map(({ model }) => model))),
  ].toSorted();
  return {
    domains,
    families,
    familyOf: domains.map((domain) => families.indexOf(FAMILIES[domain] ?? "")),
    models,
    claims: models.map((model) => CLAIMS.get(model) ?? UNKNOWN_CLAIM),
  };
}

function weigh(weights: Grid, { figures, domain }: Case, from: number): number {
  let sum = 0;
  for (let at = 0; at < FIGURES; at++) sum += (figures[at] ?? 0) * weights.get(domain, from + at);
  return sum;
}

/** By domain: how far the ease of its prompts lies around its middle. */
function spreadOf(
  cases: readonly (Case & { readonly marks: Example["marks"]; readonly ease: number })[],
  hardness: Float32Array,
  { domains, families }: Layout,
): Float32Array {
  const sums = domains.map(() => ({ count: 0, square: 0 }));
  for (const { marks, ease, domain, family } of cases) {
    let whole = ease;
    marks.places.forEach((place, mark) => {
      whole += (marks.counts[mark] ?? 0) * (hardness[place * families.length + family] ?? 0);
    });
    const sum = sums[domain];
    if (sum === undefined) continue;
    sum.count++;
    sum.square += whole ** 2;
  }
  return Float32Array.from(sums, ({ count, square }) =>
    count === 0 ? 1 : Math.max(0.1, Math.sqrt(square / count)),
  );
}

/** How many of all texts have each mark. */
function usualMarks(examples: readonly Example[]): Float32Array {
  const usual = new Float32Array(PLACES).fill(0.5);
  for (const { marks } of examples) {
    for (const place of marks.places) usual[place] = (usual[place] ?? 0) + 1;
  }
  return usual.map((count) => count / (examples.length + 1));
}

/** One byte for each weight, with a scale for each column. */
function pack(domainWeights: Float32Array, hardness: Float32Array, domains: number, families: number) {
  const columns = domains + families;
  const table = new Int8Array(PLACES * columns);
  const scales = new Float32Array(columns);
  for (let column = 0; column < columns; column++) {
    const [from, width, at] =
      column < domains ? [domainWeights, domains, column] : [hardness, families, column - domains];
    let most = 0;
    for (let place = 0; place < PLACES; place++)
      most = Math.max(most, Math.abs(from[place * width + at] ?? 0));
    const scale = most / 127 || 1;
    scales[column] = scale;
    for (let place = 0; place < PLACES; place++) {
      table[place * columns + column] = Math.round((from[place * width + at] ?? 0) / scale);
    }
  }
  return { table, scales };
}
