// @ts-check
/** The same question and answer in several wire formats: what clients send, and what providers give back. */
import { ANSWER_PIECES, ANSWER_TEXT, ANSWER_USAGE, PROMPT } from "./traffic.mjs";

const { input_tokens: input, output_tokens: output } = ANSWER_USAGE;
const event = (/** @type {unknown} */ data, name = "") =>
  `${name === "" ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Models of the bench by the wire that they are reached on. */
export const MODEL_OF_WIRE = {
  trunkline: "bench-contract",
  openai: "bench-openai",
  anthropic: "bench-anthropic",
};

/** @typedef {keyof typeof MODEL_OF_WIRE} BenchWire */

/** How clients of each format ask: where, and what every good answer holds. @type {Record<BenchWire, { name: string, whole: { path: string, mark: string }, stream: { path: string, mark: string }, bodyOf: (model: string, stream: boolean) => string }>} */
export const DOORS = {
  trunkline: {
    name: "ours",
    whole: { path: "/v1/generate", mark: '"output"' },
    stream: { path: "/v1/stream", mark: '"done"' },
    bodyOf: (model) => JSON.stringify({ task: "chat", input: PROMPT, model }),
  },
  openai: {
    name: "OpenAI's",
    whole: { path: "/openai/v1/chat/completions", mark: '"finish_reason"' },
    stream: { path: "/openai/v1/chat/completions", mark: "[DONE]" },
    bodyOf: (model, stream) => JSON.stringify({ model, stream, messages: [{ role: "user", content: PROMPT }] }),
  },
  anthropic: {
    name: "Anthropic's",
    whole: { path: "/anthropic/v1/messages", mark: '"stop_reason"' },
    stream: { path: "/anthropic/v1/messages", mark: "message_stop" },
    bodyOf: (model, stream) =>
      JSON.stringify({ model, stream, max_tokens: 1_000, messages: [{ role: "user", content: PROMPT }] }),
  },
};

/** What a provider of each format answers. @type {Record<BenchWire, { whole: string, stream: readonly string[] }>} */
export const ANSWERS = {
  trunkline: {
    whole: JSON.stringify({ output: ANSWER_TEXT, usage: ANSWER_USAGE }),
    stream: [
      ...ANSWER_PIECES.map((delta) => `${JSON.stringify({ delta })}\n`),
      `${JSON.stringify({ done: true, usage: ANSWER_USAGE })}\n`,
    ],
  },
  openai: {
    whole: JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: ANSWER_TEXT },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
    stream: [
      ...ANSWER_PIECES.map((content) => openAiChunk({ content }, null)),
      openAiChunk({}, "stop"),
      event({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      }),
      event("[DONE]"),
    ],
  },
  anthropic: {
    whole: JSON.stringify({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: ANSWER_TEXT }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    }),
    stream: [
      event(
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "m",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: input, output_tokens: 1 },
          },
        },
        "message_start",
      ),
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ),
      ...ANSWER_PIECES.map((text) =>
        event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, "content_block_delta"),
      ),
      event({ type: "content_block_stop", index: 0 }, "content_block_stop"),
      event(
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: output },
        },
        "message_delta",
      ),
      event({ type: "message_stop" }, "message_stop"),
    ],
  },
};

/** @param {object} delta @param {string | null} finish */
function openAiChunk(delta, finish) {
  return event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
}
