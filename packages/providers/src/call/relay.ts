import type { Inference } from "@trunkline/core/inference.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import type { SaidSoFar } from "./continuation.ts";
import { eachOnce, findObstacle } from "./line-up.ts";
import { Seam } from "./overlap-trimmer.ts";
import { wantsToBeLeftAlone } from "./passing-trouble.ts";
import { RunningCall } from "./provider-stream.ts";

/** How many calls one answer may be made of, those that added nothing included. */
const LEGS_MAX = 8;
/** How often a model that spoke and died goes on with its own answer. */
const RETURNS_MAX = 2;
/** Each leg reads the whole request again. Whoever died is worth that where it gave so many tokens, */
const WORTHY_TOKENS = 64;
/** or one for so many that it read. */
const READ_PER_WORTHY_TOKEN = 4;

/** Who goes on with an answer when its provider dies in the middle of it. */
export class Relay {
  readonly #input: CallCandidatesInput;
  readonly #said: SaidSoFar;
  /** Those who are not asked again: they added nothing, too little, or have had their turns. */
  readonly #useless: Set<string>;
  /** Those who added something worth its price and then died, the last one last. */
  #tired: readonly Candidate[] = [];
  /** How often each model has spoken. */
  readonly #turns = new Map<string, number>();
  #legs = 1;

  constructor(input: CallCandidatesInput, said: SaidSoFar, failed: readonly string[]) {
    this.#input = input;
    this.#said = said;
    this.#useless = new Set(failed);
  }

  /** A call that has something to add to what was said before; undefined where there is none. */
  async after(dead: RunningCall, added: string, rest: Inference): Promise<RunningCall | undefined> {
    this.#retire(dead, added);
    // Where breakers keep us from calling anybody, they do not take away the last chance of an answer that has begun.
    return (await this.#ask(rest, false)) ?? (await this.#ask(rest, true));
  }

  #retire({ candidate, failure }: RunningCall, added: string): void {
    const { id } = candidate.model;
    const turns = (this.#turns.get(id) ?? 0) + 1;
    this.#turns.set(id, turns);
    this.#tired = this.#tired.filter(({ model }) => model.id !== id);
    const mayReturn = turns <= RETURNS_MAX && (failure === undefined || !wantsToBeLeftAlone(failure));
    if (mayReturn && this.#isWorthItsPrice(candidate, added)) this.#tired = [...this.#tired, candidate];
    else this.#useless.add(id);
  }

  #isWorthItsPrice({ quote }: Candidate, added: string): boolean {
    if (added === "") return false;
    const tokens = this.#input.countTokens(added);
    return tokens >= WORTHY_TOKENS || tokens * READ_PER_WORTHY_TOKEN >= quote.inputTokens;
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
      this.#retire(call, "");
    }
    return undefined;
  }

  /** Those who were not called yet, in the order of the route; then those who have shown that they add enough. */
  #lineUp(): readonly Candidate[] {
    const tired = new Set(this.#tired.map(({ model }) => model.id));
    const fresh = eachOnce(this.#input.candidates).filter(
      ({ model }) => !this.#useless.has(model.id) && !tired.has(model.id) && model.wire !== "builtin",
    );
    return [...fresh, ...this.#tired];
  }
}
