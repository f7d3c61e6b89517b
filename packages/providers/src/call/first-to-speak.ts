import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import { eachOnce, findObstacle } from "./line-up.ts";
import { faultOfMisses, type Miss } from "./no-answer.ts";
import { fullJitterMs, mayPass } from "./passing-trouble.ts";
import { RunningCall } from "./provider-stream.ts";
import { raceTwo } from "./race-two.ts";

/** Where nothing is known of how long a first part usually takes: so many times what is expected of the whole answer. */
const LATE = 2;

interface Turn {
  readonly candidate: Candidate;
  /** It is called although it failed repeatedly just before. */
  readonly lastResort?: boolean;
  readonly afterMs?: number;
}

/** Brings a request to the first model that speaks. Until then nobody has read anything, and the next one can take over. */
export class FirstToSpeak {
  readonly #input: CallCandidatesInput;
  readonly #candidates: readonly Candidate[];
  readonly #turns: Iterator<Turn>;
  readonly #misses: Miss[] = [];
  /** The calls that were made, in order. */
  readonly #calls: RunningCall[] = [];

  constructor(input: CallCandidatesInput) {
    this.#input = input;
    this.#candidates = eachOnce(input.candidates);
    this.#turns = this.#takeTurns();
  }

  /** The models that were called and failed, by their ids. */
  get failed(): readonly string[] {
    return this.#calls.flatMap(({ failure, candidate }) =>
      failure === undefined ? [] : [candidate.model.id],
    );
  }

  /** The call that answers; or what the client is told where nobody does. */
  async find(): Promise<RunningCall> {
    const hedges = wantsHedge(this.#input.inference) && this.#candidates.length > 1;
    for (let call = await this.#next(hedges); call !== undefined; call = await this.#next(false)) {
      const winner = hedges && this.#calls.length === 1 ? await this.#race(call) : await this.#listen(call);
      if (winner !== undefined) return winner;
    }
    throw faultOfMisses(this.#misses);
  }

  async #listen(call: RunningCall): Promise<RunningCall | undefined> {
    if (await call.speak()) return call;
    this.#miss(call);
    return undefined;
  }

  async #race(first: RunningCall): Promise<RunningCall | undefined> {
    const { model, latencyMs } = first.candidate;
    const patienceMs = this.#input.health.of(model.id).firstPartP95Ms ?? LATE * latencyMs;
    let other: RunningCall | undefined;
    const winner = await raceTwo({
      first,
      patience: (signal) => this.#input.wait(patienceMs, signal),
      second: async () => {
        other = await this.#next(true);
        return other;
      },
    });
    for (const call of [first, other]) if (call?.failure !== undefined) this.#miss(call);
    return winner;
  }

  /** The next call that can be made: passed over are those that can't. */
  async #next(canBeOvertaken: boolean): Promise<RunningCall | undefined> {
    for (let turn = this.#turns.next(); turn.done !== true; turn = this.#turns.next()) {
      const { candidate, lastResort = false, afterMs } = turn.value;
      const { signal, inference } = this.#input;
      signal.throwIfAborted();
      if (afterMs !== undefined) await this.#wait(afterMs);
      const isRetry = this.#calls.length > 0;
      const obstacle = await findObstacle(this.#input, candidate, { lastResort, isRetry });
      if (obstacle === undefined) {
        const call = new RunningCall(this.#input, { candidate, inference, canBeOvertaken, lastResort });
        this.#calls.push(call);
        return call;
      }
      this.#misses.push({ model: fullNameOf(candidate.model), ms: 0, cause: obstacle });
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

  #miss({ candidate, elapsedMs, failure }: RunningCall): void {
    if (failure !== undefined)
      this.#misses.push({ model: fullNameOf(candidate.model), ms: elapsedMs, cause: failure });
  }

  /**
   * Each candidate once; where breakers kept us from calling any of them, the best one after all; and where there is
   * but one, and its trouble may pass, that one again.
   */
  *#takeTurns(): Generator<Turn> {
    for (const candidate of this.#candidates) yield { candidate };
    const [best, other] = this.#candidates;
    if (best === undefined) return;
    if (this.#misses.every(({ cause }) => cause === "not admitted") && this.#calls.length === 0)
      yield { candidate: best, lastResort: true };
    const [call, ...further] = this.#calls;
    if (other === undefined && call?.failure !== undefined && further.length === 0 && mayPass(call.failure))
      yield { candidate: best, afterMs: fullJitterMs(0, this.#input.random) };
  }
}

/** Whether the client would rather have two models asked than wait. */
function wantsHedge({ preferences }: Inference): boolean {
  return preferences.speed === "fast" && preferences.hedge === true;
}
