import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isObject } from "@trunkline/core/json-object.ts";
import { groupNearDuplicates } from "@trunkline/core/sampling.ts";
import { DOMAIN_FAMILIES } from "../src/predict/domains.ts";
import { canonicalModelName } from "../src/predict/model-name.ts";
import { SHAPE_WEIGHT } from "../src/predict/prompt-features.ts";
import {
  createHashedFeatures,
  hashTextFeatures,
  NUMERIC_FEATURE_COUNT,
  SHAPE_FEATURE_COUNT,
  writeNumericFeatures,
  writeShapeBuckets,
} from "../src/predict/text-features.ts";

/** One model's answer to one prompt. */
interface Outcome {
  readonly model: string;
  readonly score: number;
  readonly cost: number | undefined;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
}

export interface Example {
  readonly id: string;
  readonly prompt: string;
  /** The file, and so the set of models. */
  readonly pool: string;
  readonly domain: string;
  readonly family: string;
  readonly outcomes: readonly Outcome[];
  readonly features: TrainingFeatures;
  /** Near-duplicates have the same number and are never split. */
  readonly group: number;
}

/** The training files with their sources. */
export const SOURCES = [
  { pool: "routellm_mmlu", from: "lm-sys/RouteLLM", licence: "Apache-2.0" },
  { pool: "llmrouter", from: "ulab-uiuc/LLMRouter", licence: "MIT" },
  { pool: "mmlu_pro", from: "TIGER-AI-Lab/MMLU-Pro", licence: "Apache-2.0" },
  { pool: "math_l5", from: "WildEval/ZeroEval", licence: "Apache-2.0" },
] as const;

/** The tasks of the files by domain. */
const TASKS_BY_DOMAIN: Readonly<Record<string, string>> = {
  maths:
    "math abstract_algebra college_mathematics elementary_mathematics high_school_mathematics high_school_statistics",
  philosophy: "philosophy formal_logic logical_fallacies world_religions moral_disputes",
  "moral judgement": "moral_scenarios",
  health:
    "health anatomy clinical_knowledge college_medicine human_aging medical_genetics nutrition professional_medicine virology",
  biology: "biology college_biology high_school_biology",
  physics: "physics astronomy college_physics conceptual_physics high_school_physics",
  engineering: "engineering electrical_engineering",
  chemistry: "chemistry college_chemistry high_school_chemistry",
  "computer science":
    "computer_science college_computer_science high_school_computer_science machine_learning computer_security",
  economics: "economics econometrics high_school_macroeconomics high_school_microeconomics",
  business: "business business_ethics management marketing professional_accounting public_relations",
  psychology: "psychology high_school_psychology professional_psychology human_sexuality",
  history: "history high_school_european_history high_school_us_history high_school_world_history prehistory",
  society: "sociology high_school_geography high_school_government_and_politics us_foreign_policy security_studies",
  "general knowledge": "other global_facts miscellaneous",
  law: "law international_law jurisprudence professional_law",
  "sentence building": "llmr/commongen",
  facts: "llmr/natural_qa",
  trivia: "llmr/trivia_qa",
  "reading comprehension": "llmr/mmlu",
  "elementary science": "llmr/openbook_qa",
  "school science": "llmr/arc_challenge",
  commonsense: "llmr/commonsense_qa",
  "graduate science": "llmr/gpqa",
  "short programs": "llmr/mbpp",
  "code completion": "llmr/human_eval",
  "grade-school maths": "llmr/gsm8k",
  "competition maths": "llmr/math zeroeval/math-l5",
};
const DOMAIN_OF_TASK = new Map(
  Object.entries(TASKS_BY_DOMAIN).flatMap(([domain, tasks]) => tasks.split(" ").map((task) => [task, domain] as const)),
);

function domainOf(task: string): string {
  const word = task.replaceAll(" ", "_");
  const domain = DOMAIN_OF_TASK.get(word) ?? DOMAIN_OF_TASK.get(word.replace(/^(mmlu|mmlu_pro)\//, ""));
  if (domain === undefined) throw new Error(`There is no domain for the task ${task}.`);
  return domain;
}

const FAMILIES: Readonly<Record<string, string>> = DOMAIN_FAMILIES;

/** The data folder of a command. The repository holds no data, so there is no default. */
export function requireDataFolder(folder: string | undefined, command: string): string {
  const missing =
    folder === undefined
      ? []
      : SOURCES.map(({ pool }) => `${pool}.jsonl`).filter((name) => !existsSync(`${folder}/${name}`));
  if (folder !== undefined && missing.length === 0) return folder;
  const problem =
    folder === undefined
      ? `Name the folder with the training data: npm run ${command} -- --data <folder>.`
      : `The folder ${folder} has no ${missing.join(", ")}.`;
  process.stderr.write(`${problem} packages/router/training/README.md says what it must hold.\n`);
  process.exit(1);
}

/** All examples of a folder, in the order of the files. */
export async function readExamples(folder: string): Promise<Example[]> {
  const examples: Omit<Example, "group">[] = [];
  for (const { pool } of SOURCES) {
    const text = await readFile(`${folder}/${pool}.jsonl`, "utf8");
    for (const line of text.split("\n")) if (line.trim() !== "") examples.push(readExample(JSON.parse(line), pool));
  }
  const groups = groupNearDuplicates(examples.map(({ prompt }) => prompt));
  return examples.map((example, at) => ({ ...example, group: groups[at] ?? at }));
}

function readExample(line: unknown, pool: string): Omit<Example, "group"> {
  if (!isObject(line) || !isObject(line.outcomes)) throw new Error(`A line of ${pool} is no example.`);
  const prompt = String(line.prompt);
  const domain = domainOf(String(line.task));
  return {
    id: String(line.id),
    prompt,
    pool,
    domain,
    family: FAMILIES[domain] ?? domain,
    outcomes: Object.entries(line.outcomes).flatMap(([name, outcome]) => {
      if (!isObject(outcome)) return [];
      const numberIn = (key: string) => {
        const value = outcome[key];
        return typeof value === "number" ? value : undefined;
      };
      return [
        {
          model: canonicalModelName(name),
          score: numberIn("score") ?? 0,
          cost: numberIn("cost"),
          tokensIn: numberIn("tokens_in"),
          tokensOut: numberIn("tokens_out"),
        },
      ];
    }),
    features: extractTrainingFeatures(prompt),
  };
}

/** The features of a text as the router extracts them: buckets with their weights, and numeric features. */
export interface TrainingFeatures {
  readonly buckets: Uint16Array;
  readonly weights: Float32Array;
  readonly figures: Float64Array;
}

const hashedFeatures = createHashedFeatures();
const shapeBuckets = new Uint16Array(SHAPE_FEATURE_COUNT);

export function extractTrainingFeatures(text: string): TrainingFeatures {
  hashTextFeatures(text, hashedFeatures);
  writeShapeBuckets(hashedFeatures, shapeBuckets);
  const figures = new Float64Array(NUMERIC_FEATURE_COUNT);
  writeNumericFeatures(hashedFeatures, figures);
  const buckets = new Uint16Array(SHAPE_FEATURE_COUNT + hashedFeatures.size);
  buckets.set(shapeBuckets);
  buckets.set(hashedFeatures.buckets.subarray(0, hashedFeatures.size), SHAPE_FEATURE_COUNT);
  const weights = new Float32Array(buckets.length).fill(1 / Math.sqrt(hashedFeatures.size + 1));
  weights.fill(SHAPE_WEIGHT, 0, SHAPE_FEATURE_COUNT);
  return { buckets, weights, figures };
}
