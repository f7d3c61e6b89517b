import type { Inference } from "../domain/inference.ts";
import type { Candidate } from "../domain/route.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import type { SaidSoFar } from "./continuation.ts";
import { eachOnce, findObstacle } from "./line-up.ts";
import { RunningCall } from "./running-call.ts";
import { Seam } from "./seam.ts";

/** How many calls one answer may be made of, those that added nothing included. */
const LEGS_MAX = 8;

/** Who goes on with an answer when its provider dies in the middle of it. */
export class Relay {
  readonly #input: CallCandidatesInput;
  readonly #said: SaidSoFar;
  /** Those who failed without adding anything. */
  readonly #useless: Set<string>;
  /** Those who added something and then died, the last one last. */
  #tired: readonly Candidate[] = [];
  #legs = 1;

  constructor(input: CallCandidatesInput, said: SaidSoFar, failed: readonly string[]) {
    this.#input = input;
    this.#said = said;
    this.#useless = new Set(failed);
  }

  /** A call that has something to add to what was said before; undefined where there is none. */
  async after(dead: RunningCall, hasAdded: boolean, rest: Inference): Promise<RunningCall | undefined> {
    this.#retire(dead.candidate, hasAdded);
    // Where breakers keep us from calling anybody, they do not take away the last chance of an answer that has begun.
    return (await this.#ask(rest, false)) ?? (await this.#ask(rest, true));
  }

  #retire(candidate: Candidate, hasAdded: boolean): void {
    const { id } = candidate.model;
    this.#tired = this.#tired.filter(({ model }) => model.id !== id);
    if (hasAdded) this.#tired = [...this.#tired, candidate];
    else this.#useless.add(id);
  }

  async #ask(inference: Inference, lastResort: boolean): Promise<RunningCall | undefined> {
    for (const candidate of this.#lineUp()) {
      if (this.#legs >= LEGS_MAX) return undefined;
      this.#input.signal.throwIfAborted();
      const quoted = this.#input.requote(candidate, inference);
      if (quoted === undefined) continue;
      if ((await findObstacle(this.#input, quoted, { lastResort })) !== undefined) continue;
      this.#legs++;
      const { text } = this.#said;
      const seam = text === "" ? undefined : new Seam(text);
      const call = new RunningCall(this.#input, { candidate: quoted, inference, seam, lastResort });
      if (await call.speak()) return call;
      this.#retire(candidate, false);
    }
    return undefined;
  }

  /** Those who were not called yet, in the order of the route; then those who have shown that they can add something. */
  #lineUp(): readonly Candidate[] {
    const tired = new Set(this.#tired.map(({ model }) => model.id));
    const fresh = eachOnce(this.#input.candidates).filter(
      ({ model }) => !this.#useless.has(model.id) && !tired.has(model.id) && model.wire !== "builtin",
    );
    return [...fresh, ...this.#tired];
  }
}
