import type { Ask } from "./asks.ts";

/** A request on its way to the service, without its key. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ClientFormat =
  | "request"
  | "generate"
  | "stream"
  | "vectors"
  | "chat"
  | "completions"
  | "responses"
  | "embeddings"
  | "messages"
  | "gemini";

type Body = Record<string, unknown>;

const TOOL = {
  name: "weather",
  description: "The weather in a city",
  schema: { type: "object", properties: { city: { type: "string" } } },
};
const OTHER_TOOL = { name: "trains", description: "Trains to a city", schema: { type: "object" } };
const FORM = {
  type: "object",
  properties: { city: { type: "string" }, year: { type: "integer" } },
  required: ["city"],
};

/** The same wish in each client format, as far as the format can express it. */
const ENCODERS: Readonly<Record<ClientFormat, (ask: Ask) => { path: string; body: Body }>> = {
  request: (ask) => ({ path: "/v1/ai/request", body: { task: taskOf(ask), ...nativeBody(ask) } }),
  generate: (ask) => ({ path: "/v1/generate", body: nativeBody(ask) }),
  stream: (ask) => ({ path: "/v1/stream", body: nativeBody(ask) }),
  vectors: (ask) => ({ path: "/v1/embeddings", body: vectorBody(ask, undefined) }),
  embeddings: (ask) => ({
    path: "/openai/v1/embeddings",
    body: { ...vectorBody(ask, "auto"), encoding_format: ask.seed === undefined ? undefined : "base64" },
  }),
  chat: (ask) => ({ path: "/openai/v1/chat/completions", body: chatBody(ask) }),
  completions: (ask) => ({
    path: "/openai/v1/completions",
    body: { ...samplingBody(ask), prompt: [ask.system, ...ask.history, ask.text].filter(Boolean).join("\n\n") },
  }),
  responses: (ask) => ({ path: "/openai/v1/responses", body: responsesBody(ask) }),
  messages: (ask) => ({ path: "/anthropic/v1/messages", body: messagesBody(ask) }),
  gemini: (ask) => ({
    path: `/gemini/v1beta/models/${ask.model ?? "auto"}:${ask.streaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: geminiBody(ask),
  }),
};

/** Encodes a wish. Fields without a value are left out. */
export function encodeAsk(format: ClientFormat, ask: Ask): ClientRequest {
  const { path, body } = ENCODERS[format](ask);
  return {
    method: "POST",
    path,
    headers: {
      "content-type": "application/json",
      ...(ask.idempotencyKey !== undefined && { "idempotency-key": ask.idempotencyKey }),
      ...(format === "stream" && ask.streaming && { accept: "text/event-stream" }),
    },
    body: JSON.stringify(body),
  };
}

function taskOf({ text }: Ask): string {
  if (text.startsWith("Sum this up")) return "summarization";
  return /```|regular expression|TypeScript/.test(text) ? "code" : "chat";
}

/** Our own format has one text, so that earlier turns stand before it. */
function nativeBody(ask: Ask): Body {
  const parameters = {
    max_tokens: ask.maxTokens,
    temperature: ask.temperature,
    stop: ask.stop?.[0],
    seed: ask.seed,
    reasoning_effort: ask.effort,
    ...(ask.choices !== undefined && { own_setting: ask.choices }),
  };
  const url = `data:text/plain;base64,${Buffer.from(ask.toolResult ?? "").toString("base64")}`;
  return {
    input: [ask.system, ...ask.history, ask.text].filter(Boolean).join("\n\n"),
    model: ask.model,
    parameters,
    ...(ask.toolResult !== undefined && { attachments: [{ type: "file", url }] }),
    ...ask.routing,
  };
}

function vectorBody(ask: Ask, automatic: string | undefined): Body {
  const { route, check: _, ...routing } = ask.routing;
  return {
    input: ask.history.length === 0 ? ask.text : [ask.text, ...ask.history],
    model: ask.model === undefined ? automatic : ask.model.startsWith("west") ? "west/embed" : "embed",
    dimensions: ask.maxTokens === 256 ? 256 : undefined,
    ...routing,
    ...(route !== "cascade" && { route }),
  };
}

const AUTO_NAMES: Readonly<Record<string, string>> = {
  cost: "auto:cost",
  speed: "auto:speed",
  quality: "auto:quality",
};

/** The fields that chats and completions share. A strategy may stand in the model's name. */
function samplingBody(ask: Ask): Body {
  const { route, ...routing } = ask.routing;
  const automatic = typeof route === "string" ? AUTO_NAMES[route] : undefined;
  return {
    model: ask.model ?? automatic ?? "auto",
    max_tokens: ask.maxTokens,
    temperature: ask.temperature,
    seed: ask.seed,
    n: ask.choices,
    stop: ask.stop?.length === 1 ? ask.stop[0] : ask.stop,
    stream: ask.streaming || undefined,
    stream_options: ask.streaming && ask.maxTokens !== undefined ? { include_usage: true } : undefined,
    ...routing,
    ...((automatic === undefined || ask.model !== undefined) && { route }),
  };
}

function chatBody(ask: Ask): Body {
  const call = { id: "call_1", type: "function", function: { name: TOOL.name, arguments: '{"city":"Bern"}' } };
  return {
    ...samplingBody(ask),
    messages: [
      ...(ask.system === undefined ? [] : [{ role: "system", content: ask.system }]),
      ...ask.history.map((content, place) => ({ role: place % 2 === 0 ? "user" : "assistant", content })),
      { role: "user", content: ask.temperature === 0.7 ? [{ type: "text", text: ask.text }] : ask.text },
      ...(ask.toolResult === undefined
        ? []
        : [
            { role: "assistant", content: null, tool_calls: [call] },
            { role: "tool", tool_call_id: "call_1", content: ask.toolResult },
          ]),
    ],
    reasoning_effort: ask.effort,
    user: ask.seed === undefined ? undefined : "user-1",
    prompt_cache_key: ask.effort === undefined ? undefined : "prompt-cache-1",
    ...(ask.tools !== undefined && {
      tools: [TOOL, OTHER_TOOL].map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: schema },
      })),
      tool_choice: ask.tools === "named" ? { type: "function", function: { name: TOOL.name } } : ask.tools,
    }),
    ...(ask.form === "json" && { response_format: { type: "json_object" } }),
    ...(ask.form === "schema" && {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: FORM, strict: true } },
    }),
  };
}

function responsesBody(ask: Ask): Body {
  const { route, ...routing } = ask.routing;
  return {
    model: ask.model ?? "auto",
    instructions: ask.system,
    input:
      ask.history.length === 0 && ask.toolResult === undefined
        ? ask.text
        : [
            ...ask.history.map((content, place) => ({ role: place % 2 === 0 ? "user" : "assistant", content })),
            { role: "user", content: [{ type: "input_text", text: ask.text }] },
            ...(ask.toolResult === undefined
              ? []
              : [
                  { type: "function_call", call_id: "call_1", name: TOOL.name, arguments: '{"city":"Bern"}' },
                  { type: "function_call_output", call_id: "call_1", output: ask.toolResult },
                ]),
          ],
    max_output_tokens: ask.maxTokens,
    temperature: ask.temperature,
    stream: ask.streaming || undefined,
    reasoning: ask.effort === undefined ? undefined : { effort: ask.effort },
    ...(ask.tools !== undefined && {
      tools: [TOOL, OTHER_TOOL].map(({ name, description, schema }) => ({
        type: "function",
        name,
        description,
        parameters: schema,
        strict: false,
      })),
      tool_choice: ask.tools === "named" ? { type: "function", name: TOOL.name } : ask.tools,
    }),
    ...(ask.form === "json" && { text: { format: { type: "json_object" } } }),
    ...(ask.form === "schema" && { text: { format: { type: "json_schema", name: "answer", schema: FORM } } }),
    ...routing,
    route,
  };
}

function messagesBody(ask: Ask): Body {
  const choices = { auto: { type: "auto" }, required: { type: "any" }, none: { type: "none" } };
  const marked = { type: "ephemeral" };
  return {
    model: ask.model ?? "auto",
    max_tokens: ask.maxTokens ?? 500,
    system:
      ask.seed === undefined ? ask.system : [{ type: "text", text: ask.system ?? "Be brief.", cache_control: marked }],
    messages: [
      ...ask.history.map((content, place) => ({ role: place % 2 === 0 ? "user" : "assistant", content })),
      { role: "user", content: ask.text },
      ...(ask.toolResult === undefined
        ? []
        : [
            { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: TOOL.name, input: {} }] },
            { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: ask.toolResult }] },
          ]),
    ],
    temperature: ask.temperature,
    stop_sequences: ask.stop,
    stream: ask.streaming || undefined,
    thinking: ask.effort === undefined ? undefined : { type: "enabled", budget_tokens: 1_024 },
    ...(ask.tools !== undefined && {
      tools: [TOOL, OTHER_TOOL].map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
      tool_choice: ask.tools === "named" ? { type: "tool", name: TOOL.name } : choices[ask.tools],
    }),
    ...(ask.form !== undefined && { output_config: { format: { type: "json_schema", schema: FORM } } }),
    ...ask.routing,
  };
}

function geminiBody(ask: Ask): Body {
  const modes = { auto: "AUTO", required: "ANY", named: "ANY", none: "NONE" };
  return {
    contents: [
      ...ask.history.map((text, place) => ({ role: place % 2 === 0 ? "user" : "model", parts: [{ text }] })),
      { role: "user", parts: [{ text: ask.text }] },
      ...(ask.toolResult === undefined
        ? []
        : [
            { role: "model", parts: [{ functionCall: { name: TOOL.name, args: { city: "Bern" } } }] },
            { role: "user", parts: [{ functionResponse: { name: TOOL.name, response: { result: ask.toolResult } } }] },
          ]),
    ],
    systemInstruction: ask.system === undefined ? undefined : { parts: [{ text: ask.system }] },
    generationConfig: {
      maxOutputTokens: ask.maxTokens,
      temperature: ask.temperature,
      stopSequences: ask.stop,
      candidateCount: ask.choices,
      seed: ask.seed,
      ...(ask.form !== undefined && { responseMimeType: "application/json" }),
      ...(ask.form === "schema" && { responseSchema: FORM }),
      ...(ask.effort !== undefined && { thinkingConfig: { thinkingLevel: ask.effort.toUpperCase() } }),
    },
    ...(ask.tools !== undefined && {
      tools: [
        {
          functionDeclarations: [TOOL, OTHER_TOOL].map(({ name, description, schema }) => ({
            name,
            description,
            parameters: schema,
          })),
        },
      ],
      toolConfig: {
        functionCallingConfig: {
          mode: modes[ask.tools],
          ...(ask.tools === "named" && { allowedFunctionNames: [TOOL.name] }),
        },
      },
    }),
    ...ask.routing,
  };
}
