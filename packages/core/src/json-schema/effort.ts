/**
 * What one check may take. Schemas and answers are strangers' alike, and together they can ask for any amount of work:
 * it is counted, and ends. One is about a third of a microsecond.
 */
export class WorkBudget {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new WorkBudgetExceeded();
  }
}

export class WorkBudgetExceeded extends Error {
  override readonly name = "TooMuchWork";
}

/** What judging one answer may take: a twentieth of a second of the worst that can be asked for. */
export const ANSWER_WORK_BUDGET = 150_000;
