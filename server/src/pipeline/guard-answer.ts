import type { Caller } from "@trunkline/core/caller.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../app/services.ts";
import type { HookQuestion, HookText } from "../guardrails/ask-hook.ts";
import type { OpenGuardrailHook } from "../guardrails/guardrail-hook.ts";
import type { GuardrailOutcome } from "../guardrails/guardrail-hooks.ts";
import type { DeliverParts } from "./answer-progress.ts";
import { AnswerSections } from "./answer-sections.ts";
import { noteAnnotations } from "./apply-guardrails.ts";

/** Holds an answer back until the account's hooks have judged it. */
export interface AnswerGuard {
  readonly add: DeliverParts;
  /** The answer is complete: what is held back is judged and delivered. Throws the hooks' refusal. */
  end(): Promise<void>;
  /** The answer broke off. Does not throw: why it did is what the client gets to know. */
  breakOff(): Promise<void>;
}

interface GuardedAnswer {
  readonly services: Services;
  readonly caller: Caller;
  readonly inference: Inference;
  readonly trace: RequestTrace;
  readonly signal: CancelSignal;
  /** Those that are asked about answers: at least one. */
  readonly hooks: readonly OpenGuardrailHook[];
  /** Where what they let pass goes. */
  readonly deliver: DeliverParts;
}

/** In sections where the client gets a stream and every hook wants it so; otherwise the hooks see the whole answer at once. */
export function createAnswerGuard(answer: GuardedAnswer, isStreamed: boolean): AnswerGuard {
  const inSections = isStreamed && answer.hooks.every(({ stream }) => stream === "sections");
  return inSections ? new SectionGuard(answer) : new WholeGuard(answer);
}

/** Delivers nothing of an answer before the hooks have seen all of it. */
class WholeGuard implements AnswerGuard {
  readonly #answer: GuardedAnswer;
  readonly #parts: Part[] = [];

  constructor(answer: GuardedAnswer) {
    this.#answer = answer;
  }

  readonly add: DeliverParts = (parts) => {
    for (const part of parts) this.#parts.push(part);
  };

  async end(): Promise<void> {
    const { deliver, trace, hooks } = this.#answer;
    trace.endStage("provider");
    const joined = joinTexts(this.#parts);
    const texts = joined.flatMap(textOfPart);
    const outcome = texts.length === 0 ? undefined : await askAbout(this.#answer, hooks, texts);
    if (outcome?.texts === undefined) return deliver(this.#parts);
    const left = [...outcome.texts];
    // Probabilities and timings belong to the words that the model chose.
    const changed = joined
      .filter(({ type }) => type !== "logprobs" && type !== "timings")
      .map((part) => (textOfPart(part).length === 0 ? part : withText(part, left.shift() ?? "")));
    return deliver(changed);
  }

  async breakOff(): Promise<void> {}
}

/** How much of what was delivered before a hook sees beside a section. */
const CONTEXT_CHARACTERS = 2_000;
/** How often a hook may fail in one answer, where its failures let texts pass: each may take its whole time. Then it is not asked again. */
const FAILURES_MAX = 3;

/** Delivers an answer section by section, each once the hooks have judged it. */
class SectionGuard implements AnswerGuard {
  readonly #answer: GuardedAnswer;
  readonly #sections: AnswerSections;
  /** The end of what was delivered, by choice and kind of text. */
  readonly #delivered = new Map<string, string>();
  /** The choices whose reasoning is not the model's own words any more. */
  readonly #changedReasoning = new Set<number>();
  readonly #failures = new Map<string, number>();
  #hooks: readonly OpenGuardrailHook[];
  #isChanged = false;
  #hasRefused = false;
  #number = 0;

  constructor(answer: GuardedAnswer) {
    this.#answer = answer;
    this.#hooks = answer.hooks;
    this.#sections = new AnswerSections(Math.max(...answer.hooks.map(({ sectionCharacters }) => sectionCharacters)));
  }

  readonly add: DeliverParts = (parts) => {
    const at = parts.findIndex((part) => this.#sections.add(part));
    return at === -1 ? undefined : this.#judgeAndAdd(parts.slice(at + 1));
  };

  async #judgeAndAdd(parts: readonly Part[]): Promise<void> {
    await this.#judgeDue();
    for (const part of parts) if (this.#sections.add(part)) await this.#judgeDue();
  }

  async #judgeDue(): Promise<void> {
    do await this.#judge(this.#sections.take(), false);
    while (this.#sections.isDue);
  }

  end(): Promise<void> {
    return this.#judge(this.#sections.takeRest(), true);
  }

  async breakOff(): Promise<void> {
    if (this.#hasRefused || this.#answer.signal.aborted) return;
    await this.end().catch(() => undefined);
  }

  async #judge(parts: readonly Part[], last: boolean): Promise<void> {
    this.#answer.trace.endStage("provider");
    const texts = parts.flatMap((part) =>
      textOfPart(part).map((text) => ({ ...text, before: this.#delivered.get(keyOf(part)) ?? "" })),
    );
    let outcome: GuardrailOutcome | undefined;
    if (texts.length > 0 && this.#hooks.length > 0) {
      this.#number += 1;
      try {
        outcome = await askAbout(this.#answer, this.#hooks, texts, { number: this.#number, last });
      } catch (error) {
        this.#hasRefused = true;
        throw error;
      }
      for (const id of outcome.failed) this.#countFailure(id);
    }
    const left = outcome?.texts === undefined ? undefined : [...outcome.texts];
    const judged = parts.flatMap((part) => this.#judged(part, left));
    if (judged.length > 0) await this.#answer.deliver(judged);
  }

  /** A part as it is delivered. */
  #judged(part: Part, left: string[] | undefined): readonly Part[] {
    const [asked] = textOfPart(part);
    if (asked === undefined) {
      if (part.type === "thinking") return this.#withSignature(part);
      return this.#isChanged && (part.type === "logprobs" || part.type === "timings") ? [] : [part];
    }
    const text = left?.shift() ?? asked.text;
    const key = keyOf(part);
    this.#delivered.set(key, ((this.#delivered.get(key) ?? "") + text).slice(-CONTEXT_CHARACTERS));
    if (text === asked.text) return part.type === "thinking" ? this.#withSignature(part) : [part];
    this.#isChanged = true;
    if (part.type === "thinking") this.#changedReasoning.add(part.choice ?? 0);
    return text === "" ? [] : [withText(part, text)];
  }

  /** A signature is of all words of a reasoning: where some were changed before, it does not hold. */
  #withSignature(part: Extract<Part, { type: "thinking" }>): readonly Part[] {
    if (part.signature === undefined || !this.#changedReasoning.has(part.choice ?? 0)) return [part];
    return part.text === "" ? [] : [withText(part, part.text)];
  }

  #countFailure(id: string): void {
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    if (failures === FAILURES_MAX) this.#hooks = this.#hooks.filter((hook) => hook.id !== id);
  }
}

async function askAbout(
  { services, caller, inference, trace, signal }: GuardedAnswer,
  hooks: readonly OpenGuardrailHook[],
  texts: readonly HookText[],
  section?: HookQuestion["section"],
): Promise<GuardrailOutcome> {
  const question: HookQuestion = {
    side: "output",
    requestId: trace.requestId,
    keyId: caller.keyId,
    path: trace.path,
    model: trace.chosen === undefined ? undefined : cachedFullNameOf(trace.chosen.model),
    tags: inference.tags,
    section,
    texts,
  };
  const outcome = await services.guardrailHooks.ask(hooks, question, signal);
  noteAnnotations(trace, outcome.annotations);
  trace.endStage("guardrail");
  if (outcome.refusal !== undefined)
    throw new Fault("unsafe_output", `The answer was refused by your organisation's guardrail: ${outcome.refusal}.`, {
      categories: ["guardrail"],
    });
  return outcome;
}

/** One text for each choice, in the place of its first piece: a hook must not see words that are cut in two. */
function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  const places = new Map<string, number>();
  for (const part of parts) {
    const isText = part.type === "text" || (part.type === "thinking" && part.sealed === undefined);
    const key = isText ? keyOf(part) : undefined;
    const place = key === undefined ? undefined : places.get(key);
    const known = place === undefined ? undefined : joined[place];
    if (place !== undefined && known?.type === "text" && part.type === "text")
      joined[place] = { ...known, text: known.text + part.text };
    else if (place !== undefined && known?.type === "thinking" && part.type === "thinking")
      joined[place] = { ...known, ...part, text: known.text + part.text };
    else {
      if (key !== undefined) places.set(key, joined.length);
      joined.push(part);
    }
  }
  return joined;
}

function keyOf(part: Part): string {
  // A tool call has nothing before it: each is a text of its own.
  if (part.type === "tool-call") return `tool-call ${part.id}`;
  return `${part.type} ${"choice" in part ? (part.choice ?? 0) : 0}`;
}

function textOfPart(part: Part): HookText[] {
  const role = "assistant";
  if (part.type === "text") return [{ role, type: "text", text: part.text }];
  if (part.type === "thinking" && part.text !== "") return [{ role, type: "reasoning", text: part.text }];
  return part.type === "tool-call" ? [{ role, type: "tool_call", text: part.arguments }] : [];
}

function withText(part: Part, text: string): Part {
  if (part.type === "text") return { ...part, text };
  if (part.type === "tool-call") return { ...part, arguments: text };
  // The signature is of the words before the change.
  return part.type === "thinking" ? { type: "thinking", text, choice: part.choice } : part;
}
