import type { Random } from "@trunkline/core/random.ts";
import { events } from "../support/scripted-upstream.ts";
import type { AnswerReply, Asked } from "./provider-replies.ts";

export type ProviderWire = "openai" | "anthropic" | "trunkline";

interface EncodedReply {
  readonly contentType: string;
  readonly body: string;
  /** The connection closes after the body, before the answer is complete. */
  readonly isCut: boolean;
}

/** What a call asks, whatever its wire format. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies are those of three wire formats.
export function readAsked(wire: ProviderWire, model: string, path: string, body: any): Asked & { embeds: number } {
  const isEmbedding = path.endsWith("embeddings") || model.endsWith("/embed");
  const inputs: unknown[] = isEmbedding ? [body.inputs ?? body.input].flat() : [];
  const offered: { name?: string; function?: { name: string } }[] = body.tools ?? [];
  // A schema as a tool that must be called. This model says the same in words.
  const isAnswerTool = wire === "anthropic" && body.tool_choice?.name === "answer";
  const tools = isAnswerTool ? [] : offered;
  return {
    model,
    streaming: body.stream === true,
    words: wordsOf(body.system ?? "", body.messages ?? body.input ?? ""),
    tools: tools.map((tool) => tool.function?.name ?? tool.name ?? ""),
    wantsJson:
      wire === "trunkline"
        ? /JSON/.test(String(body.input))
        : isAnswerTool || (body.response_format ?? body.output_config) !== undefined,
    choices: body.n ?? 1,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? body.parameters?.max_tokens,
    embeds: inputs.length,
  };
}

function wordsOf(...values: readonly unknown[]): string {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) visit(inner);
  };
  for (const value of values) visit(value);
  return texts.join("\n");
}

/** A reply in the wire format that was asked in, whole or as a stream. */
export function encodeReply(
  wire: ProviderWire,
  asked: Asked & { embeds: number },
  reply: AnswerReply,
  random: Random,
): EncodedReply {
  if (asked.embeds > 0) return encodeEmbeddings(wire, asked, reply, random);
  if (!asked.streaming) {
    return { contentType: "application/json", body: JSON.stringify(WHOLE[wire](reply)), isCut: false };
  }
  const frames = STREAMED[wire](reply);
  const contentType = wire === "trunkline" ? "application/x-ndjson" : "text/event-stream";
  if (reply.breaks === undefined) return { contentType, body: frames.join(""), isCut: false };
  const some = frames.slice(0, Math.max(1, Math.floor(frames.length * random()))).join("");
  const frame = (value: unknown) => (wire === "trunkline" ? `${JSON.stringify(value)}\n` : events(value).join(""));
  switch (reply.breaks) {
    case "connection":
      return { contentType, body: some, isCut: true };
    case "no-end":
      return { contentType, body: some, isCut: false };
    case "bad-json":
      return { contentType, body: `${some}${wire === "trunkline" ? "" : "data: "}{"broken: 1}\n\n`, isCut: false };
    case "error": {
      const fault = { type: "error", error: { type: "overloaded_error", message: "The model fell over", code: 500 } };
      return { contentType, body: some + frame(fault), isCut: false };
    }
  }
}

function encodeEmbeddings(
  wire: ProviderWire,
  { embeds, words }: Asked & { embeds: number },
  reply: AnswerReply,
  random: Random,
): EncodedReply {
  const count = random() < 0.05 ? embeds + 1 : embeds;
  const vectors = Array.from({ length: count }, () =>
    Array.from({ length: 4 }, () => Math.round(random() * 1e4) / 1e4),
  );
  const tokens = Math.ceil(words.length / 4);
  const body =
    wire === "trunkline"
      ? {
          output: embeds === 1 && count === 1 ? vectors[0] : vectors,
          ...(reply.usage && { usage: { input_tokens: tokens, output_tokens: 0 } }),
        }
      : {
          object: "list",
          data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
          ...(reply.usage && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
        };
  return { contentType: "application/json", body: JSON.stringify(body), isCut: false };
}

const WHOLE: Readonly<Record<ProviderWire, (reply: AnswerReply) => object>> = {
  openai: (reply) => ({
    id: "chatcmpl-upstream",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "upstream-model",
    choices: reply.texts.map((text, index) => ({
      index,
      message: {
        role: "assistant",
        content: text === "" ? null : text,
        ...(reply.thoughts !== undefined && { reasoning_content: reply.thoughts }),
        ...(reply.calls.length > 0 && { tool_calls: openAiCalls(reply) }),
      },
      finish_reason: reply.finish,
    })),
    ...openAiUsage(reply),
  }),
  anthropic: (reply) => ({
    id: "msg_upstream",
    type: "message",
    role: "assistant",
    model: "upstream-model",
    content: anthropicBlocks(reply),
    stop_reason: ANTHROPIC_STOPS[reply.finish],
    ...anthropicUsage(reply),
  }),
  trunkline: (reply) => ({
    output: reply.texts[0],
    ...(reply.finish === "length" && { finish_reason: "length" }),
    ...nativeUsage(reply),
    latency_ms: 5,
  }),
};

const STREAMED: Readonly<Record<ProviderWire, (reply: AnswerReply) => string[]>> = {
  openai: (reply) => {
    const head = {
      id: "chatcmpl-upstream",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "upstream",
    };
    const chunk = (index: number, delta: object, finish: string | null = null) => ({
      ...head,
      choices: [{ index, delta, finish_reason: finish }],
    });
    const chunks = reply.texts.flatMap((text, index) => [
      chunk(index, { role: "assistant", content: "" }),
      ...(reply.thoughts === undefined ? [] : [chunk(index, { reasoning_content: reply.thoughts })]),
      ...piecesOf(text, reply).map((content) => chunk(index, { content })),
      ...(reply.calls.length === 0
        ? []
        : [chunk(index, { tool_calls: openAiCalls(reply).map((call, place) => ({ index: place, ...call })) })]),
      chunk(index, {}, reply.finish),
    ]);
    return events(...chunks, ...(reply.usage ? [{ ...head, choices: [], ...openAiUsage(reply) }] : []), "[DONE]");
  },
  anthropic: (reply) => {
    const { usage } = anthropicUsage(reply);
    const message = { id: "msg_upstream", type: "message", role: "assistant", model: "upstream", content: [] };
    const frames = [
      { type: "message_start", message: { ...message, ...(usage && { usage: { ...usage, output_tokens: 1 } }) } },
      ...anthropicBlocks(reply).flatMap((block, index) => anthropicEvents(block, index, reply)),
      {
        type: "message_delta",
        delta: { stop_reason: ANTHROPIC_STOPS[reply.finish] },
        ...(usage && { usage: { output_tokens: usage.output_tokens } }),
      },
      { type: "message_stop" },
    ];
    return frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
  },
  trunkline: (reply) =>
    [
      ...piecesOf(reply.texts[0] ?? "", reply).map((delta) => ({ delta })),
      { done: true, ...(reply.finish === "length" && { finish_reason: "length" }), ...nativeUsage(reply) },
    ].map((line) => `${JSON.stringify(line)}\n`),
};

const ANTHROPIC_STOPS = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
} as const;

/** So few that a whole stream fits into one packet. */
const PIECES_MAX = 60;

function piecesOf(text: string, { pieceLength }: AnswerReply): string[] {
  const length = Math.max(pieceLength, Math.ceil(text.length / PIECES_MAX));
  return text.match(new RegExp(`.{1,${length}}`, "gsu")) ?? [];
}

function openAiCalls({ calls }: AnswerReply) {
  return calls.map((call, index) => ({ id: `call_up_${index}`, type: "function", function: call }));
}

function openAiUsage({ usage }: AnswerReply): object {
  if (usage === undefined) return {};
  const { input, output, cached, reasoning } = usage;
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: Number(input) + Number(output),
      ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
      ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    },
  };
}

function anthropicUsage({ usage }: AnswerReply): { usage?: Record<string, unknown> } {
  if (usage === undefined) return {};
  return {
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      ...(usage.cached !== undefined && { cache_read_input_tokens: usage.cached }),
      ...(usage.written !== undefined && { cache_creation_input_tokens: usage.written }),
    },
  };
}

function nativeUsage({ usage }: AnswerReply): object {
  return usage === undefined ? {} : { usage: { input_tokens: usage.input, output_tokens: usage.output } };
}

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

function anthropicBlocks(reply: AnswerReply): Block[] {
  const [text = ""] = reply.texts;
  return [
    ...(reply.thoughts === undefined ? [] : [{ type: "thinking", thinking: reply.thoughts, signature: "c2lnbmVk" }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...reply.calls.map((call, index) => ({
      type: "tool_use",
      id: `toolu_up_${index}`,
      name: call.name,
      input: readArguments(call.arguments),
    })),
  ];
}

/** This format has arguments as an object, so that none can be cut. */
function readArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function anthropicEvents(block: Block, index: number, reply: AnswerReply): Block[] {
  const deltas =
    block.type === "text"
      ? piecesOf(String(block.text), reply).map((text) => ({ type: "text_delta", text }))
      : block.type === "thinking"
        ? [
            { type: "thinking_delta", thinking: block.thinking },
            { type: "signature_delta", signature: block.signature },
          ]
        : [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  const opened =
    block.type === "text"
      ? { type: "text", text: "" }
      : block.type === "thinking"
        ? { type: "thinking", thinking: "", signature: "" }
        : { ...block, input: {} };
  return [
    { type: "content_block_start", index, content_block: opened },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}
