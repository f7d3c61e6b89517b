import type { Part } from "@trunkline/core/answer.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import { SaidSoFar } from "./continuation.ts";
import { FirstToSpeak } from "./first-to-speak.ts";
import { Relay } from "./relay.ts";

/**
 * The parts of the first candidate that answers. This is the one place where failover happens: before the first part the
 * next candidate takes over, and after it, where a provider dies, another goes on with what was said.
 */
export async function* callCandidates(input: CallCandidatesInput): AsyncGenerator<Part> {
  const said = new SaidSoFar(input.inference);
  const start = new FirstToSpeak(input);
  let call = await start.find();
  let relay: Relay | undefined;
  for (;;) {
    const saidBefore = said.text.length;
    // Whoever only says that all was said has made nothing, and costs nothing: the answer stays another's.
    if (!call.isOnlyEnd) input.onChosen(call.candidate, call.dropped);
    try {
      for (let part = await call.next(); part !== undefined; part = await call.next()) {
        said.note(part);
        yield part;
      }
    } finally {
      await call.leave();
    }
    if (call.failure === undefined) return;
    if (!said.canBeContinued) throw call.failure;
    const rest = said.requestForRest(input.countTokens);
    if (rest === undefined) return yield { type: "finish", reason: "length" };
    relay ??= new Relay(input, said, start.failed);
    const next = await relay.after(call, said.text.slice(saidBefore), rest);
    if (next === undefined) throw call.failure;
    call = next;
  }
}
