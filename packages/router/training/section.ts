/** A part of the evaluation: what it prints is a table for people. */
export interface EvaluationSection {
  readonly title: string;
  readonly run: (options: EvaluationOptions) => Promise<string>;
}

export interface EvaluationOptions {
  /** The folder with the data. */
  readonly data: string;
  /** How many times everything is parted anew. */
  readonly splits: number;
  /** The file that the simulation's picture goes to. */
  readonly plot: string | undefined;
  /** Words that stand for the simulation's chance. */
  readonly seed: string;
}
