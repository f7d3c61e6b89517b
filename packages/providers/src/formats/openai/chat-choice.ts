import {
  isObject,
  isPresent,
  type JsonObject,
  nonEmptyText,
  objectField,
  objectItems,
} from "@trunkline/core/json-object.ts";
import type { FinishPart, Part, TextPart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";

/** Collects one of the answers to a request. */
export class ChoiceReader {
  /** Its number among the answers. */
  readonly index: number;
  readonly #stops: readonly string[];
  readonly #requestId: string;
  #calls: ToolCallAssembler | undefined;
  #logprobs: unknown[] | undefined;
  #reason: FinishPart["reason"] | undefined;
  #stopSequence: string | undefined;
  #isRefusal = false;

  /** `requestId`: a call that its provider gave no id is named after it. */
  constructor(index: number, stops: readonly string[], requestId: string) {
    this.index = index;
    this.#stops = stops;
    this.#requestId = requestId;
  }

  /** Whether the provider has sent a finish reason. */
  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * Adds the parts of one entry of `choices`: a whole message, or a delta. Returns whether its text is all that it has beside
   * its index and role.
   */
  read(entry: JsonObject, parts: Part[]): boolean {
    const message = isObject(entry.delta) ? entry.delta : objectField(entry, "message");
    const thoughts = message.reasoning_content ?? message.reasoning;
    this.#addThinking(thoughts, parts);
    this.#addText(message.content, parts);
    const refused = nonEmptyText(message.refusal);
    if (refused !== undefined) {
      this.#isRefusal = true;
      parts.push(this.#text(refused));
    }
    if (message.tool_calls !== undefined)
      for (const [place, call] of objectItems(message.tool_calls).entries())
        this.#addCall(message === entry.delta ? call : { ...call, index: place });
    if (isObject(message.function_call)) this.#addCall({ index: "function", function: message.function_call });
    if (isObject(entry.logprobs)) {
      const { content, refusal } = entry.logprobs;
      this.#logprobs ??= [];
      for (const token of Array.isArray(content) ? content : Array.isArray(refusal) ? refusal : [])
        this.#logprobs.push(token);
    }
    const reason = nonEmptyText(entry.finish_reason);
    if (reason === undefined)
      return (
        typeof message.content === "string" &&
        refused === undefined &&
        !isPresent(thoughts) &&
        !isPresent(message.tool_calls) &&
        !isPresent(message.function_call) &&
        !isPresent(entry.logprobs)
      );
    this.#reason = toFinishReason(reason);
    if (this.#reason === undefined) throw new ProviderFailure("broken", "broke down before its answer was complete");
    const stoppedAt = entry.stop_reason;
    if (typeof stoppedAt === "string" && this.#stops.includes(stoppedAt)) this.#stopSequence = stoppedAt;
    return false;
  }

  /** Adds the parts that are sent only when they are complete. */
  collectInto(parts: Part[]): void {
    if (this.#calls !== undefined)
      for (const [place, call] of this.#calls.collect().entries())
        parts.push({
          type: "tool-call",
          id: call.id ?? `call_${this.#requestId.replaceAll("-", "")}_${this.index}_${place}`,
          name: call.name,
          arguments: call.arguments,
          ...this.#choice,
        });
    if (this.#logprobs !== undefined && this.#logprobs.length > 0)
      parts.push({ type: "logprobs", content: this.#logprobs, ...this.#choice });
  }

  finish(): FinishPart {
    const given = this.#reason ?? "unknown";
    // Some providers report `stop` for an answer with a forced tool call.
    const reason = given === "stop" && this.#calls !== undefined ? "tool-calls" : given;
    return {
      type: "finish",
      reason: this.#isRefusal ? "refused" : reason,
      ...(this.#stopSequence === undefined ? undefined : { stopSequence: this.#stopSequence }),
      ...this.#choice,
    };
  }

  #addCall(delta: JsonObject): void {
    this.#calls ??= new ToolCallAssembler();
    this.#calls.add(delta);
  }

  /** A text, or a list of pieces, some of which may be thinking. */
  #addText(content: unknown, parts: Part[]): void {
    const whole = nonEmptyText(content);
    if (whole !== undefined) parts.push(this.#text(whole));
    else if (typeof content !== "object") return;
    for (const piece of objectItems(content)) {
      if (piece.type === "thinking") this.#addThinking(piece.thinking, parts);
      else this.#addText(piece.text, parts);
    }
  }

  #addThinking(thoughts: unknown, parts: Part[]): void {
    if (thoughts === undefined) return;
    const whole = nonEmptyText(thoughts);
    if (whole !== undefined) parts.push({ type: "thinking", text: whole, ...this.#choice });
    for (const piece of objectItems(thoughts)) this.#addThinking(piece.text, parts);
  }

  #text(text: string): TextPart {
    return this.index === 0 ? { type: "text", text } : { type: "text", text, choice: this.index };
  }

  /** The first choice has no number: nearly always it is the only one. */
  get #choice(): { readonly choice: number } | undefined {
    return this.index === 0 ? undefined : { choice: this.index };
  }
}

interface PartialToolCall {
  id: string | undefined;
  name: string;
  arguments: string;
}

/** A complete call; the id is undefined where the provider has none. */
interface CompleteToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

/** Assembles calls from their pieces, which may arrive interleaved. */
class ToolCallAssembler {
  readonly #partialToolCalls: PartialToolCall[] = [];
  readonly #byIndex = new Map<unknown, PartialToolCall>();

  /** Adds a piece of a call, or all of it. */
  add(delta: JsonObject): void {
    const { name, arguments: given } = objectField(delta, "function");
    const id = nonEmptyText(delta.id);
    const partialToolCall = this.#draftFor(delta.index ?? undefined, id, nonEmptyText(name));
    partialToolCall.id ??= id;
    // The name comes once. Providers that repeat it with every piece do not mean it to be concatenated.
    if (partialToolCall.name === "") partialToolCall.name = nonEmptyText(name) ?? "";
    partialToolCall.arguments +=
      typeof given === "object" && given !== null ? JSON.stringify(given) : (nonEmptyText(given) ?? "");
  }

  /** All calls, in the order in which they began. */
  collect(): readonly CompleteToolCall[] {
    return this.#partialToolCalls.map((partialToolCall) => ({
      ...partialToolCall,
      arguments: partialToolCall.arguments.trim() || "{}",
    }));
  }

  /** Some providers give all calls the same index, or none: then another id starts another call. */
  #draftFor(index: unknown, id: string | undefined, name: string | undefined): PartialToolCall {
    const known = index === undefined ? this.#partialToolCalls.at(-1) : this.#byIndex.get(index);
    const isAnother = known?.id !== undefined && id !== undefined && id !== known.id && name !== undefined;
    const isWithoutSigns = index === undefined && id === undefined && name !== undefined;
    if (known !== undefined && !isAnother && !isWithoutSigns) return known;
    const partialToolCall: PartialToolCall = { id: undefined, name: "", arguments: "" };
    this.#partialToolCalls.push(partialToolCall);
    if (index !== undefined) this.#byIndex.set(index, partialToolCall);
    return partialToolCall;
  }
}

/** The finish reasons that providers use. */
const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "refused",
  refusal: "refused",
  sensitive: "refused",
};

/** Finish reasons that report a failure of the provider, whatever it sent before. */
const FAILURE_REASONS: ReadonlySet<string> = new Set(["error", "network_error", "insufficient_system_resource"]);

/** Why an answer ended; undefined for a failure. */
function toFinishReason(reason: string): FinishPart["reason"] | undefined {
  if (FAILURE_REASONS.has(reason)) return undefined;
  return (Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined) ?? "unknown";
}
