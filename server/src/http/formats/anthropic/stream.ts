import { fullNameOf } from "@trunkline/core/model.ts";
import type { FinishPart, Part, Receipt, ThinkingPart, ToolCallPart } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { answeringModelsField } from "../../responses/answer.ts";
import { callSignatureBlock } from "./call-signature.ts";
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

/** Streams an answer as Anthropic's events: the message starts, blocks follow one after the other, the message stops. */
export function streamMessage(requestTrace: RequestTrace): StreamWriter {
  const stream = new MessageEventWriter(requestTrace);
  return {
    contentType: "text/event-stream; charset=utf-8",
    write: (part) => stream.write(part),
    fail: (fault, requestId) => formatEvent("error", JSON.stringify(toAnthropicError(fault, requestId))),
  };
}

/** One event. Its data is JSON already. */
function formatEvent(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

const PING = formatEvent("ping", '{"type":"ping"}');
const MESSAGE_STOP = formatEvent("message_stop", '{"type":"message_stop"}');

class MessageEventWriter {
  readonly #requestTrace: RequestTrace;
  #opened = false;
  #index = -1;
  /** The block that is still open. */
  #block: ContentBlock | undefined;
  /** A signature without a thought after other blocks. It is sent where something follows: see `toMessageResponse`. */
  #heldSignature: ThinkingPart | undefined;
  #finish: FinishPart | undefined;
  #calledTools = false;

  constructor(requestTrace: RequestTrace) {
    this.#requestTrace = requestTrace;
  }

  write(part: Part | Receipt): string {
    const opening = this.#opened ? "" : this.#open();
    if (part.type === "receipt") return opening + this.#end(part);
    if (!isFirstChoice(part)) return opening;
    return opening + this.#writePart(part);
  }

  #writePart(part: Part): string {
    switch (part.type) {
      case "text":
        return this.#writeText(part.text);
      case "media":
        return this.#writeText(part.url) + this.#close();
      case "thinking":
        return this.#writeThinking(part);
      case "tool-call":
        return this.#writeToolCall(part);
      case "finish":
        this.#finish = part;
        return "";
      default:
        return "";
    }
  }

  /** The input tokens are an estimate here. The `message_delta` event at the end has the final count. */
  #open(): string {
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
    return formatEvent("message_start", JSON.stringify({ type: "message_start", message })) + PING;
  }

  #writeText(text: string): string {
    const start = this.#block?.type === "text" ? "" : this.#start(textBlock(""));
    return start + this.#delta(`{"type":"text_delta","text":${JSON.stringify(text)}}`);
  }

  #writeThinking(part: ThinkingPart): string {
    if (part.sealed !== undefined) return this.#start(thinkingBlock(part)) + this.#close();
    const continues = continuesThinking(this.#block, part);
    if (!continues && part.text === "" && this.#index >= 0) {
      this.#heldSignature = part;
      return "";
    }
    return this.#showThinking(part, continues);
  }

  #showThinking(part: ThinkingPart, continues: boolean): string {
    let events = continues ? "" : this.#start(thinkingBlock({ type: "thinking", text: "" }));
    if (part.text !== "") events += this.#delta(`{"type":"thinking_delta","thinking":${JSON.stringify(part.text)}}`);
    if (part.signature === undefined) return events;
    events += this.#delta(`{"type":"signature_delta","signature":${JSON.stringify(part.signature)}}`);
    return events + this.#close();
  }

  #writeToolCall(part: ToolCallPart): string {
    this.#calledTools = true;
    const signature = callSignatureBlock(part);
    const before = signature === undefined ? "" : this.#start(signature) + this.#close();
    const start = this.#start(toolUseBlock(part));
    const delta = this.#delta(`{"type":"input_json_delta","partial_json":${JSON.stringify(part.arguments)}}`);
    return before + start + delta + this.#close();
  }

  #start(contentBlock: ContentBlock): string {
    const held = this.#heldSignature;
    if (held !== undefined) {
      this.#heldSignature = undefined;
      return this.#showThinking(held, false) + this.#start(contentBlock);
    }
    const stop = this.#close();
    this.#index += 1;
    this.#block = contentBlock;
    const block = JSON.stringify(contentBlock);
    const data = `{"type":"content_block_start","index":${this.#index},"content_block":${block}}`;
    return stop + formatEvent("content_block_start", data);
  }

  /** A piece of the open block, which is JSON already. */
  #delta(delta: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":${delta}}\n\n`;
  }

  #close(): string {
    if (this.#block === undefined) return "";
    this.#block = undefined;
    return formatEvent("content_block_stop", `{"type":"content_block_stop","index":${this.#index}}`);
  }

  #end(receipt: Receipt): string {
    const stop = this.#close();
    const delta = { ...toStopFields(this.#finish, this.#calledTools), stop_details: null, container: null };
    const last = { type: "message_delta", delta, usage: toUsage(receipt), ...answeringModelsField(receipt) };
    return stop + formatEvent("message_delta", JSON.stringify(last)) + MESSAGE_STOP;
  }
}
