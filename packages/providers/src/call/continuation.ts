import type { Part } from "@trunkline/core/answer.ts";
import type { Message } from "@trunkline/core/conversation.ts";
import type { Inference, TaskKind } from "@trunkline/core/inference.ts";

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
export function continuationRequest(
  inference: Inference,
  text: string,
  maxTokens: number | undefined,
): Inference {
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
