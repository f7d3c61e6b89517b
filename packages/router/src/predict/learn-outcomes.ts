import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { type Evidence, NO_TALLY, type Reading, type Tally } from "@trunkline/core/prediction.ts";
import { fitTask } from "./fit-task.ts";
import { NewKinds } from "./new-kinds.ts";
import { QualityPredictor } from "./quality-predictor.ts";
import { TextReading } from "./text-reading.ts";
import type { Weights } from "./weights.ts";

/** A prompt with how good some models' answers to it were. */
export interface Lesson {
  readonly inference: Inference;
  readonly prompt: string;
  /** What it was called where it was collected; prompts of one name are of one kind. */
  readonly task: string;
  readonly scores: ReadonlyMap<Model, number>;
}

/** When so much of what a task's prompts are read as is of one family, they are of that family. */
const OF_ONE_FAMILY = 0.6;

/** A predictor that has learnt from lessons, with kinds of work of its own for those that it did not know. */
export class TaughtPredictor {
  private readonly tallies = new Map<string, Tally>();
  private readonly kinds: NewKinds;
  private readonly predictor: QualityPredictor;
  private readonly families: ReadonlyMap<string, string>;

  constructor(weights: Weights, lessons: readonly Lesson[]) {
    const evidence: Evidence = {
      about: (_account, model) => ({
        in: (domain) => ({ own: this.tallies.get(`${model} ${domain}`) ?? NO_TALLY, shared: NO_TALLY }),
      }),
    };
    this.predictor = new QualityPredictor(weights, evidence);
    this.families = new Map(weights.domains.map(({ name, family }) => [name, family]));
    const tasks = new Map<string, { lesson: Lesson; reading: Reading }[]>();
    for (const lesson of lessons) {
      const read = { lesson, reading: this.predictor.read(lesson.inference) };
      const others = tasks.get(lesson.task);
      if (others === undefined) tasks.set(lesson.task, [read]);
      else others.push(read);
    }
    const unknown = new Map<string, readonly string[]>();
    for (const [task, taught] of tasks) {
      const family = this.familyOf(taught.map(({ reading }) => reading));
      if (family === undefined)
        unknown.set(
          task,
          taught.map(({ lesson }) => lesson.prompt),
        );
      for (const { lesson, reading } of taught) {
        // What was learnt of one family never speaks for another, however single prompts were read.
        const shares =
          family === undefined
            ? [{ domain: `new: ${task}`, share: 1 }]
            : reading.shares.filter(({ domain }) => this.families.get(domain) === family);
        this.count(lesson, reading, family === undefined, shares);
      }
    }
    this.kinds = new NewKinds(unknown, weights.usual);
  }

  read(inference: Inference): Reading {
    const known = this.predictor.read(inference);
    const kinds = this.kinds.sharesOf(inference).filter(({ share }) => share >= 0.02);
    if (kinds.length === 0 || !(known instanceof TextReading)) return known;
    const left = 1 - kinds.reduce((sum, { share }) => sum + share, 0);
    return known.sharing(
      left,
      kinds.map(({ name, share }) => ({ domain: `new: ${name}`, share })),
    );
  }

  predict(model: Model, reading: Reading, inference: Inference): number {
    return this.predictor.predict(model, reading, fitTask(model, inference.task), "").quality;
  }

  expectedOutputTokens(model: Model, reading: Reading): number | undefined {
    return this.predictor.expectedOutputTokens(model, reading);
  }

  private familyOf(readings: readonly Reading[]): string | undefined {
    const sums = new Map<string, number>();
    for (const { shares } of readings) {
      for (const { domain, share } of shares) {
        const family = this.families.get(domain) ?? domain;
        sums.set(family, (sums.get(family) ?? 0) + share);
      }
    }
    for (const [family, sum] of sums) if (sum >= OF_ONE_FAMILY * readings.length) return family;
    return undefined;
  }

  private count(
    { inference, scores }: Lesson,
    reading: Reading,
    isNew: boolean,
    shares: Reading["shares"],
  ): void {
    const unread: Reading = { ...reading, shares: [] };
    for (const [model, score] of scores) {
      const fit = fitTask(model, inference.task);
      const before = this.predictor.predictUnlearnt(model, isNew ? unread : reading, fit).quality;
      for (const { domain, share } of shares) {
        const key = `${fullNameOf(model)} ${domain}`;
        const { weight, surplus } = this.tallies.get(key) ?? NO_TALLY;
        this.tallies.set(key, { weight: weight + share, surplus: surplus + share * (score - before) });
      }
    }
  }
}
