import { appendText } from "@trunkline/core/append-text.ts";
import type { Message } from "@trunkline/core/conversation.ts";
import type { Inference, TaskKind } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type CallCandidatesInput, uniqueByModel, whySkip } from "./call-input.ts";
import { OverlapTrimmer } from "./overlap-trimmer.ts";
import { ProviderStream } from "./provider-stream.ts";
import { shouldBackOff } from "./retry-policy.ts";

/** Sent as the last message to a model that continues another model's answer. */
const CONTINUE_PROMPT =
  "Your last message broke off in the middle. Go on with it exactly where it stopped, with the very next character, " +
  "within the word if it stopped in one. Do not repeat anything that is already there, do not begin anew, and do not " +
  "comment on it: your words are put right behind it.";

/** The tasks whose answer is text that another model can continue. */
const TEXT_TASKS: ReadonlySet<TaskKind> = new Set(["chat", "text", "code", "analysis", "multimodal"]);

/** A continuation reads, and charges for, the whole answer so far. A longer answer is not continued. */
const CONTINUABLE_BYTES_MAX = 256 * 1024;

/** The text of an answer so far, and whether another model can continue it. */
export class AnswerSoFar {
  readonly #inference: Inference;
  #text = "";
  #thoughts = "";
  /** The last thought has no signature yet. */
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
      this.#text = appendText(this.#text, part.text);
    } else if (part.type === "thinking") {
      this.#thoughts = appendText(this.#thoughts, part.text);
      this.#isThinking = part.signature === undefined && part.sealed === undefined;
    } else if (part.type !== "usage" && part.type !== "finish") this.#isTextOnly = false;
  }

  get canBeContinued(): boolean {
    const { continues, parameters, task } = this.#inference;
    const { choices = 1, logprobs } = parameters;
    return (
      this.#isTextOnly &&
      // A second model would sign the first one's thoughts as its own, and its provider would refuse them later.
      !(this.#isThinking && this.#text === "") &&
      continues !== false &&
      choices === 1 &&
      logprobs === undefined &&
      TEXT_TASKS.has(task.kind) &&
      Buffer.byteLength(this.#text) <= CONTINUABLE_BYTES_MAX
    );
  }

  /** The request for the rest of the answer; undefined if the answer has reached its maximum length. */
  requestForRemainder(countTokens: (text: string) => number): Inference | undefined {
    const { maxTokens } = this.#inference.parameters;
    if (maxTokens === undefined) return continuationRequest(this.#inference, this.#text, undefined);
    const left = maxTokens - countTokens(this.#text) - countTokens(this.#thoughts);
    return left < 1 ? undefined : continuationRequest(this.#inference, this.#text, left);
  }
}

/** The request that continues an answer after this text. Without any words the request is answered again. */
export function continuationRequest(inference: Inference, text: string, maxTokens: number | undefined): Inference {
  const limited = { ...inference, parameters: { ...inference.parameters, maxTokens } };
  // Some providers refuse a message of nothing but whitespace.
  if (text.trim() === "") return limited;
  const { answerForm, ...conversation } = inference.conversation;
  const form = answerForm === undefined ? "" : `\n\n${answerFormInstruction(answerForm)}`;
  const turns: readonly Message[] = [
    { role: "assistant", content: [{ type: "text", text }] },
    { role: "user", content: [{ type: "text", text: CONTINUE_PROMPT + form }] },
  ];
  return { ...limited, conversation: { ...conversation, messages: [...conversation.messages, ...turns] } };
}

/** An enforced form would make the model start again, as the rest of an object is not one. So words describe it. */
function answerFormInstruction(form: NonNullable<Inference["conversation"]["answerForm"]>): string {
  const schema = form.type === "schema" ? ` that meets this schema: ${JSON.stringify(form.schema)}` : "";
  return `Together both must be one JSON document${schema}`;
}

/** How many calls one answer may consist of, including those that added nothing. */
const SEGMENTS_MAX = 8;
/** How often a model that broke off may continue its own answer. */
const RETURNS_MAX = 2;
/** Each segment reads the whole request again. A model that broke off is worth that if it added this many tokens, */
const ADDED_TOKENS_MIN = 64;
/** or one token for this many that it read. */
const INPUT_TOKENS_PER_ADDED_TOKEN = 4;

/** Finds the model that continues an answer when its provider breaks off in the middle. */
export class Continuation {
  readonly #input: CallCandidatesInput;
  readonly #answer: AnswerSoFar;
  /** The ids of models that are not called again: they added nothing or too little, or were called often enough. */
  readonly #excluded: Set<string>;
  /** Candidates that broke off after adding enough for their price, the latest last. */
  #returnable: readonly Candidate[] = [];
  readonly #callsByModel = new Map<string, number>();
  #segments = 1;

  constructor(input: CallCandidatesInput, answer: AnswerSoFar, failedModelIds: readonly string[]) {
    this.#input = input;
    this.#answer = answer;
    this.#excluded = new Set(failedModelIds);
  }

  /** A call that continues the answer after `failed`, which added this text; undefined if there is none. */
  async continueAfter(
    failed: ProviderStream,
    added: string,
    remainder: Inference,
  ): Promise<ProviderStream | undefined> {
    this.#recordEnd(failed, added);
    // An answer that has begun is worth a call that no breaker admits.
    return (await this.#tryCandidates(remainder, false)) ?? (await this.#tryCandidates(remainder, true));
  }

  #recordEnd({ candidate, failure }: ProviderStream, added: string): void {
    const { id } = candidate.model;
    const calls = (this.#callsByModel.get(id) ?? 0) + 1;
    this.#callsByModel.set(id, calls);
    this.#returnable = this.#returnable.filter(({ model }) => model.id !== id);
    const mayReturn = calls <= RETURNS_MAX && (failure === undefined || !shouldBackOff(failure));
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
      if ((await whySkip(this.#input, quoted, lastResort, false)) !== undefined) continue;
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
      this.#recordEnd(call, "");
    }
    return undefined;
  }

  /** Candidates that were not called yet, in the order of the route; then those that have added enough before. */
  #remainingCandidates(): readonly Candidate[] {
    const returnableIds = new Set(this.#returnable.map(({ model }) => model.id));
    const fresh = uniqueByModel(this.#input.candidates).filter(
      ({ model }) => !this.#excluded.has(model.id) && !returnableIds.has(model.id) && model.wire !== "builtin",
    );
    return [...fresh, ...this.#returnable];
  }
}
