import type { Part } from "@trunkline/core/parts.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import type { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { AnswerScreen, screenPart } from "@trunkline/guard/screen/screen-output.ts";

/**
 * The safety check of an answer: yields the same parts, held back just long enough to examine them, until something is
 * refused. `onVerdict` is called once with the final verdict, however the answer ends.
 */
export async function* screenOutput(
  guard: Guard,
  context: AnswerContext,
  parts: AsyncIterable<Part>,
  onVerdict: (verdict: Verdict) => void,
): AsyncGenerator<Part> {
  const screen = new AnswerScreen(guard, context);
  // Iterates by hand, as each layer of generators costs about as much as the examination.
  const source = parts[Symbol.asyncIterator]();
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    while (!isOver && failure === undefined) {
      let next = END_OF_PARTS;
      try {
        next = await source.next();
      } catch (error) {
        failure = { error };
      }
      isOver = next.done === true;
      // What came before a provider failure is still delivered.
      const screening = next.done === true ? screen.end() : screenPart(screen, next.value);
      // Most parts are short, and waiting would cost as much as the examination.
      const { safe, refusal } = screening instanceof Promise ? await screening : screening;
      for (const part of safe) yield part;
      failure = refusal ?? failure;
    }
  } finally {
    onVerdict(screen.verdict);
    // An error while the source is closed must not hide the reason for closing it.
    if (!isOver)
      await source.return?.().catch((error: unknown) => {
        failure ??= { error };
      });
  }
  if (failure !== undefined) throw failure.error;
}

const END_OF_PARTS: IteratorResult<Part> = { done: true, value: undefined };
