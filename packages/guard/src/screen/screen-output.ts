import type { Part } from "@trunkline/core/answer.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Guard } from "../policy/guard.ts";
import { TimeSlice } from "../resumable.ts";
import type { AnswerContext } from "./answer-context.ts";
import { AnswerScreen, type ScreenedParts } from "./answer-watch.ts";

/**
 * The safety check on the way back: the same parts, held back just enough to judge them, until something is refused.
 * `context` is what was asked. `onVerdict` hears what was made of the answer once, however it ends.
 */
export async function* screenOutput(
  guard: Guard,
  context: AnswerContext,
  parts: AsyncIterable<Part>,
  onVerdict: (verdict: Verdict) => void,
): AsyncGenerator<Part> {
  const watch = new AnswerScreen(guard, context);
  // By hand, as every further layer of generators costs about as much as judging does.
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
      // Also what came before a provider's failure is the caller's.
      const part = next.done === true ? undefined : next.value;
      // Most parts are short, and nobody waits for those.
      const { safe, refusal } = watch.readShort(part) ?? (await readInTimeSlices(watch, part));
      for (const part of safe) yield part;
      failure = refusal ?? failure;
    }
  } finally {
    onVerdict(watch.verdict);
    // What goes wrong while the source is closed must not hide why it was.
    if (!isOver)
      await source.return?.().catch((error: unknown) => {
        failure ??= { error };
      });
  }
  if (failure !== undefined) throw failure.error;
}

/** Much of it goes in turns with others' work. */
function readInTimeSlices(
  watch: AnswerScreen,
  part: Part | undefined,
): ScreenedParts | Promise<ScreenedParts> {
  const resumable = watch.read(part);
  const step = resumable.next();
  return step.done === true ? step.value : new TimeSlice().run(resumable);
}

const END_OF_PARTS: IteratorResult<Part> = { done: true, value: undefined };
