import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import {
  EMPTY_TALLY,
  type Evidence,
  type OutcomeTally,
  type PromptFeatures,
} from "@trunkline/core/prediction.ts";
import { fitTask } from "./fit-task.ts";
import { NovelTaskClassifier } from "./new-kinds.ts";
import { QualityPredictor } from "./quality-predictor.ts";
import { ExtractedPromptFeatures } from "./text-reading.ts";
import type { RouterWeights } from "./weights.ts";

/** A prompt with how good some models' answers to it were. */
export interface LabelledPrompt {
  readonly inference: Inference;
  readonly prompt: string;
  /** What it was called where it was collected; prompts of one name are of one kind. */
  readonly task: string;
  readonly scores: ReadonlyMap<Model, number>;
}

/** When so much of what a task's prompts are read as is of one family, they are of that family. */
const FAMILY_MAJORITY = 0.6;

/** A predictor that has learnt from lessons, with kinds of work of its own for those that it did not know. */
export class FittedPredictor {
  private readonly tallies = new Map<string, OutcomeTally>();
  private readonly novelTasks: NovelTaskClassifier;
  private readonly predictor: QualityPredictor;
  private readonly families: ReadonlyMap<string, string>;

  constructor(routerWeights: RouterWeights, labelledPrompts: readonly LabelledPrompt[]) {
    const evidence: Evidence = {
      forModel: (_account, model) => ({
        inDomain: (domain) => ({
          own: this.tallies.get(`${model} ${domain}`) ?? EMPTY_TALLY,
          shared: EMPTY_TALLY,
        }),
      }),
    };
    this.predictor = new QualityPredictor(routerWeights, evidence);
    this.families = new Map(routerWeights.domains.map(({ name, family }) => [name, family]));
    const tasks = new Map<string, { lesson: LabelledPrompt; reading: PromptFeatures }[]>();
    for (const labelledPrompt of labelledPrompts) {
      const read = {
        lesson: labelledPrompt,
        reading: this.predictor.extractFeatures(labelledPrompt.inference),
      };
      const others = tasks.get(labelledPrompt.task);
      if (others === undefined) tasks.set(labelledPrompt.task, [read]);
      else others.push(read);
    }
    const unknown = new Map<string, readonly string[]>();
    for (const [task, taught] of tasks) {
      const family = this.familyOf(taught.map(({ reading: promptFeatures }) => promptFeatures));
      if (family === undefined)
        unknown.set(
          task,
          taught.map(({ lesson: labelledPrompt }) => labelledPrompt.prompt),
        );
      for (const { lesson: labelledPrompt, reading: promptFeatures } of taught) {
        // What was learnt of one family never speaks for another, however single prompts were read.
        const shares =
          family === undefined
            ? [{ domain: `new: ${task}`, share: 1 }]
            : promptFeatures.shares.filter(({ domain }) => this.families.get(domain) === family);
        this.addScores(labelledPrompt, promptFeatures, family === undefined, shares);
      }
    }
    this.novelTasks = new NovelTaskClassifier(unknown, routerWeights.usual);
  }

  extractFeatures(inference: Inference): PromptFeatures {
    const known = this.predictor.extractFeatures(inference);
    const kinds = this.novelTasks.sharesOf(inference).filter(({ share }) => share >= 0.02);
    if (kinds.length === 0 || !(known instanceof ExtractedPromptFeatures)) return known;
    const left = 1 - kinds.reduce((sum, { share }) => sum + share, 0);
    return known.withShares(
      left,
      kinds.map(({ name, share }) => ({ domain: `new: ${name}`, share })),
    );
  }

  predict(model: Model, promptFeatures: PromptFeatures, inference: Inference): number {
    return this.predictor.predict(model, promptFeatures, fitTask(model, inference.task), "").quality;
  }

  expectedOutputTokens(model: Model, promptFeatures: PromptFeatures): number | undefined {
    return this.predictor.expectedOutputTokens(model, promptFeatures);
  }

  private familyOf(promptFeatureses: readonly PromptFeatures[]): string | undefined {
    const sums = new Map<string, number>();
    for (const { shares } of promptFeatureses) {
      for (const { domain, share } of shares) {
        const family = this.families.get(domain) ?? domain;
        sums.set(family, (sums.get(family) ?? 0) + share);
      }
    }
    for (const [family, sum] of sums) if (sum >= FAMILY_MAJORITY * promptFeatureses.length) return family;
    return undefined;
  }

  private addScores(
    { inference, scores }: LabelledPrompt,
    promptFeatures: PromptFeatures,
    isNew: boolean,
    shares: PromptFeatures["shares"],
  ): void {
    const unread: PromptFeatures = { ...promptFeatures, shares: [] };
    for (const [model, score] of scores) {
      const fit = fitTask(model, inference.task);
      const before = this.predictor.predictPrior(model, isNew ? unread : promptFeatures, fit).quality;
      for (const { domain, share } of shares) {
        const key = `${fullNameOf(model)} ${domain}`;
        const { weight, surplus } = this.tallies.get(key) ?? EMPTY_TALLY;
        this.tallies.set(key, { weight: weight + share, surplus: surplus + share * (score - before) });
      }
    }
  }
}
