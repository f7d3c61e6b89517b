import type { LogprobsPart, TextPart, ThinkingPart, ToolCallPart } from "@trunkline/core/answer.ts";
import type { CallItem, Item, MessageItem, ReasoningItem } from "./response-shown.ts";
import { sealThought } from "./thought-seal.ts";

/** An event without its number. */
export type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** Puts the items of a response together, and tells of each step. One item is open at a time. */
export class ItemWriter {
  readonly #idEnd: string;
  readonly #output: Item[] = [];
  /** What is still written: the last of the output. */
  #open: MessageItem | ReasoningItem | undefined;

  constructor(idEnd: string) {
    this.#idEnd = idEnd;
  }

  get output(): readonly Item[] {
    return this.#output;
  }

  *text({ text }: TextPart): Generator<Event> {
    const message = this.#open?.type === "message" ? this.#open : yield* this.#openMessage();
    const [content] = message.content;
    if (content === undefined) return;
    content.text += text;
    yield { ...this.#place("response.output_text.delta"), content_index: 0, delta: text, logprobs: [] };
  }

  *thinking({ text, signature, sealed }: ThinkingPart): Generator<Event> {
    // Sealed thoughts are a thought by themselves, and a signature ends the one that it is of.
    if (sealed !== undefined) yield* this.close("completed");
    if (text === "" && signature === undefined && sealed === undefined) return;
    const thought = this.#open?.type === "reasoning" ? this.#open : yield* this.#openThought();
    if (text !== "") {
      const summary = thought.summary[0] ?? (yield* this.#openSummary(thought));
      summary.text += text;
      yield { ...this.#place("response.reasoning_summary_text.delta"), summary_index: 0, delta: text };
    }
    const seal = sealThought({ signature, sealed });
    if (seal === null) return;
    thought.encrypted_content = seal;
    yield* this.close("completed");
  }

  *call(part: ToolCallPart): Generator<Event> {
    yield* this.close("completed");
    const item: CallItem = {
      type: "function_call",
      id: this.#nextId("fc"),
      call_id: part.id,
      name: part.name,
      arguments: "",
      status: "in_progress",
      ...(part.signature === undefined
        ? {}
        : { extra_content: { google: { thought_signature: part.signature } } }),
    };
    yield* this.#add(item);
    item.arguments = part.arguments;
    const name = "response.function_call_arguments";
    yield { ...this.#place(`${name}.delta`), delta: part.arguments };
    yield { ...this.#place(`${name}.done`), name: part.name, arguments: part.arguments };
    yield* this.#end(item, "completed");
  }

  /** They come when all words are there: the last message is the one that they are of. */
  logprobs({ content }: LogprobsPart): void {
    const message = this.#output.findLast((item) => item.type === "message");
    const [words] = message?.content ?? [];
    if (words !== undefined) words.logprobs = [...content];
  }

  /** Ends what is open. */
  *close(status: "completed" | "incomplete"): Generator<Event> {
    const item = this.#open;
    if (item === undefined) return;
    const [part] = item.type === "message" ? item.content : item.summary;
    if (part?.type === "output_text") {
      const told = { content_index: 0 };
      yield {
        ...this.#place("response.output_text.done"),
        ...told,
        text: part.text,
        logprobs: part.logprobs ?? [],
      };
      yield { ...this.#place("response.content_part.done"), ...told, part: { ...part } };
    } else if (part !== undefined) {
      const told = { summary_index: 0 };
      yield { ...this.#place("response.reasoning_summary_text.done"), ...told, text: part.text };
      yield { ...this.#place("response.reasoning_summary_part.done"), ...told, part: { ...part } };
    }
    this.#open = undefined;
    yield* this.#end(item, status);
  }

  *#openMessage(): Generator<Event, MessageItem> {
    yield* this.close("completed");
    const item: MessageItem = {
      type: "message",
      id: this.#nextId("msg"),
      role: "assistant",
      status: "in_progress",
      content: [],
    };
    yield* this.#add(item);
    this.#open = item;
    item.content.push({ type: "output_text", text: "", annotations: [] });
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    yield { ...this.#place("response.content_part.added"), content_index: 0, part };
    return item;
  }

  *#openThought(): Generator<Event, ReasoningItem> {
    yield* this.close("completed");
    const item: ReasoningItem = {
      type: "reasoning",
      id: this.#nextId("rs"),
      status: "in_progress",
      summary: [],
      encrypted_content: null,
    };
    yield* this.#add(item);
    this.#open = item;
    return item;
  }

  *#openSummary(thought: ReasoningItem): Generator<Event, ReasoningItem["summary"][number]> {
    const summary = { type: "summary_text" as const, text: "" };
    thought.summary.push(summary);
    const part = { ...summary };
    yield { ...this.#place("response.reasoning_summary_part.added"), summary_index: 0, part };
    return summary;
  }

  *#add(item: Item): Generator<Event> {
    this.#output.push(item);
    const { output_index } = this.#place("");
    yield { type: "response.output_item.added", output_index, item: structuredClone(item) };
  }

  *#end(item: Item, status: "completed" | "incomplete"): Generator<Event> {
    item.status = status;
    const { output_index } = this.#place("");
    yield { type: "response.output_item.done", output_index, item };
  }

  /** Which item an event is of: always the last. */
  #place(type: string) {
    return { type, item_id: this.#output.at(-1)?.id, output_index: this.#output.length - 1 };
  }

  #nextId(prefix: string): string {
    return `${prefix}-${this.#idEnd}-${this.#output.length}`;
  }
}
