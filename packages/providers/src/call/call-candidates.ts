import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type CallCandidatesInput, uniqueByModel, whySkip } from "./call-input.ts";
import { AnswerSoFar, Continuation } from "./continuation.ts";
import { allFailedFault, type FailedCandidate } from "./faults.ts";
import { ProviderStream } from "./provider-stream.ts";
import { fullJitterMs, isTransient } from "./retry-policy.ts";

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

/** Where nothing is known of how long a first part usually takes: so many times what is expected of the whole answer. */
const LATE_FACTOR = 2;

interface PlannedCall {
  readonly candidate: Candidate;
  /** It is called although it failed repeatedly just before. */
  readonly lastResort?: boolean;
  readonly afterMs?: number;
}

/** Brings a request to the first model that speaks. Until then nobody has read anything, and the next one can take over. */
class FirstResponder {
  readonly #input: CallCandidatesInput;
  readonly #candidates: readonly Candidate[];
  readonly #plannedCalls: Iterator<PlannedCall>;
  readonly #failedCandidates: FailedCandidate[] = [];
  /** The calls that were made, in order. */
  readonly #calls: ProviderStream[] = [];

  constructor(input: CallCandidatesInput) {
    this.#input = input;
    this.#candidates = uniqueByModel(input.candidates);
    this.#plannedCalls = this.#planCalls();
  }

  /** The models that were called and failed, by their ids. */
  get failedModelIds(): readonly string[] {
    return this.#calls.flatMap(({ failure, candidate }) => (failure === undefined ? [] : [candidate.model.id]));
  }

  /** The call that answers; or what the client is told where nobody does. */
  async find(): Promise<ProviderStream> {
    const hedges = wantsHedge(this.#input.inference) && this.#candidates.length > 1;
    for (let call = await this.#next(hedges); call !== undefined; call = await this.#next(false)) {
      const winner = hedges && this.#calls.length === 1 ? await this.#hedge(call) : await this.#awaitFirstPart(call);
      if (winner !== undefined) return winner;
    }
    throw allFailedFault(this.#failedCandidates);
  }

  async #awaitFirstPart(call: ProviderStream): Promise<ProviderStream | undefined> {
    if (await call.awaitFirstPart()) return call;
    this.#recordFailure(call);
    return undefined;
  }

  async #hedge(first: ProviderStream): Promise<ProviderStream | undefined> {
    const { model, latencyMs } = first.candidate;
    const patienceMs = this.#input.health.of(model.id).firstPartP95Ms ?? LATE_FACTOR * latencyMs;
    let other: ProviderStream | undefined;
    const winner = await raceHedge({
      first,
      waitUntilLate: (signal) => this.#input.wait(patienceMs, signal),
      second: async () => {
        other = await this.#next(true);
        return other;
      },
    });
    for (const call of [first, other]) if (call?.failure !== undefined) this.#recordFailure(call);
    return winner;
  }

  /** The next call that can be made: passed over are those that can't. */
  async #next(canBeOvertaken: boolean): Promise<ProviderStream | undefined> {
    for (
      let plannedCall = this.#plannedCalls.next();
      plannedCall.done !== true;
      plannedCall = this.#plannedCalls.next()
    ) {
      const { candidate, lastResort = false, afterMs } = plannedCall.value;
      const { signal, inference } = this.#input;
      signal.throwIfAborted();
      if (afterMs !== undefined) await this.#wait(afterMs);
      const isRetry = this.#calls.length > 0;
      const obstacle = await whySkip(this.#input, candidate, { lastResort, isRetry });
      if (obstacle === undefined) {
        const call = new ProviderStream(this.#input, {
          candidate,
          inference,
          isHedged: canBeOvertaken,
          lastResort,
        });
        this.#calls.push(call);
        return call;
      }
      this.#failedCandidates.push({ model: fullNameOf(candidate.model), ms: 0, cause: obstacle });
      if (obstacle === "no retries left") return undefined;
    }
    return undefined;
  }

  async #wait(ms: number): Promise<void> {
    const { signal, wait } = this.#input;
    await wait(ms, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }

  #recordFailure({ candidate, elapsedMs, failure }: ProviderStream): void {
    if (failure !== undefined)
      this.#failedCandidates.push({ model: fullNameOf(candidate.model), ms: elapsedMs, cause: failure });
  }

  /**
   * Each candidate once; where breakers kept us from calling any of them, the best one after all; and where there is
   * but one, and its trouble may pass, that one again.
   */
  *#planCalls(): Generator<PlannedCall> {
    for (const candidate of this.#candidates) yield { candidate };
    const [best, other] = this.#candidates;
    if (best === undefined) return;
    if (this.#failedCandidates.every(({ cause }) => cause === "not admitted") && this.#calls.length === 0)
      yield { candidate: best, lastResort: true };
    const [call, ...further] = this.#calls;
    if (other === undefined && call?.failure !== undefined && further.length === 0 && isTransient(call.failure))
      yield { candidate: best, afterMs: fullJitterMs(0, this.#input.random) };
  }
}

/** Whether the client would rather have two models asked than wait. */
function wantsHedge({ preferences }: Inference): boolean {
  return preferences.speed === "fast" && preferences.hedge === true;
}

/** What a race is about. */
interface HedgeRace {
  readonly first: ProviderStream;
  /** Resolves when the first has been silent for so long that another one is asked, too. */
  readonly waitUntilLate: (signal: AbortSignal) => Promise<void>;
  /** The other one, not called yet; undefined where there is none. */
  readonly second: () => Promise<ProviderStream | undefined>;
}

/**
 * Whoever of two speaks first; undefined where both failed. The second is called only where the first is silent for
 * longer than it should be. Whoever is still silent when another speaks is called off.
 */
async function raceHedge({ first, waitUntilLate: patience, second }: HedgeRace): Promise<ProviderStream | undefined> {
  let isSilent = true;
  const speaks = first.awaitFirstPart().finally(() => {
    isSilent = false;
  });
  const running = new Map([[first, speaks]]);
  try {
    if (!(await isLate(speaks, patience))) return await firstToRespond(running);
    const other = await second();
    // The first may have spoken while the money for the second was set aside.
    if (isSilent || first.failure !== undefined) startCall(other, running);
    else other?.discard();
    return await firstToRespond(running);
  } finally {
    for (const call of running.keys()) call.loseRace();
  }
}

function startCall(call: ProviderStream | undefined, running: Map<ProviderStream, Promise<boolean>>): void {
  if (call !== undefined) running.set(call, call.awaitFirstPart());
}

async function isLate(speaks: Promise<boolean>, patience: HedgeRace["waitUntilLate"]): Promise<boolean> {
  const timer = new AbortController();
  const late = patience(timer.signal).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([late, speaks.then(() => false)]);
  } finally {
    timer.abort();
  }
}

/** The first that speaks. It and those that failed are taken out of those that run. */
async function firstToRespond(running: Map<ProviderStream, Promise<boolean>>): Promise<ProviderStream | undefined> {
  while (running.size > 0) {
    const { call, spoke } = await Promise.race(
      [...running].map(async ([one, speaks]) => ({ call: one, spoke: await speaks })),
    );
    running.delete(call);
    if (spoke) return call;
  }
  return undefined;
}
