import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { EMPTY_TALLY, type Evidence, type OutcomeTally, type PromptFeatures } from "@trunkline/core/prediction.ts";
import { lastUserText } from "./domains.ts";
import { fitTask } from "./predictor.ts";
import { ExtractedPromptFeatures } from "./prompt-features.ts";
import { QualityPredictor } from "./quality-predictor.ts";
import type { RouterWeights } from "./router-weights.ts";
import { BUCKET_COUNT, createHashedFeatures, hashTextFeatures } from "./text-features.ts";

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

/** By how many texts the usual share of a mark counts beside what was seen in a kind. */
const PRIOR_WEIGHT = 4;
/** How many marks in a row say about as much as one: marks hang together. */
const CORRELATED_BUCKETS = 12;
/** A kind that was never seen before is believed when it is this much likelier than any text, in log-odds. */
const MIN_LOG_ODDS = 3;

/** Kinds of work that no table knows, found again by the words of their requests. */
class NovelTaskClassifier {
  private readonly hashedFeatures = createHashedFeatures();
  private readonly tasks: readonly {
    readonly name: string;
    readonly gains: Float32Array;
    readonly base: number;
  }[];

  /** `usual`: how many of all texts have each mark. */
  constructor(texts: ReadonlyMap<string, readonly string[]>, usual: Float32Array) {
    const all = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
    this.tasks = [...texts].map(([name, prompts]) => {
      const seen = new Float32Array(BUCKET_COUNT);
      for (const prompt of prompts) {
        hashTextFeatures(prompt, this.hashedFeatures);
        for (let at = 0; at < this.hashedFeatures.size; at++) {
          const place = this.hashedFeatures.buckets[at] ?? 0;
          seen[place] = (seen[place] ?? 0) + 1;
        }
      }
      const gains = new Float32Array(BUCKET_COUNT);
      for (let place = 0; place < BUCKET_COUNT; place++) {
        const share = usual[place] ?? 1;
        const here = ((seen[place] ?? 0) + PRIOR_WEIGHT * share) / (prompts.length + PRIOR_WEIGHT);
        gains[place] = Math.log(here / share);
      }
      return { name, gains, base: Math.log(prompts.length / all) };
    });
  }

  /** The kinds that a request may be of, each with its share; what is missing is of another kind. */
  sharesOf(inference: Inference): { readonly name: string; readonly share: number }[] {
    if (this.tasks.length === 0) return [];
    hashTextFeatures(lastUserText(inference), this.hashedFeatures);
    const { buckets: places, size } = this.hashedFeatures;
    const scores = this.tasks.map(({ gains, base }) => {
      let gain = 0;
      for (let at = 0; at < size; at++) gain += gains[places[at] ?? 0] ?? 0;
      return base + gain / Math.max(1, Math.min(CORRELATED_BUCKETS, size / 8));
    });
    const highest = Math.max(MIN_LOG_ODDS, ...scores);
    const parts = scores.map((score) => Math.exp(score - highest));
    const whole = parts.reduce((sum, part) => sum + part, 0) + Math.exp(MIN_LOG_ODDS - highest);
    return this.tasks.map(({ name }, at) => ({ name, share: (parts[at] ?? 0) / whole }));
  }
}
