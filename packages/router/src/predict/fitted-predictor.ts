import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Evidence, PromptFeatures } from "@trunkline/core/prediction.ts";
import { BUCKET_COUNT } from "./counted-words.ts";
import { lastUserText } from "./domains.ts";
import { ExtractedPromptFeatures } from "./extracted-features.ts";
import { fitTask } from "./predictor.ts";
import { QualityPredictor } from "./quality-predictor.ts";
import type { RouterWeights } from "./router-weights.ts";
import { createHashedFeatures, hashTextFeatures } from "./text-features.ts";

/** A prompt with the scores of some models' answers. */
export interface LabelledPrompt {
  readonly inference: Inference;
  readonly prompt: string;
  /** The task name in its source; prompts of one name are of one kind. */
  readonly task: string;
  readonly scores: ReadonlyMap<Model, number>;
}

/** If this share of a task's predicted domains is of one family, the task belongs to it. */
const FAMILY_MAJORITY = 0.85;

/** A predictor fitted on labelled prompts, with additional kinds of work for unknown tasks. */
export class FittedPredictor {
  /** By domain its place, and by model the sums of all domains, as {@link Evidence} has them. */
  private readonly places = new Map<string, number>();
  private readonly sums = new Map<string, number[]>();
  private readonly novelTasks: NovelTaskClassifier;
  private readonly predictor: QualityPredictor;
  private readonly families: ReadonlyMap<string, string>;

  constructor(routerWeights: RouterWeights, labelledPrompts: readonly LabelledPrompt[]) {
    const evidence: Evidence = {
      placeOf: (domain) => this.placeOf(domain),
      forModel: (_account, model) => ({ own: this.sums.get(model) ?? [], shared: [] }),
    };
    this.predictor = new QualityPredictor(routerWeights, evidence, true);
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
        // Outcomes of one family never count for another, even if single prompts were read as another domain.
        const shares =
          family === undefined
            ? [{ domain: `new: ${task}`, share: 1 }]
            : promptFeatures.shares.filter(({ domain }) => this.families.get(domain) === family);
        this.addScores(labelledPrompt, promptFeatures, family === undefined, shares);
      }
    }
    this.novelTasks = new NovelTaskClassifier(unknown, routerWeights.usual);
  }

  extractFeatures(inference: Inference, pool?: readonly Model[]): PromptFeatures {
    const known = this.predictor.extractFeatures(inference, pool);
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
    const { domain: likeliest, family, confidence, difficulty } = promptFeatures;
    const unread: PromptFeatures = { domain: likeliest, family, confidence, difficulty, shares: [] };
    for (const [model, score] of scores) {
      const fit = fitTask(model, inference.task);
      const before = this.predictor.predictPrior(model, isNew ? unread : promptFeatures, fit).quality;
      const name = fullNameOf(model);
      const sums = this.sums.get(name) ?? [];
      this.sums.set(name, sums);
      for (const { domain, share } of shares) {
        const at = 2 * this.placeOf(domain);
        while (sums.length < at + 2) sums.push(0);
        sums[at] = (sums[at] ?? 0) + share;
        sums[at + 1] = (sums[at + 1] ?? 0) + share * (score - before);
      }
    }
  }

  private placeOf(domain: string): number {
    const place = this.places.get(domain) ?? this.places.size;
    this.places.set(domain, place);
    return place;
  }
}

/** The weight, in texts, of the usual share of a feature beside its share in a kind. */
const PRIOR_WEIGHT = 4;
/** How many features count as one independent feature, because features are correlated. */
const CORRELATED_BUCKETS = 12;
/** A kind is assumed if it is this much more likely than an average text, in log-odds. */
const MIN_LOG_ODDS = 3;

/** Kinds of work outside the trained domains, recognised by the words of their requests. */
class NovelTaskClassifier {
  private readonly hashedFeatures = createHashedFeatures();
  private readonly tasks: readonly {
    readonly name: string;
    readonly gains: Float32Array;
    readonly base: number;
  }[];

  /** `usual`: the share of all texts with each feature. */
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

  /** The possible kinds of a request with their shares. The rest up to 1 belongs to other kinds. */
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
