import type { Part } from "@trunkline/core/answer.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import { AnswerSoFar } from "./continuation.ts";
import { FirstResponder } from "./first-to-speak.ts";
import { Continuation } from "./relay.ts";

/**
 * The parts of the first candidate that answers. This is the one place where failover happens: before the first part the
 * next candidate takes over, and after it, where a provider dies, another goes on with what was said.
 */
export async function* callCandidates(input: CallCandidatesInput): AsyncGenerator<Part> {
  const said = new AnswerSoFar(input.inference);
  const start = new FirstResponder(input);
  let call = await start.find();
  let continuation: Continuation | undefined;
  for (;;) {
    const saidBefore = said.text.length;
    // Whoever only says that all was said has made nothing, and costs nothing: the answer stays another's.
    if (!call.isFinishOnly) input.onChosen(call.candidate, call.unsupported);
    try {
      for (let part = await call.next(); part !== undefined; part = await call.next()) {
        said.add(part);
        yield part;
      }
    } finally {
      await call.close();
    }
    if (call.failure === undefined) return;
    if (!said.canBeContinued) throw call.failure;
    const rest = said.requestForRemainder(input.countTokens);
    if (rest === undefined) return yield { type: "finish", reason: "length" };
    continuation ??= new Continuation(input, said, start.failedModelIds);
    const next = await continuation.continueAfter(call, said.text.slice(saidBefore), rest);
    if (next === undefined) throw call.failure;
    call = next;
  }
}
