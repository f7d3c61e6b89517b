import type { Part } from "../domain/answer.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { Guard } from "./guard.ts";
import type { AnswerContext } from "./output/answer-context.ts";
import { AnswerWatch } from "./output/answer-watch.ts";

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
  const watch = new AnswerWatch(guard, context);
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const part of untilFailure(parts, (error) => {
      failure = { error };
    })) {
      yield* watch.read(part);
    }
    // Also what came before a provider's failure is the caller's.
    yield* watch.flush();
  } finally {
    onVerdict(watch.verdict);
  }
  if (failure !== undefined) throw failure.error;
}

async function* untilFailure(
  parts: AsyncIterable<Part>,
  note: (error: unknown) => void,
): AsyncGenerator<Part> {
  try {
    yield* parts;
  } catch (error) {
    note(error);
  }
}
