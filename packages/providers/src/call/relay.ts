import type { Inference } from "@trunkline/core/inference.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import type { AnswerSoFar } from "./continuation.ts";
import { uniqueByModel, whySkip } from "./line-up.ts";
import { OverlapTrimmer } from "./overlap-trimmer.ts";
import { shouldBackOff } from "./passing-trouble.ts";
import { ProviderStream } from "./provider-stream.ts";

/** How many calls one answer may be made of, those that added nothing included. */
const SEGMENTS_MAX = 8;
/** How often a model that spoke and died goes on with its own answer. */
const RETURNS_MAX = 2;
/** Each leg reads the whole request again. Whoever died is worth that where it gave so many tokens, */
const ADDED_TOKENS_MIN = 64;
/** or one for so many that it read. */
const INPUT_TOKENS_PER_ADDED_TOKEN = 4;

/** Who goes on with an answer when its provider dies in the middle of it. */
export class Continuation {
  readonly #input: CallCandidatesInput;
  readonly #answer: AnswerSoFar;
  /** Those who are not asked again: they added nothing, too little, or have had their turns. */
  readonly #excluded: Set<string>;
  /** Those who added something worth its price and then died, the last one last. */
  #returnable: readonly Candidate[] = [];
  /** How often each model has spoken. */
  readonly #callsByModel = new Map<string, number>();
  #segments = 1;

  constructor(input: CallCandidatesInput, said: AnswerSoFar, failed: readonly string[]) {
    this.#input = input;
    this.#answer = said;
    this.#excluded = new Set(failed);
  }

  /** A call that has something to add to what was said before; undefined where there is none. */
  async continueAfter(
    dead: ProviderStream,
    added: string,
    rest: Inference,
  ): Promise<ProviderStream | undefined> {
    this.#retire(dead, added);
    // Where breakers keep us from calling anybody, they do not take away the last chance of an answer that has begun.
    return (await this.#tryCandidates(rest, false)) ?? (await this.#tryCandidates(rest, true));
  }

  #retire({ candidate, failure }: ProviderStream, added: string): void {
    const { id } = candidate.model;
    const turns = (this.#callsByModel.get(id) ?? 0) + 1;
    this.#callsByModel.set(id, turns);
    this.#returnable = this.#returnable.filter(({ model }) => model.id !== id);
    const mayReturn = turns <= RETURNS_MAX && (failure === undefined || !shouldBackOff(failure));
    if (mayReturn && this.#isWorthItsCost(candidate, added))
      this.#returnable = [...this.#returnable, candidate];
    else this.#excluded.add(id);
  }

  #isWorthItsCost({ quote }: Candidate, added: string): boolean {
    if (added === "") return false;
    const tokens = this.#input.countTokens(added);
    return tokens >= ADDED_TOKENS_MIN || tokens * INPUT_TOKENS_PER_ADDED_TOKEN >= quote.inputTokens;
  }

  async #tryCandidates(inference: Inference, lastResort: boolean): Promise<ProviderStream | undefined> {
    for (const candidate of this.#remainingCandidates()) {
      if (this.#segments >= SEGMENTS_MAX) return undefined;
      this.#input.signal.throwIfAborted();
      const quoted = this.#input.requote(candidate, inference);
      if (quoted === undefined) continue;
      if ((await whySkip(this.#input, quoted, { lastResort })) !== undefined) continue;
      this.#segments++;
      const { text } = this.#answer;
      const overlapTrimmer = text === "" ? undefined : new OverlapTrimmer(text);
      const call = new ProviderStream(this.#input, {
        candidate: quoted,
        inference,
        overlapTrimmer,
        lastResort,
      });
      if (await call.awaitFirstPart()) return call;
      this.#retire(call, "");
    }
    return undefined;
  }

  /** Those who were not called yet, in the order of the route; then those who have shown that they add enough. */
  #remainingCandidates(): readonly Candidate[] {
    const tired = new Set(this.#returnable.map(({ model }) => model.id));
    const fresh = uniqueByModel(this.#input.candidates).filter(
      ({ model }) => !this.#excluded.has(model.id) && !tired.has(model.id) && model.wire !== "builtin",
    );
    return [...fresh, ...this.#returnable];
  }
}
