import { fullNameOf } from "@trunkline/core/model.ts";
import type { FinishPart, Part, Receipt, ThinkingPart, ToolCallPart } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { answeringModelsField } from "../../responses/answer.ts";
import { toAnthropicError } from "./dialect.ts";
import {
  type ContentBlock,
  continuesThinking,
  emptyMessage,
  isFirstChoice,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  toStopFields,
  toUsage,
} from "./response.ts";

interface StreamEvent {
  readonly type: string;
}

/** Streams an answer as Anthropic's events: the message starts, blocks follow one after the other, the message stops. */
export function streamMessage(requestTrace: RequestTrace): StreamWriter {
  const stream = new MessageEventWriter(requestTrace);
  return {
    contentType: "text/event-stream; charset=utf-8",
    write: (part) => [...stream.write(part)].map(formatEvent).join(""),
    fail: (fault, requestId) => formatEvent(toAnthropicError(fault, requestId)),
  };
}

function formatEvent(streamEvent: StreamEvent): string {
  return `event: ${streamEvent.type}\ndata: ${JSON.stringify(streamEvent)}\n\n`;
}

class MessageEventWriter {
  readonly #requestTrace: RequestTrace;
  #opened = false;
  #index = -1;
  /** The block that is still open. */
  #block: ContentBlock | undefined;
  #finish: FinishPart | undefined;
  #calledTools = false;

  constructor(requestTrace: RequestTrace) {
    this.#requestTrace = requestTrace;
  }

  *write(part: Part | Receipt): Generator<StreamEvent> {
    if (!this.#opened) yield* this.#open();
    if (part.type === "receipt") return yield* this.#end(part);
    if (!isFirstChoice(part)) return;
    switch (part.type) {
      case "text":
        return yield* this.#writeText(part.text);
      case "media":
        yield* this.#writeText(part.url);
        return yield* this.#close();
      case "thinking":
        return yield* this.#writeThinking(part);
      case "tool-call":
        return yield* this.#writeToolCall(part);
      case "finish":
        this.#finish = part;
        return;
      default:
        return;
    }
  }

  /** The input tokens are an estimate here. The `message_delta` event at the end has the final count. */
  *#open(): Generator<StreamEvent> {
    this.#opened = true;
    const { requestId, replayOf: original, chosen } = this.#requestTrace;
    const usage = {
      input_tokens: chosen?.quote.inputTokens ?? 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
      service_tier: "standard",
    };
    const model = original?.model ?? chosen?.model;
    const message = emptyMessage(
      original?.requestId ?? requestId,
      model === undefined ? "auto" : fullNameOf(model),
      usage,
    );
    yield streamEvent({ type: "message_start", message });
    yield { type: "ping" };
  }

  *#writeText(text: string): Generator<StreamEvent> {
    if (this.#block?.type !== "text") yield* this.#start(textBlock(""));
    yield* this.#delta({ type: "text_delta", text });
  }

  *#writeThinking(part: ThinkingPart): Generator<StreamEvent> {
    if (part.sealed !== undefined) {
      yield* this.#start(thinkingBlock(part));
      return yield* this.#close();
    }
    if (!continuesThinking(this.#block, part)) yield* this.#start(thinkingBlock({ type: "thinking", text: "" }));
    if (part.text !== "") yield* this.#delta({ type: "thinking_delta", thinking: part.text });
    if (part.signature === undefined) return;
    yield* this.#delta({ type: "signature_delta", signature: part.signature });
    yield* this.#close();
  }

  *#writeToolCall(part: ToolCallPart): Generator<StreamEvent> {
    this.#calledTools = true;
    yield* this.#start(toolUseBlock(part));
    yield* this.#delta({ type: "input_json_delta", partial_json: part.arguments });
    yield* this.#close();
  }

  *#start(contentBlock: ContentBlock): Generator<StreamEvent> {
    yield* this.#close();
    this.#index += 1;
    this.#block = contentBlock;
    yield streamEvent({ type: "content_block_start", index: this.#index, content_block: contentBlock });
  }

  *#delta(delta: unknown): Generator<StreamEvent> {
    yield streamEvent({ type: "content_block_delta", index: this.#index, delta });
  }

  *#close(): Generator<StreamEvent> {
    if (this.#block === undefined) return;
    this.#block = undefined;
    yield streamEvent({ type: "content_block_stop", index: this.#index });
  }

  *#end(receipt: Receipt): Generator<StreamEvent> {
    yield* this.#close();
    const delta = { ...toStopFields(this.#finish, this.#calledTools), stop_details: null, container: null };
    yield streamEvent({
      type: "message_delta",
      delta,
      usage: toUsage(receipt),
      ...answeringModelsField(receipt),
    });
    yield { type: "message_stop" };
  }
}

/** An event with its data. */
function streamEvent(given: StreamEvent & Readonly<Record<string, unknown>>): StreamEvent {
  return given;
}
