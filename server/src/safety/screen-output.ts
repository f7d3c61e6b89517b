import type { Part } from "../domain/answer.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { Guard } from "./guard.ts";
import { AnswerWatch } from "./output/answer-watch.ts";
import { AnswerRedactor } from "./private/answer-redactor.ts";

/**
 * The safety check on the way back: the same parts, held back just enough to judge them, until something is refused.
 * `onVerdict` hears what was made of the answer once, however it ends. Values that `isKnown` tells to be the caller's own stay.
 */
export async function* screenOutput(
  guard: Guard,
  parts: AsyncIterable<Part>,
  onVerdict: (verdict: Verdict) => void,
  isKnown: (value: string) => boolean = () => false,
): AsyncGenerator<Part> {
  const watch = new AnswerWatch(guard);
  const redactor = new AnswerRedactor(guard, isKnown);
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const part of untilFailure(parts, (error) => {
      failure = { error };
    })) {
      for (const safe of watch.read(part)) yield* redactor.read(safe);
    }
    // Also what came before a provider's failure is the caller's.
    for (const safe of watch.flush()) yield* redactor.read(safe);
    yield* redactor.flush();
  } finally {
    onVerdict(redactor.told(watch.verdict));
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
