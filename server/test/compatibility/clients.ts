import { type Feature, isStreamed, SAMPLE, wantsTools } from "./features.ts";

/** How clients of one format ask for a feature. */
export interface ClientFormat {
  readonly name: string;
  /** What is sent; undefined: this format has no word for it. */
  ask(feature: Feature, model: string): { readonly path: string; readonly body: unknown } | undefined;
}

const image = `data:image/png;base64,${SAMPLE.image}`;

/** Our own operations. */
const own: ClientFormat = {
  name: "ours",
  ask(feature, model) {
    const more: Partial<Record<Feature, object>> = {
      text: {},
      stream: {},
      error: {},
      image: { attachments: [{ type: "image", url: image }] },
      stop: { parameters: { stop: SAMPLE.stop } },
      seed: { parameters: { seed: SAMPLE.seed } },
    };
    if (more[feature] === undefined) return undefined;
    return {
      path: isStreamed(feature) ? "/v1/stream" : "/v1/generate",
      body: { task: "chat", input: SAMPLE.question, model, ...more[feature] },
    };
  },
};

const openAiChat: ClientFormat = {
  name: "OpenAI chat",
  ask(feature, model) {
    if (feature === "cache-marks") return undefined;
    const user =
      feature === "image"
        ? [
            { type: "text", text: SAMPLE.question },
            { type: "image_url", image_url: { url: image } },
          ]
        : SAMPLE.question;
    const call = { name: SAMPLE.tool, arguments: SAMPLE.json };
    const messages = [
      ...(feature === "system" ? [{ role: "system", content: SAMPLE.system }] : []),
      { role: "user", content: user },
      ...(feature === "tool-result"
        ? [
            {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "call_1", type: "function", function: call }],
            },
            { role: "tool", tool_call_id: "call_1", content: SAMPLE.result },
          ]
        : []),
    ];
    const tool = { name: SAMPLE.tool, description: SAMPLE.toolWords, parameters: SAMPLE.schema };
    const more: Partial<Record<Feature, object>> = {
      schema: {
        response_format: {
          type: "json_schema",
          json_schema: { name: "place", schema: SAMPLE.schema, strict: true },
        },
      },
      stop: { stop: [SAMPLE.stop] },
      seed: { seed: SAMPLE.seed },
      n: { n: 2 },
      logprobs: { logprobs: true },
      thinking: { reasoning_effort: "low" },
    };
    const tools = wantsTools(feature) ? { tools: [{ type: "function", function: tool }] } : {};
    return {
      path: "/openai/v1/chat/completions",
      body: { model, messages, stream: isStreamed(feature), ...tools, ...more[feature] },
    };
  },
};

const openAiResponses: ClientFormat = {
  name: "OpenAI responses",
  ask(feature, model) {
    if (["cache-marks", "stop", "seed", "n"].includes(feature)) return undefined;
    const content = [
      { type: "input_text", text: SAMPLE.question },
      ...(feature === "image" ? [{ type: "input_image", image_url: image, detail: "auto" }] : []),
    ];
    const input = [
      { role: "user", content },
      ...(feature === "tool-result"
        ? [
            { type: "function_call", call_id: "call_1", name: SAMPLE.tool, arguments: SAMPLE.json },
            { type: "function_call_output", call_id: "call_1", output: SAMPLE.result },
          ]
        : []),
    ];
    const more: Partial<Record<Feature, object>> = {
      system: { instructions: SAMPLE.system },
      schema: {
        text: { format: { type: "json_schema", name: "place", schema: SAMPLE.schema, strict: true } },
      },
      logprobs: { top_logprobs: 1, include: ["message.output_text.logprobs"] },
      thinking: { reasoning: { effort: "low" } },
    };
    const tool = { type: "function", name: SAMPLE.tool, description: SAMPLE.toolWords, strict: false };
    const tools = wantsTools(feature) ? { tools: [{ ...tool, parameters: SAMPLE.schema }] } : {};
    return {
      path: "/openai/v1/responses",
      body: { model, input, stream: isStreamed(feature), ...tools, ...more[feature] },
    };
  },
};

const anthropic: ClientFormat = {
  name: "Anthropic",
  ask(feature, model) {
    if (["seed", "n", "logprobs"].includes(feature)) return undefined;
    const content = [
      {
        type: "text",
        text: SAMPLE.question,
        ...(feature === "cache-marks" ? { cache_control: { type: "ephemeral" } } : {}),
      },
      ...(feature === "image"
        ? [{ type: "image", source: { type: "base64", media_type: "image/png", data: SAMPLE.image } }]
        : []),
    ];
    const call = { type: "tool_use", id: "toolu_1", name: SAMPLE.tool, input: { city: SAMPLE.city } };
    const messages = [
      { role: "user", content },
      ...(feature === "tool-result"
        ? [
            { role: "assistant", content: [call] },
            {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "toolu_1", content: SAMPLE.result }],
            },
          ]
        : []),
    ];
    const more: Partial<Record<Feature, object>> = {
      system: { system: SAMPLE.system },
      schema: { output_config: { format: { type: "json_schema", schema: SAMPLE.schema } } },
      stop: { stop_sequences: [SAMPLE.stop] },
      thinking: { thinking: { type: "enabled", budget_tokens: 1_024 } },
    };
    const tool = { name: SAMPLE.tool, description: SAMPLE.toolWords, input_schema: SAMPLE.schema };
    const tools = wantsTools(feature) ? { tools: [tool] } : {};
    return {
      path: "/anthropic/v1/messages",
      body: { model, max_tokens: 2_000, messages, stream: isStreamed(feature), ...tools, ...more[feature] },
    };
  },
};

const gemini: ClientFormat = {
  name: "Gemini",
  ask(feature, model) {
    if (feature === "cache-marks") return undefined;
    const parts = [
      { text: SAMPLE.question },
      ...(feature === "image" ? [{ inlineData: { mimeType: "image/png", data: SAMPLE.image } }] : []),
    ];
    const contents = [
      { role: "user", parts },
      ...(feature === "tool-result"
        ? [
            {
              role: "model",
              parts: [{ functionCall: { name: SAMPLE.tool, args: { city: SAMPLE.city } } }],
            },
            {
              role: "user",
              parts: [{ functionResponse: { name: SAMPLE.tool, response: { result: SAMPLE.result } } }],
            },
          ]
        : []),
    ];
    const config: Partial<Record<Feature, object>> = {
      schema: { responseMimeType: "application/json", responseJsonSchema: SAMPLE.schema },
      stop: { stopSequences: [SAMPLE.stop] },
      seed: { seed: SAMPLE.seed },
      n: { candidateCount: 2 },
      logprobs: { responseLogprobs: true },
      thinking: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } },
    };
    const tool = {
      name: SAMPLE.tool,
      description: SAMPLE.toolWords,
      parametersJsonSchema: SAMPLE.schema,
    };
    const verb = isStreamed(feature) ? "streamGenerateContent?alt=sse" : "generateContent";
    return {
      path: `/gemini/v1beta/models/${model}:${verb}`,
      body: {
        contents,
        ...(feature === "system" ? { systemInstruction: { parts: [{ text: SAMPLE.system }] } } : {}),
        ...(wantsTools(feature) ? { tools: [{ functionDeclarations: [tool] }] } : {}),
        ...(config[feature] === undefined ? {} : { generationConfig: config[feature] }),
      },
    };
  },
};

export const CLIENTS: readonly ClientFormat[] = [own, openAiChat, openAiResponses, anthropic, gemini];
