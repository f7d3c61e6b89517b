import type { Part } from "../domain/answer.ts";
import { type Attempt, ProviderFailure } from "../domain/attempt.ts";
import type { Inference } from "../domain/inference.ts";
import { fullNameOf, type Model } from "../domain/model.ts";
import type { Candidate } from "../domain/route.ts";
import type { Clock } from "../kit/clock.ts";
import type { Adapter } from "./adapter.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { KeyRest } from "./http/key-turns.ts";
import { faultOfMisses, type Miss } from "./no-answer.ts";
import { shortenCaches } from "./shorten-caches.ts";
import { WatchedCall } from "./watched-call.ts";
import { withinHold } from "./within-hold.ts";

export interface CallCandidatesInput {
  /** The models to try, best first. */
  readonly candidates: readonly Candidate[];
  readonly inference: Inference;
  readonly requestId: string;
  /** Ends the call that runs. Every adapter heeds it. */
  readonly signal: AbortSignal;
  readonly adapterFor: (model: Model) => Adapter;
  readonly health: EndpointHealth;
  readonly clock: Clock;
  /** Asked before each call; false where the candidate's worst case can't be covered: it is then passed over. */
  readonly secure: (candidate: Candidate) => Promise<boolean>;
  /** Told once for each call that was made, when it is over. */
  readonly onAttempt: (attempt: Attempt) => void;
  /**
   * Told once, before the first part: from here on this candidate is the one that answers, and these fields of the
   * request are those that it could not be told.
   */
  readonly onChosen: (candidate: Candidate, dropped: readonly string[]) => void;
  /** Told when one of our keys for a provider was refused. */
  readonly onKeyRests?: (model: Model, rest: KeyRest) => void;
}

/**
 * The parts of the first candidate that answers. This is the one place where failover happens,
 * and it ends with the first part: what a client has begun to read is never begun anew by another model.
 */
export async function* callCandidates(input: CallCandidatesInput): AsyncGenerator<Part> {
  const misses: Miss[] = [];
  for (const { candidate, lastResort } of turnsOf(input.candidates, misses)) {
    const { model } = candidate;
    input.signal.throwIfAborted();
    const obstacle = await findObstacle(input, candidate, lastResort);
    if (obstacle !== undefined) {
      misses.push({ model: fullNameOf(model), ms: 0, cause: obstacle });
      continue;
    }
    const { inference, requestId, signal, clock, health, onAttempt } = input;
    const call = new WatchedCall({ model, clock, health, onAttempt });
    const dropped = new Set(fieldsOfOtherWires(inference, model));
    const onDropped = (field: string) => void dropped.add(field);
    const asked = {
      model,
      inference: shortenCaches(withinHold(inference, model, candidate.quote), model, onDropped),
      requestId,
      signal,
      onDropped,
      onPause: (seconds: number) => health.pause(model.id, seconds),
      onRoom: (calls: number, seconds: number) => health.hasRoom(model.id, calls, seconds),
      onKeyRests: (rest: KeyRest) => input.onKeyRests?.(model, rest),
    };
    try {
      for await (const part of input.adapterFor(model).call(asked)) {
        // An empty text says nothing. Dropping it keeps the door open for the next candidate.
        if (part.type === "text" && part.text === "") continue;
        if (!call.begun) input.onChosen(candidate, [...dropped]);
        call.note(part);
        yield part;
      }
      // An adapter may end quietly when it is told to stop: that is not an answer.
      if (!call.finished) signal.throwIfAborted();
      if (!call.begun) input.onChosen(candidate, [...dropped]);
      call.answered();
      return;
    } catch (error) {
      if (signal.aborted) {
        call.leftBehind();
        // Whatever the adapter made of it, what ended this call is the abort and its reason.
        throw signal.reason;
      }
      if (!(error instanceof ProviderFailure)) {
        call.broke();
        throw error;
      }
      const begun = call.begun;
      call.failed(error);
      if (begun) throw error;
      misses.push({ model: fullNameOf(model), ms: call.elapsedMs, cause: error });
    } finally {
      // Reached without an end when the consumer leaves at a `yield`; otherwise this changes nothing.
      call.leftBehind();
    }
  }
  throw faultOfMisses(misses);
}

/** What only a provider of another wire format could have made something of. */
function fieldsOfOtherWires({ extras }: Inference, { wire }: Model): readonly string[] {
  return extras === undefined || extras.wire === wire ? [] : Object.keys(extras.fields);
}

/** Each candidate once; and where breakers kept us from calling any of them, the best one after all. */
function* turnsOf(candidates: readonly Candidate[], misses: readonly Miss[]) {
  const byModel = new Map(candidates.map((candidate) => [candidate.model.id, candidate] as const).reverse());
  for (const candidate of candidates) {
    if (byModel.get(candidate.model.id) === candidate) yield { candidate, lastResort: false };
  }
  const [best] = candidates;
  if (best !== undefined && misses.every(({ cause }) => cause === "not admitted"))
    yield { candidate: best, lastResort: true };
}

/** Why a candidate can't be called now, or undefined: then its slot is taken and its worst case is covered. */
async function findObstacle(
  { health, secure }: CallCandidatesInput,
  candidate: Candidate,
  lastResort: boolean,
): Promise<"not admitted" | "not covered" | undefined> {
  const { id } = candidate.model;
  if (!health.admit(id) && !lastResort) return "not admitted";
  let covered = false;
  try {
    covered = await secure(candidate);
  } finally {
    if (!covered) health.abandoned(id);
  }
  return covered ? undefined : "not covered";
}
