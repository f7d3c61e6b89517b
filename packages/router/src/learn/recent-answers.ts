const MAX_ANSWERS = 20_000;
/** Who asks the same after this long wants to know it anew. */
const REPEAT_WINDOW_MS = 10 * 60_000;

/** The answers of the last minutes by the digest of their question, so that a question that comes again is noticed. */
export class RecentAnswers<Answer> {
  readonly #answers = new Map<string, { readonly answer: Answer; readonly answeredAt: number }>();
  readonly #maxAnswers: number;

  constructor(most = MAX_ANSWERS) {
    this.#maxAnswers = most;
  }

  /** The answer that the same question was given before this one was asked; it is forgotten by that. */
  takeAnsweredBefore(print: string, askedAt: number): Answer | undefined {
    const found = this.#answers.get(print);
    if (found === undefined || found.answeredAt > askedAt) return undefined;
    this.#answers.delete(print);
    return askedAt - found.answeredAt > REPEAT_WINDOW_MS ? undefined : found.answer;
  }

  add(print: string, answer: Answer, answeredAt: number): void {
    this.#answers.delete(print);
    this.#answers.set(print, { answer, answeredAt });
    if (this.#answers.size <= this.#maxAnswers) return;
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest);
      break;
    }
  }
}
