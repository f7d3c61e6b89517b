import type { FinishPart, Part, ThinkingPart, ToolCallPart } from "@trunkline/core/answer.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { tellModels } from "../../responses/models-that-spoke.ts";
import { anthropicErrorOf } from "./dialect.ts";
import {
  type Block,
  continues,
  isOfFirst,
  openedMessage,
  stopOf,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  usageOf,
} from "./response.ts";

interface Event {
  readonly type: string;
}

/** An answer as it comes, in Anthropic's events: the message opens, blocks come one after the other, the message ends. */
export function streamMessage(journal: Journal): StreamWriter {
  const stream = new MessageStream(journal);
  return {
    contentType: "text/event-stream; charset=utf-8",
    write: (part) => [...stream.take(part)].map(frame).join(""),
    fail: (fault, requestId) => frame(anthropicErrorOf(fault, requestId)),
  };
}

function frame(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

class MessageStream {
  readonly #journal: Journal;
  #opened = false;
  #index = -1;
  /** The block that more may be added to. */
  #block: Block | undefined;
  #finish: FinishPart | undefined;
  #calledTools = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  *take(part: Part | Receipt): Generator<Event> {
    if (!this.#opened) yield* this.#open();
    if (part.type === "receipt") return yield* this.#end(part);
    if (!isOfFirst(part)) return;
    switch (part.type) {
      case "text":
        return yield* this.#takeText(part.text);
      case "media":
        yield* this.#takeText(part.url);
        return yield* this.#close();
      case "thinking":
        return yield* this.#takeThought(part);
      case "tool-call":
        return yield* this.#takeCall(part);
      case "finish":
        this.#finish = part;
        return;
      default:
        return;
    }
  }

  /** How many tokens came in is only estimated here; the last event but one tells what was counted in the end. */
  *#open(): Generator<Event> {
    this.#opened = true;
    const { requestId, original, chosen } = this.#journal;
    const usage = {
      input_tokens: chosen?.quote.inputTokens ?? 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
      service_tier: "standard",
    };
    const model = original?.model ?? chosen?.model;
    const message = openedMessage(
      original?.requestId ?? requestId,
      model === undefined ? "auto" : fullNameOf(model),
      usage,
    );
    yield event({ type: "message_start", message });
    yield { type: "ping" };
  }

  *#takeText(text: string): Generator<Event> {
    if (this.#block?.type !== "text") yield* this.#start(textBlock(""));
    yield* this.#delta({ type: "text_delta", text });
  }

  *#takeThought(part: ThinkingPart): Generator<Event> {
    if (part.sealed !== undefined) {
      yield* this.#start(thinkingBlock(part));
      return yield* this.#close();
    }
    if (!continues(this.#block, part)) yield* this.#start(thinkingBlock({ type: "thinking", text: "" }));
    if (part.text !== "") yield* this.#delta({ type: "thinking_delta", thinking: part.text });
    if (part.signature === undefined) return;
    yield* this.#delta({ type: "signature_delta", signature: part.signature });
    yield* this.#close();
  }

  *#takeCall(part: ToolCallPart): Generator<Event> {
    this.#calledTools = true;
    yield* this.#start(toolUseBlock(part));
    yield* this.#delta({ type: "input_json_delta", partial_json: part.arguments });
    yield* this.#close();
  }

  *#start(block: Block): Generator<Event> {
    yield* this.#close();
    this.#index += 1;
    this.#block = block;
    yield event({ type: "content_block_start", index: this.#index, content_block: block });
  }

  *#delta(delta: unknown): Generator<Event> {
    yield event({ type: "content_block_delta", index: this.#index, delta });
  }

  *#close(): Generator<Event> {
    if (this.#block === undefined) return;
    this.#block = undefined;
    yield event({ type: "content_block_stop", index: this.#index });
  }

  *#end(receipt: Receipt): Generator<Event> {
    yield* this.#close();
    const delta = { ...stopOf(this.#finish, this.#calledTools), stop_details: null, container: null };
    yield event({ type: "message_delta", delta, usage: usageOf(receipt), ...tellModels(receipt) });
    yield { type: "message_stop" };
  }
}

/** An event with whatever it carries. */
function event(given: Event & Readonly<Record<string, unknown>>): Event {
  return given;
}
