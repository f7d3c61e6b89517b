import type { Task } from "@trunkline/core/inference.ts";
import type { ModelTraits } from "@trunkline/core/model-traits.ts";
import type { Fit, PromptFeatures } from "@trunkline/core/prediction.ts";
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

const domainsOfModel = new WeakMap<ModelTraits, ReadonlySet<string>>();

/** The domains that a model is made for; none: it is for all work, or for work that is not recognised from text. */
function specialtyDomains(traits: ModelTraits): ReadonlySet<string> {
  const known = domainsOfModel.get(traits);
  if (known !== undefined) return known;
  const { name, specialties, capabilities } = traits.model;
  const listed = capabilities.join(" ").toLowerCase();
  const words = [name, ...specialties, GENERAL_WORDS.test(listed) ? "" : listed]
    .join(" ")
    .toLowerCase()
    .replaceAll("_", "-");
  const domains = new Set<string>();
  for (const [pattern, ofPattern] of SPECIALTIES) {
    if (pattern.test(words)) for (const domain of ofPattern) domains.add(domain);
  }
  domainsOfModel.set(traits, domains);
  return domains;
}

/**
 * How a model fits a request: by the client's task word, and for chat and text by whether the recognised work is the
 * model's specialty.
 */
export function fitWork(traits: ModelTraits, task: Task, { shares }: PromptFeatures): Fit {
  const fit = traits.fitFor(task);
  if ((task.kind !== "chat" && task.kind !== "text") || !task.known || shares.length === 0) return fit;
  const domains = specialtyDomains(traits);
  if (domains.size === 0) return fit;
  let share = 0;
  for (const part of shares) if (domains.has(part.domain)) share += part.share;
  return share >= MIN_SHARE ? "listed" : "other";
}
