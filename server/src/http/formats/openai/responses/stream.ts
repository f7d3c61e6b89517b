import type { Fault } from "@trunkline/core/fault.ts";
import type {
  FinishPart,
  LogprobsPart,
  Part,
  Receipt,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { KeptFields, RequestContext } from "../../../endpoints/endpoint.ts";
import { type Fields, readObject } from "../../../requests/fields.ts";
import { toOpenAiError } from "../dialect.ts";
import { identifyResponse, type ResponseIdentity } from "../response-parts.ts";
import { type ToolForm, toCustomInput, toolFormsOf } from "../tool-forms.ts";
import { toConversationId } from "./ids.ts";
import { encodeReasoningState } from "./items.ts";
import {
  type CustomCallItem,
  type FunctionCallItem,
  type MessageItem,
  type OutputItem,
  type ReasoningItem,
  type ResponseObject,
  toResponseObject,
} from "./response.ts";

/** Builds a response from the parts of an answer, step by step. After the last step it is complete. */
export class ResponseWriter {
  readonly #identity: ResponseIdentity;
  readonly #requestBody: Fields;
  readonly #items: OutputItemWriter;
  readonly #context: RequestContext | undefined;
  /** An answer that is given again was kept the first time. */
  readonly #isReplay: boolean;
  #kept: KeptFields;
  #toolForms: ReadonlyMap<string, ToolForm> | undefined;
  #hasStarted = false;
  #finish: FinishPart["reason"] | undefined;
  #sent = 0;

  constructor(
    requestTrace: RequestTrace,
    requestBody: unknown,
    context: RequestContext | undefined,
    receipt?: Receipt,
  ) {
    this.#identity = identifyResponse("resp", requestTrace, receipt);
    this.#requestBody = readObject(requestBody, "");
    this.#context = context;
    this.#isReplay = requestTrace.replayOf !== undefined;
    const conversationId = context?.conversationId;
    this.#kept = {
      store: context?.stores ?? false,
      conversation: conversationId === undefined ? null : { id: toConversationId(conversationId) },
    };
    this.#items = new OutputItemWriter(this.#identity.id.slice("resp-".length));
  }

  /** The events of one part, with their numbers. */
  *write(part: Part): Generator<ResponseEvent> {
    for (const responseEvent of this.#eventsOf(part)) yield this.#number(responseEvent);
  }

  /** The events of an answer that broke off. */
  *fail(fault: Fault): Generator<ResponseEvent> {
    const { error } = toOpenAiError(fault);
    const { code, message, param } = error;
    for (const responseEvent of [...this.#start(), ...this.#items.close("incomplete")])
      yield this.#number(responseEvent);
    const response = toResponseObject(this.#identity, this.#requestBody, {
      status: "failed",
      output: this.#items.output,
      error: { code, message },
      kept: { store: false, conversation: null },
    });
    yield this.#number({ type: "response.failed", response });
    // Some clients look for the error at the top of the event, some inside it.
    yield this.#number({ type: "error", code, message, param, error });
  }

  /** The last events of a complete response. It is kept before they are sent, so that the next request can continue it. */
  async *complete(receipt: Receipt): AsyncGenerator<ResponseEvent> {
    yield* Array.from(this.#close(), (responseEvent) => this.#number(responseEvent));
    const response = await this.finish(receipt);
    yield this.#number({ type: `response.${response.status}`, response });
  }

  /** The whole response, after it was kept. */
  async finish(receipt: Receipt): Promise<ResponseObject> {
    Array.from(this.#close());
    if (this.#context !== undefined && !this.#isReplay)
      this.#kept = await this.#context.keep(this.#toResponse(receipt));
    return this.#toResponse(receipt);
  }

  #toResponse(receipt: Receipt): ResponseObject {
    return toResponseObject(this.#identity, this.#requestBody, {
      status: this.#isIncomplete ? "incomplete" : "completed",
      output: this.#items.output,
      finish: this.#finish,
      receipt,
      kept: this.#kept,
    });
  }

  *#eventsOf(part: Part): Generator<ResponseEvent> {
    yield* this.#start();
    // This format has one answer, so parts of further choices are left out.
    if ("choice" in part && (part.choice ?? 0) > 0) return;
    switch (part.type) {
      case "text":
        return yield* this.#items.text(part);
      case "thinking":
        return yield* this.#items.thinking(part);
      case "tool-call":
        this.#toolForms ??= toolFormsOf(this.#requestBody, "beside");
        return yield* this.#items.call(part, this.#toolForms.get(part.name));
      case "logprobs":
        return this.#items.logprobs(part);
      case "finish":
        this.#finish = part.reason;
    }
  }

  /** Ends the last item. An answer without any part begins here. */
  *#close(): Generator<ResponseEvent> {
    yield* this.#start();
    yield* this.#items.close(this.#isIncomplete ? "incomplete" : "completed");
  }

  *#start(): Generator<ResponseEvent> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const response = toResponseObject(this.#identity, this.#requestBody, {
      status: "in_progress",
      output: [],
      kept: this.#kept,
    });
    yield { type: "response.created", response };
    yield { type: "response.in_progress", response };
  }

  get #isIncomplete(): boolean {
    return this.#finish === "length" || this.#finish === "refused";
  }

  #number(responseEvent: ResponseEvent): ResponseEvent {
    const numbered = { ...responseEvent, sequence_number: this.#sent };
    this.#sent += 1;
    return numbered;
  }
}

/** An event without its number. */
export type ResponseEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Builds the items of a response, with an event for each step. One item is open at a time. */
export class OutputItemWriter {
  readonly #idSuffix: string;
  readonly #output: OutputItem[] = [];
  /** The open item, which is the last of the output. */
  #open: MessageItem | ReasoningItem | undefined;

  constructor(idEnd: string) {
    this.#idSuffix = idEnd;
  }

  get output(): readonly OutputItem[] {
    return this.#output;
  }

  *text({ text }: TextPart): Generator<ResponseEvent> {
    const message = this.#open?.type === "message" ? this.#open : yield* this.#openMessage();
    const [content] = message.content;
    if (content === undefined) return;
    content.text += text;
    yield { ...this.#position("response.output_text.delta"), content_index: 0, delta: text, logprobs: [] };
  }

  *thinking({ text, signature, sealed }: ThinkingPart): Generator<ResponseEvent> {
    // A sealed thought is an item of its own, and a signature ends the thought that it signs.
    if (sealed !== undefined) yield* this.close("completed");
    if (text === "" && signature === undefined && sealed === undefined) return;
    const thought = this.#open?.type === "reasoning" ? this.#open : yield* this.#openThought();
    if (text !== "") {
      const summary = thought.summary[0] ?? (yield* this.#openSummary(thought));
      summary.text += text;
      yield { ...this.#position("response.reasoning_summary_text.delta"), summary_index: 0, delta: text };
    }
    const seal = encodeReasoningState({ signature, sealed });
    if (seal === null) return;
    thought.encrypted_content = seal;
    yield* this.close("completed");
  }

  /** The call of a tool. `toolForm`: how the client has defined it, where that is not a plain function. */
  *call(part: ToolCallPart, toolForm?: ToolForm): Generator<ResponseEvent> {
    yield* this.close("completed");
    const namespace = toolForm?.namespace === undefined ? {} : { namespace: toolForm.namespace };
    if (toolForm?.isCustom === true) return yield* this.#customCall(part, toolForm.name, namespace);
    const name = toolForm?.name ?? part.name;
    const item: FunctionCallItem = {
      type: "function_call",
      id: this.#nextId("fc"),
      call_id: part.id,
      name,
      ...namespace,
      arguments: "",
      status: "in_progress",
      ...(part.signature === undefined ? {} : { extra_content: { google: { thought_signature: part.signature } } }),
    };
    yield* this.#add(item);
    item.arguments = part.arguments;
    const event = "response.function_call_arguments";
    yield { ...this.#position(`${event}.delta`), delta: part.arguments };
    yield { ...this.#position(`${event}.done`), name, arguments: part.arguments };
    yield* this.#end(item, "completed");
  }

  *#customCall(part: ToolCallPart, name: string, namespace: { readonly namespace?: string }): Generator<ResponseEvent> {
    const item: CustomCallItem = {
      type: "custom_tool_call",
      id: this.#nextId("ctc"),
      call_id: part.id,
      name,
      ...namespace,
      input: "",
      status: "in_progress",
    };
    yield* this.#add(item);
    item.input = toCustomInput(part.arguments);
    const event = "response.custom_tool_call_input";
    yield { ...this.#position(`${event}.delta`), delta: item.input };
    yield { ...this.#position(`${event}.done`), input: item.input };
    yield* this.#end(item, "completed");
  }

  /** They come after the text, so they belong to the last message. */
  logprobs({ content }: LogprobsPart): void {
    const message = this.#output.findLast((item) => item.type === "message");
    const [words] = message?.content ?? [];
    if (words !== undefined) words.logprobs = [...content];
  }

  /** Ends the open item. */
  *close(status: "completed" | "incomplete"): Generator<ResponseEvent> {
    const item = this.#open;
    if (item === undefined) return;
    const [part] = item.type === "message" ? item.content : item.summary;
    if (part?.type === "output_text") {
      const place = { content_index: 0 };
      yield {
        ...this.#position("response.output_text.done"),
        ...place,
        text: part.text,
        logprobs: part.logprobs ?? [],
      };
      yield { ...this.#position("response.content_part.done"), ...place, part: { ...part } };
    } else if (part !== undefined) {
      const place = { summary_index: 0 };
      yield { ...this.#position("response.reasoning_summary_text.done"), ...place, text: part.text };
      yield { ...this.#position("response.reasoning_summary_part.done"), ...place, part: { ...part } };
    }
    this.#open = undefined;
    yield* this.#end(item, status);
  }

  *#openMessage(): Generator<ResponseEvent, MessageItem> {
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
    yield { ...this.#position("response.content_part.added"), content_index: 0, part };
    return item;
  }

  *#openThought(): Generator<ResponseEvent, ReasoningItem> {
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

  *#openSummary(thought: ReasoningItem): Generator<ResponseEvent, ReasoningItem["summary"][number]> {
    const summary = { type: "summary_text" as const, text: "" };
    thought.summary.push(summary);
    const part = { ...summary };
    yield { ...this.#position("response.reasoning_summary_part.added"), summary_index: 0, part };
    return summary;
  }

  *#add(item: OutputItem): Generator<ResponseEvent> {
    this.#output.push(item);
    const { output_index } = this.#position("");
    yield { type: "response.output_item.added", output_index, item: structuredClone(item) };
  }

  *#end(item: OutputItem, status: "completed" | "incomplete"): Generator<ResponseEvent> {
    item.status = status;
    const { output_index } = this.#position("");
    yield { type: "response.output_item.done", output_index, item };
  }

  /** The item that an event belongs to, which is always the last. */
  #position(type: string) {
    return { type, item_id: this.#output.at(-1)?.id, output_index: this.#output.length - 1 };
  }

  #nextId(prefix: string): string {
    return `${prefix}-${this.#idSuffix}-${this.#output.length}`;
  }
}
