import { events, type UpstreamRequest } from "../support/scripted-upstream.ts";
import { bedrock } from "./bedrock-upstream.ts";
import { cohere } from "./cohere-upstream.ts";
import { isStreamed, SAMPLE } from "./features.ts";
import { args, callsTool, type ProviderFormat, refusal, said, streamed, TOKENS, whole } from "./provider-format.ts";

/** All that is the same where it is only to be found in the words. */
const inWords = (words: string) => (request: UpstreamRequest) => String(request.json?.input ?? "").includes(words);

const contract: ProviderFormat = {
  wire: "trunkline",
  model: "m",
  name: "our contract",
  base: "/v1/generate",
  answer(feature, words = said(feature)) {
    if (feature === "error") return refusal({ error: { message: SAMPLE.complaint, code: 400 } });
    const usage = {
      input_tokens: TOKENS.input,
      output_tokens: TOKENS.output,
      cached_input_tokens: TOKENS.cached,
    };
    const output = callsTool(feature)
      ? JSON.stringify({ tool_calls: [{ name: SAMPLE.tool, arguments: args }] })
      : words;
    if (!isStreamed(feature)) return whole({ output, usage });
    return streamed(
      [`${JSON.stringify({ delta: output })}\n`, `${JSON.stringify({ done: true, usage })}\n`],
      "application/x-ndjson",
    );
  },
  placeOf: {
    system: inWords(SAMPLE.system),
    tools: inWords(SAMPLE.toolWords),
    "tool-stream": inWords(SAMPLE.toolWords),
    "tool-result": inWords(SAMPLE.result),
    schema: inWords('"required":["city"]'),
    image: ({ json }) => json?.attachments?.[0]?.url?.includes(SAMPLE.image),
    stop: ({ json }) => [json?.parameters?.stop].flat().includes(SAMPLE.stop),
    seed: ({ json }) => json?.parameters?.seed === SAMPLE.seed,
    thinking: ({ json }) => json?.parameters?.reasoning_effort ?? json?.parameters?.thinking_tokens,
  },
};

const openAi: ProviderFormat = {
  wire: "openai",
  model: "gpt-5.1",
  name: "OpenAI",
  base: "/v1",
  answer(feature, words = said(feature)) {
    if (feature === "error")
      return refusal({
        error: { message: SAMPLE.complaint, type: "invalid_request_error", param: null, code: null },
      });
    const usage = {
      prompt_tokens: TOKENS.input,
      completion_tokens: TOKENS.output,
      total_tokens: TOKENS.input + TOKENS.output,
      prompt_tokens_details: { cached_tokens: TOKENS.cached },
    };
    const call = { id: "call_9", type: "function", function: { name: SAMPLE.tool, arguments: SAMPLE.json } };
    const finish_reason = callsTool(feature) ? "tool_calls" : "stop";
    const frame = { id: "chatcmpl-9", created: 1, model: "m" };
    if (isStreamed(feature)) {
      const delta = callsTool(feature)
        ? { role: "assistant", tool_calls: [{ index: 0, ...call }] }
        : { role: "assistant", content: words };
      const chunk = (one: object, finish: string | null) => ({
        ...frame,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: one, finish_reason: finish }],
      });
      const last = { ...frame, object: "chat.completion.chunk", choices: [], usage };
      return streamed(events(chunk(delta, null), chunk({}, finish_reason), last, "[DONE]"));
    }
    const message = {
      role: "assistant",
      content: callsTool(feature) ? null : words,
      ...(callsTool(feature) ? { tool_calls: [call] } : {}),
      ...(feature === "thinking" ? { reasoning_content: SAMPLE.thought } : {}),
    };
    const logprobs =
      feature === "logprobs"
        ? { content: [{ token: "It", logprob: -0.25, bytes: [73, 116], top_logprobs: [] }] }
        : null;
    const indexes = feature === "n" ? [0, 1] : [0];
    const choices = indexes.map((index) => ({ index, message, logprobs, finish_reason }));
    return whole({ ...frame, object: "chat.completion", choices, usage });
  },
  placeOf: {
    system: ({ json }) => /^(system|developer)$/.test(json.messages[0].role),
    tools: ({ json }) => json.tools[0].function.name === SAMPLE.tool,
    "tool-stream": ({ json }) => json.tools[0].function.name === SAMPLE.tool && json.stream,
    "tool-result": ({ json }) => json.messages.at(-1).role === "tool",
    schema: ({ json }) => json.response_format.json_schema.schema.required[0] === "city",
    image: ({ json }) => JSON.stringify(json.messages.at(-1).content).includes(SAMPLE.image),
    stop: ({ json }) => [json.stop].flat().includes(SAMPLE.stop),
    seed: ({ json }) => json.seed === SAMPLE.seed,
    n: ({ json }) => json.n === 2,
    logprobs: ({ json }) => json.logprobs,
    thinking: () => true,
  },
};

const anthropic: ProviderFormat = {
  wire: "anthropic",
  model: "claude-opus-4-5",
  name: "Anthropic",
  base: "",
  answer(feature, words = said(feature)) {
    if (feature === "error")
      return refusal({ type: "error", error: { type: "invalid_request_error", message: SAMPLE.complaint } });
    const usage = {
      input_tokens: TOKENS.input - TOKENS.cached,
      cache_read_input_tokens: TOKENS.cached,
      cache_creation_input_tokens: 0,
      output_tokens: TOKENS.output,
    };
    const stop = { stop_reason: callsTool(feature) ? "tool_use" : "end_turn", stop_sequence: null };
    const frame = { id: "msg_9", type: "message", role: "assistant", model: "m" };
    if (isStreamed(feature)) {
      const [block, delta] = callsTool(feature)
        ? [
            { type: "tool_use", id: "toolu_9", name: SAMPLE.tool, input: {} },
            { type: "input_json_delta", partial_json: SAMPLE.json },
          ]
        : [
            { type: "text", text: "" },
            { type: "text_delta", text: words },
          ];
      return streamed(
        events(
          { type: "message_start", message: { ...frame, content: [], ...stop, stop_reason: null, usage } },
          { type: "content_block_start", index: 0, content_block: block },
          { type: "content_block_delta", index: 0, delta },
          { type: "content_block_stop", index: 0 },
          { type: "message_delta", delta: stop, usage: { output_tokens: TOKENS.output } },
          { type: "message_stop" },
        ),
      );
    }
    const content = [
      ...(feature === "thinking" ? [{ type: "thinking", thinking: SAMPLE.thought, signature: "c2ln" }] : []),
      callsTool(feature)
        ? { type: "tool_use", id: "toolu_9", name: SAMPLE.tool, input: args }
        : { type: "text", text: words },
    ];
    return whole({ ...frame, content, ...stop, usage });
  },
  placeOf: {
    system: ({ json }) => JSON.stringify(json.system).includes(SAMPLE.system),
    tools: ({ json }) => json.tools[0].name === SAMPLE.tool,
    "tool-stream": ({ json }) => json.tools[0].name === SAMPLE.tool && json.stream,
    "tool-result": ({ json }) => json.messages.at(-1).content[0].type === "tool_result",
    schema: ({ json }) => JSON.stringify(json).includes('"required":["city"]'),
    image: ({ json }) => JSON.stringify(json.messages.at(-1).content).includes(SAMPLE.image),
    stop: ({ json }) => json.stop_sequences.includes(SAMPLE.stop),
    thinking: () => true,
    "cache-marks": ({ json }) => json.messages.at(-1).content[0].cache_control.type === "ephemeral",
  },
};

const gemini: ProviderFormat = {
  wire: "gemini",
  model: "gemini-2.5-flash",
  name: "Gemini",
  base: "/v1beta",
  answer(feature, words = said(feature)) {
    if (feature === "error")
      return refusal({ error: { code: 400, message: SAMPLE.complaint, status: "INVALID_ARGUMENT" } });
    const parts = [
      ...(feature === "thinking" ? [{ text: SAMPLE.thought, thought: true }] : []),
      callsTool(feature) ? { functionCall: { name: SAMPLE.tool, args } } : { text: words },
    ];
    const logprobsResult = {
      chosenCandidates: [{ token: "It", tokenId: 1, logProbability: -0.25 }],
      topCandidates: [{ candidates: [{ token: "It", tokenId: 1, logProbability: -0.25 }] }],
    };
    const candidate = (index: number) => ({
      index,
      content: { role: "model", parts },
      finishReason: "STOP",
      ...(feature === "logprobs" ? { avgLogprobs: -0.25, logprobsResult } : {}),
    });
    const answer = {
      candidates: feature === "n" ? [candidate(0), candidate(1)] : [candidate(0)],
      usageMetadata: {
        promptTokenCount: TOKENS.input,
        candidatesTokenCount: TOKENS.output,
        totalTokenCount: TOKENS.input + TOKENS.output,
        cachedContentTokenCount: TOKENS.cached,
      },
      modelVersion: "m",
      responseId: "r9",
    };
    return isStreamed(feature) ? streamed(events(answer)) : whole(answer);
  },
  placeOf: {
    system: ({ json }) => json.systemInstruction.parts[0].text === SAMPLE.system,
    tools: ({ json }) => json.tools[0].functionDeclarations[0].name === SAMPLE.tool,
    "tool-stream": ({ json, path }) =>
      json.tools[0].functionDeclarations[0].name === SAMPLE.tool && path.includes("stream"),
    "tool-result": ({ json }) => json.contents.at(-1).parts[0].functionResponse.name === SAMPLE.tool,
    schema: ({ json }) => JSON.stringify(json.generationConfig).includes('"required":["city"]'),
    image: ({ json }) => JSON.stringify(json.contents.at(-1).parts).includes(SAMPLE.image),
    stop: ({ json }) => json.generationConfig.stopSequences.includes(SAMPLE.stop),
    seed: ({ json }) => json.generationConfig.seed === SAMPLE.seed,
    n: ({ json }) => json.generationConfig.candidateCount === 2,
    logprobs: ({ json }) => json.generationConfig.responseLogprobs,
    thinking: () => true,
  },
};

export const PROVIDERS: readonly ProviderFormat[] = [contract, openAi, anthropic, gemini, bedrock, cohere];
