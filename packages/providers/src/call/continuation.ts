import type { Message } from "@trunkline/core/conversation.ts";
import type { Inference, TaskKind } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type CallCandidatesInput, uniqueByModel, whySkip } from "./call-input.ts";
import { OverlapTrimmer } from "./overlap-trimmer.ts";
import { ProviderStream } from "./provider-stream.ts";
import { shouldBackOff } from "./retry-policy.ts";

/** What a model is told that goes on with an answer of another one. */
const CONTINUE_PROMPT =
  "Your last message broke off in the middle. Go on with it exactly where it stopped, with the very next character, " +
  "within the word if it stopped in one. Do not repeat anything that is already there, do not begin anew, and do not " +
  "comment on it: your words are put right behind it.";

/** The kinds of work whose answer is words that another model can go on with. */
const TEXT_TASKS: ReadonlySet<TaskKind> = new Set(["chat", "text", "code", "analysis", "multimodal"]);

/** Whoever goes on reads all that was said, and is paid for it. Beyond so many bytes nobody is asked to. */
const CONTINUABLE_BYTES_MAX = 256 * 1024;

/** What was said of an answer so far, and whether another model can go on from there. */
export class AnswerSoFar {
  readonly #inference: Inference;
  #text = "";
  #thoughts = "";
  /** The last thought that came was not signed yet. */
  #isThinking = false;
  #isTextOnly = true;

  constructor(inference: Inference) {
    this.#inference = inference;
  }

  get text(): string {
    return this.#text;
  }

  add(part: Part): void {
    if (part.type === "text") {
      this.#text += part.text;
    } else if (part.type === "thinking") {
      this.#thoughts += part.text;
      this.#isThinking = part.signature === undefined && part.sealed === undefined;
    } else if (part.type !== "usage" && part.type !== "finish") this.#isTextOnly = false;
  }

  get canBeContinued(): boolean {
    const { continues, parameters, task } = this.#inference;
    const { choices = 1, logprobs } = parameters;
    return (
      this.#isTextOnly &&
      // Whoever begins anew would sign another's thoughts as its own, and its provider would refuse them in the next turn.
      !(this.#isThinking && this.#text === "") &&
      continues !== false &&
      choices === 1 &&
      logprobs === undefined &&
      TEXT_TASKS.has(task.kind) &&
      Buffer.byteLength(this.#text) <= CONTINUABLE_BYTES_MAX
    );
  }

  /** The request for what is missing; undefined where as much was said as was asked for. */
  requestForRemainder(countTokens: (text: string) => number): Inference | undefined {
    const { maxTokens } = this.#inference.parameters;
    if (maxTokens === undefined) return continuationRequest(this.#inference, this.#text, undefined);
    const left = maxTokens - countTokens(this.#text) - countTokens(this.#thoughts);
    return left < 1 ? undefined : continuationRequest(this.#inference, this.#text, left);
  }
}

/** The same request, for whoever goes on with its answer from this text on. Without any word in it, it is answered anew. */
export function continuationRequest(inference: Inference, text: string, maxTokens: number | undefined): Inference {
  const limited = { ...inference, parameters: { ...inference.parameters, maxTokens } };
  // Some providers refuse a turn of blanks.
  if (text.trim() === "") return limited;
  const { answerForm, ...conversation } = inference.conversation;
  const form = answerForm === undefined ? "" : `\n\n${answerFormInstruction(answerForm)}`;
  const turns: readonly Message[] = [
    { role: "assistant", content: [{ type: "text", text }] },
    { role: "user", content: [{ type: "text", text: CONTINUE_PROMPT + form }] },
  ];
  return { ...limited, conversation: { ...conversation, messages: [...conversation.messages, ...turns] } };
}

/** A form that is forced upon the rest would begin anew: the rest of an object is none. So it is told in words. */
function answerFormInstruction(form: NonNullable<Inference["conversation"]["answerForm"]>): string {
  const schema = form.type === "schema" ? ` that meets this schema: ${JSON.stringify(form.schema)}` : "";
  return `Together both must be one JSON document${schema}`;
}

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
  async continueAfter(dead: ProviderStream, added: string, rest: Inference): Promise<ProviderStream | undefined> {
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
    if (mayReturn && this.#isWorthItsCost(candidate, added)) this.#returnable = [...this.#returnable, candidate];
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
