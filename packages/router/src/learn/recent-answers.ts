const MOST_ANSWERS = 20_000;
/** Who asks the same after this long wants to know it anew. */
const REMEMBERED_MS = 10 * 60_000;

/** The answers of the last minutes by the digest of their question, so that a question that comes again is noticed. */
export class RecentAnswers<Answer> {
  readonly #answers = new Map<string, { readonly answer: Answer; readonly answeredAt: number }>();
  readonly #most: number;

  constructor(most = MOST_ANSWERS) {
    this.#most = most;
  }

  /** The answer that the same question was given before this one was asked; it is forgotten by that. */
  takeBefore(print: string, askedAt: number): Answer | undefined {
    const found = this.#answers.get(print);
    if (found === undefined || found.answeredAt > askedAt) return undefined;
    this.#answers.delete(print);
    return askedAt - found.answeredAt > REMEMBERED_MS ? undefined : found.answer;
  }

  keep(print: string, answer: Answer, answeredAt: number): void {
    this.#answers.delete(print);
    this.#answers.set(print, { answer, answeredAt });
    if (this.#answers.size <= this.#most) return;
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest);
      break;
    }
  }
}
