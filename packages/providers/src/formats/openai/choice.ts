import type {
  FinishPart,
  LogprobsPart,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, nonEmptyText, objectField, objectItems } from "../../http/json-object.ts";
import { toFinishReason } from "./finish.ts";
import { ToolCallAssembler } from "./tool-call-deltas.ts";

/** One of the answers to a request while it is put together. */
export class ChoiceReader {
  readonly #index: number;
  readonly #stops: readonly string[];
  readonly #makeCallId: (place: number) => string;
  readonly #calls = new ToolCallAssembler();
  readonly #logprobs: unknown[] = [];
  #reason: FinishPart["reason"] | undefined;
  #stopSequence: string | undefined;
  #isRefusal = false;

  /** `nameCall` makes up an id for a call that its provider gave none. */
  constructor(index: number, stops: readonly string[], nameCall: (place: number) => string) {
    this.#index = index;
    this.#stops = stops;
    this.#makeCallId = nameCall;
  }

  /** Whether the provider has said why it ends. */
  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  /** The words of one entry of `choices`: a whole message, or what is new of it. */
  *read(entry: JsonObject): Generator<Part, void, undefined> {
    const message = isObject(entry.delta) ? entry.delta : objectField(entry, "message");
    yield* this.#thinking(message.reasoning_content ?? message.reasoning);
    yield* this.#text(message.content);
    yield* this.#refusal(message.refusal);
    for (const [place, call] of objectItems(message.tool_calls).entries())
      this.#calls.add(message === entry.delta ? call : { ...call, index: place });
    if (isObject(message.function_call))
      this.#calls.add({ index: "function", function: message.function_call });
    const { content, refusal } = objectField(entry, "logprobs");
    for (const token of Array.isArray(content) ? content : Array.isArray(refusal) ? refusal : [])
      this.#logprobs.push(token);
    this.#takeFinish(entry);
  }

  /** What is given out only when it is complete. */
  collected(): readonly (ToolCallPart | LogprobsPart)[] {
    const calls = this.#calls.collect().map(
      (call, place): ToolCallPart => ({
        type: "tool-call",
        id: call.id ?? this.#makeCallId(place),
        name: call.name,
        arguments: call.arguments,
        ...this.#choice,
      }),
    );
    if (this.#logprobs.length === 0) return calls;
    return [...calls, { type: "logprobs", content: this.#logprobs, ...this.#choice }];
  }

  finish(): FinishPart {
    return {
      type: "finish",
      reason: this.#finishReason(),
      ...(this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence }),
      ...this.#choice,
    };
  }

  /** Whoever must call a tool is often said to have just stopped. */
  #finishReason(): FinishPart["reason"] {
    if (this.#isRefusal) return "refused";
    const reason = this.#reason ?? "unknown";
    return reason === "stop" && this.#calls.collect().length > 0 ? "tool-calls" : reason;
  }

  #takeFinish(entry: JsonObject): void {
    const said = nonEmptyText(entry.finish_reason);
    if (said === undefined) return;
    this.#reason = toFinishReason(said);
    if (this.#reason === undefined)
      throw new ProviderFailure("broken", "broke down before its answer was complete");
    const stoppedAt = entry.stop_reason;
    if (typeof stoppedAt === "string" && this.#stops.includes(stoppedAt)) this.#stopSequence = stoppedAt;
  }

  /** A text, or a list of pieces, of which some are thoughts. */
  *#text(content: unknown): Generator<TextPart | ThinkingPart, void, undefined> {
    const whole = nonEmptyText(content);
    if (whole !== undefined) yield { type: "text", text: whole, ...this.#choice };
    for (const piece of objectItems(content)) {
      if (piece.type === "thinking") yield* this.#thinking(piece.thinking);
      else yield* this.#text(piece.text);
    }
  }

  *#thinking(thoughts: unknown): Generator<ThinkingPart, void, undefined> {
    const whole = nonEmptyText(thoughts);
    if (whole !== undefined) yield { type: "thinking", text: whole, ...this.#choice };
    for (const piece of objectItems(thoughts)) yield* this.#thinking(piece.text);
  }

  *#refusal(refusal: unknown): Generator<TextPart, void, undefined> {
    const text = nonEmptyText(refusal);
    if (text === undefined) return;
    this.#isRefusal = true;
    yield { type: "text", text, ...this.#choice };
  }

  /** The first answer bears no number: nearly always it is the only one. */
  get #choice(): { readonly choice?: number } {
    return this.#index === 0 ? {} : { choice: this.#index };
  }
}
