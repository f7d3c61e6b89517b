import type { Part, TextPart } from "../domain/answer.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { Detector } from "./detector.ts";
import { OutputWatch } from "./output-watch.ts";

/**
 * The safety check on the way back: the same parts, held back just enough to judge them, until something is refused.
 * `onVerdict` hears what was made of the answer once, however it ends.
 */
export async function* screenOutput(
  detector: Detector,
  parts: AsyncIterable<Part>,
  onVerdict: (verdict: Verdict) => void,
): AsyncGenerator<Part> {
  const watch = new OutputWatch(detector);
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const part of untilFailure(parts, (error) => {
      failure = { error };
    })) {
      if (part.type === "text") {
        yield* textParts(watch.read(part.text));
      } else {
        yield* textParts(watch.flush());
        if (part.type === "tool-call") watch.judgeAside(part.arguments);
        yield part;
      }
    }
    // Also what came before a provider's failure is the caller's.
    yield* textParts(watch.flush());
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

function* textParts(text: string): Generator<TextPart> {
  if (text !== "") yield { type: "text", text };
}
