import type { Task } from "@trunkline/core/inference.ts";
import type { ModelTraits } from "@trunkline/core/model-traits.ts";
import type { DomainShare, Fit, PromptFeatures } from "@trunkline/core/prediction.ts";
import type { DOMAIN_FAMILIES } from "../predict/domains.ts";

type Domain = keyof typeof DOMAIN_FAMILIES;

/** The domains of a specialty, by words in a model's name, specialties or capabilities. */
const SPECIALTIES: readonly (readonly [RegExp, readonly Domain[]])[] = [
  [
    /\b(?:coder?|coding|codex|programming|programmer|software|sql|developer|code-\w+)\b/,
    ["short programs", "code completion", "code reading", "software work", "database queries"],
  ],
  [/\b(?:poet|poetry|writer|writing|story|stories|storyteller|creative|novelist|copywriting|prose)\b/, ["writing"]],
  [
    /\b(?:maths?|mathematics|reasoner|reasoning|prover|logic)\b/,
    [
      "maths",
      "grade-school maths",
      "competition maths",
      "physics",
      "chemistry",
      "engineering",
      "computer science",
      "graduate science",
    ],
  ],
  [/\b(?:translator|translation|translate)\b/, ["translation", "other languages"]],
  [/\b(?:summariser|summarizer|summarization|summarisation|summary)\b/, ["summarising"]],
  [/\b(?:extractor|extraction|classifier|classification)\b/, ["extraction"]],
  [/\b(?:law|legal|lawyer)\b/, ["law"]],
  [/\b(?:med|medical|medicine|clinical|health|doctor)\b/, ["health", "biology"]],
  [/\b(?:finance|financial|fin)\b/, ["economics", "business"]],
];

/** A model that lists one of these is for all work, unless its name or specialties say otherwise. */
const GENERAL_WORDS = /\b(?:chat|text|completion|general|text-generation|generate-text|question-answering)\b/;

/** The recognised work is of a specialty from this share on. */
const MIN_SHARE = 0.5;

const NO_SHARES: readonly DomainShare[] = [];

/** By domain: the specialties that it belongs to, a bit for each. */
const specialtiesOfDomain = new Map<string, number>();
for (const [index, [, domains]] of SPECIALTIES.entries()) {
  for (const domain of domains) specialtiesOfDomain.set(domain, (specialtiesOfDomain.get(domain) ?? 0) | (1 << index));
}

/** The specialties of a model, a bit for each; none: it is for all work, or for work that is not recognised from text. */
function specialtiesOf(traits: ModelTraits): number {
  if (traits.specialties !== undefined) return traits.specialties;
  const { name, specialties, capabilities } = traits.model;
  const listed = capabilities.join(" ").toLowerCase();
  const words = [name, ...specialties, GENERAL_WORDS.test(listed) ? "" : listed]
    .join(" ")
    .toLowerCase()
    .replaceAll("_", "-");
  let found = 0;
  for (const [index, [pattern]] of SPECIALTIES.entries()) if (pattern.test(words)) found |= 1 << index;
  traits.specialties = found;
  return found;
}

/** The possible domains of the request that was asked about last, as all its models are asked about one after the other. */
const lastAsked = { shares: NO_SHARES, specialties: [0] };

/** Of each possible domain: the specialties that it belongs to. */
function specialtiesOfShares(shares: readonly DomainShare[]): readonly number[] {
  if (lastAsked.shares !== shares) {
    lastAsked.shares = shares;
    lastAsked.specialties = shares.map(({ domain }) => specialtiesOfDomain.get(domain) ?? 0);
  }
  return lastAsked.specialties;
}

/**
 * How a model fits a request: by the client's task word, and for chat and text by whether the recognised work is the
 * model's specialty.
 */
export function fitWork(traits: ModelTraits, task: Task, { shares }: PromptFeatures): Fit {
  const fit = traits.fitFor(task);
  if ((task.kind !== "chat" && task.kind !== "text") || !task.known || shares.length === 0) return fit;
  const ofModel = specialtiesOf(traits);
  if (ofModel === 0) return fit;
  const ofShares = specialtiesOfShares(shares);
  let share = 0;
  for (let at = 0; at < shares.length; at++) {
    if (((ofShares[at] ?? 0) & ofModel) !== 0) share += shares[at]?.share ?? 0;
  }
  return share >= MIN_SHARE ? "listed" : "other";
}
