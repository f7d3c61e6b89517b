import { type Inference, normaliseTask, type Task, type TaskKind } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Prediction, PromptFeatures } from "@trunkline/core/prediction.ts";

/** Reads requests and says how good each model's answer will be, before anybody is called. */
export interface Predictor {
  extractFeatures(inference: Inference): PromptFeatures;
  predict(model: Model, promptFeatures: PromptFeatures, fit: Fit, accountId: string): Prediction;
  /** How long this model's answer usually is, as far as outcomes say; undefined: nothing is known of it. */
  expectedOutputTokens(model: Model, promptFeatures: PromptFeatures): number | undefined;
}

/**
 * How well what a model says of itself fits a task.
 * listed: it lists this very work. related: it lists work of the same family.
 * other: it lists other work only. unsaid: it lists nothing that tells.
 */
export type Fit = "listed" | "related" | "other" | "unsaid";

interface DeclaredSkills {
  readonly words: ReadonlySet<string>;
  readonly kinds: ReadonlySet<TaskKind>;
}

/** Models never change in place, so what one says of itself is read once. */
const skillsOfModel = new WeakMap<Model, DeclaredSkills>();

function skillsOf(model: Model): DeclaredSkills {
  const remembered = skillsOfModel.get(model);
  if (remembered !== undefined) return remembered;
  const tasks = [...model.capabilities, ...model.specialties].map(normaliseTask);
  const declaredSkills: DeclaredSkills = {
    words: new Set(tasks.map((task) => task.word).filter((word) => word !== "")),
    kinds: new Set(tasks.filter((task) => task.known).map((task) => task.kind)),
  };
  skillsOfModel.set(model, declaredSkills);
  return declaredSkills;
}

/** Whether a model lists the client's own word among its capabilities or specialties. */
export function listsTaskWord(model: Model, task: Task): boolean {
  return skillsOf(model).words.has(task.word);
}

/** Compares a task with a model's capabilities and specialties. */
export function fitTask(model: Model, task: Task): Fit {
  const { words, kinds } = skillsOf(model);
  if (words.has(task.word)) return "listed";
  if (kinds.has(task.kind)) {
    // The words of one kind are spellings of one job, except here: a translator need not be a classifier.
    return task.known && task.kind !== "analysis" ? "listed" : "related";
  }
  if (task.kind === "chat" && kinds.has("text")) return "related";
  if (task.kind === "text" && kinds.has("chat")) return "related";
  return kinds.size > 0 ? "other" : "unsaid";
}

/** What a model without any claim is taken for. */
const UNKNOWN_QUALITY = 0.5;

/** How much of the way to perfect a model that lists the work is moved. */
const LISTED_GAIN = 0.2;
const RELATED_GAIN = 0.1;

/** What is left of a model's claim for work that it does not list while it lists other work. */
const OTHER_WORK_FACTOR = 0.95;

/**
 * How good this model's answer to this request will be, 0 to 1.
 * Until there are outcomes to learn from, this is the provider's claim, moved by how well the work fits.
 */
export function claimedQualityOfModel(model: Model, fit: Fit): number {
  return claimedQuality(model.accuracyScore, fit);
}

/** A claim, 0 to 1, moved by how well the work fits; undefined: nobody claims anything. */
export function claimedQuality(claim: number | undefined, fit: Fit): number {
  const claimed = claim ?? UNKNOWN_QUALITY;
  switch (fit) {
    case "listed":
      return claimed + LISTED_GAIN * (1 - claimed);
    case "related":
      return claimed + RELATED_GAIN * (1 - claimed);
    case "other":
      return claimed * OTHER_WORK_FACTOR;
    case "unsaid":
      return claimed;
  }
}

/** How far below its claim a model may be of which nothing but the claim is known. */
const CLAIM_MARGIN = 0.15;

/** Predicts by what providers say of their models alone. */
export const metadataPredictor: Predictor = {
  extractFeatures: ({ task }: Inference): PromptFeatures => ({
    domain: task.kind,
    family: task.kind,
    confidence: 0,
    difficulty: 0.5,
    shares: [],
  }),
  predict(model: Model, _reading: PromptFeatures, fit: Fit): Prediction {
    const quality = claimedQualityOfModel(model, fit);
    return { quality, lower: Math.max(0, quality - CLAIM_MARGIN), evidence: 0 };
  },
  expectedOutputTokens: () => undefined,
};
