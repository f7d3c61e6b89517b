import { AnswerFeed } from "./answer-feed.ts";
import type { ToolCall } from "./conversation.ts";

/** A reply while it comes. Whoever shows it hears of news at most once a frame, however fast it comes. */
export class LiveReply {
  readonly feed = new AnswerFeed();
  thinking = "";
  calls: readonly ToolCall[] = [];
  #version = 0;
  #isWaiting = false;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  /** Says that something came. */
  tell(): void {
    if (this.#isWaiting || this.#listeners.size === 0) return;
    this.#isWaiting = true;
    requestAnimationFrame(() => {
      this.#isWaiting = false;
      this.#version += 1;
      for (const listener of this.#listeners) listener();
    });
  }
}
