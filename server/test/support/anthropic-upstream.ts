import type { UpstreamAnswer, UpstreamRequest } from "./scripted-upstream.ts";

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

const USAGE = {
  input_tokens: 20,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 60,
  output_tokens: 10,
};

/** A provider of Anthropic's wire that answers with these blocks, whole or streamed, as it is asked. */
export function answerMessage(blocks: readonly Block[], stopReason = "end_turn") {
  return ({ json }: UpstreamRequest): UpstreamAnswer => {
    const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", usage: USAGE };
    if (json?.stream !== true) {
      return { body: JSON.stringify({ ...message, content: blocks, stop_reason: stopReason }) };
    }
    const frames = [
      { type: "message_start", message: { ...message, content: [], usage: { ...USAGE, output_tokens: 1 } } },
      ...blocks.flatMap(blockEvents),
      { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 10 } },
      { type: "message_stop" },
    ];
    return {
      headers: { "content-type": "text/event-stream" },
      body: frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`),
    };
  };
}

/** The events of one block of a stream. */
export function blockEvents(block: Block, index: number) {
  const deltas = {
    text: [{ type: "text_delta", text: block.text }],
    thinking: [
      { type: "thinking_delta", thinking: block.thinking },
      { type: "signature_delta", signature: block.signature },
    ],
    tool_use: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
  }[block.type];
  const opened = { ...block, ...EMPTY[block.type] };
  return [
    { type: "content_block_start", index, content_block: opened },
    ...(deltas ?? []).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const EMPTY: Readonly<Record<string, object>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  tool_use: { input: {} },
};
