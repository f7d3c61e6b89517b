import { events } from "../support/scripted-upstream.ts";
import { isStreamed, SAMPLE } from "./features.ts";
import { callsTool, type ProviderFormat, refusal, said, streamed, TOKENS, whole } from "./provider-format.ts";

export const cohere: ProviderFormat = {
  wire: "cohere",
  model: "command-a-03-2025",
  name: "Cohere",
  base: "",
  answer(feature, words = said(feature)) {
    if (feature === "error") return refusal({ id: "9", message: SAMPLE.complaint });
    const usage = {
      billed_units: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
      tokens: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
    };
    const call = { id: "call_9", type: "function", function: { name: SAMPLE.tool, arguments: SAMPLE.json } };
    const finish_reason = callsTool(feature) ? "TOOL_CALL" : "COMPLETE";
    if (isStreamed(feature)) {
      const pieces = callsTool(feature)
        ? [
            { type: "tool-call-start", index: 0, delta: { message: { tool_calls: call } } },
            { type: "tool-call-end", index: 0 },
          ]
        : [
            { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
            { type: "content-delta", index: 0, delta: { message: { content: { text: words } } } },
            { type: "content-end", index: 0 },
          ];
      return streamed(
        events({ type: "message-start", id: "9", delta: { message: { role: "assistant" } } }, ...pieces, {
          type: "message-end",
          delta: { finish_reason, usage },
        }),
      );
    }
    const message = callsTool(feature)
      ? { role: "assistant", tool_calls: [call] }
      : {
          role: "assistant",
          content: [
            ...(feature === "thinking" ? [{ type: "thinking", thinking: SAMPLE.thought }] : []),
            { type: "text", text: words },
          ],
        };
    const logprobs = [{ text: "It", token_ids: [1], logprobs: [-0.25] }];
    return whole({
      id: "9",
      message,
      finish_reason,
      usage,
      ...(feature === "logprobs" ? { logprobs } : {}),
    });
  },
  placeOf: {
    system: ({ json }) => json.messages[0].role === "system",
    tools: ({ json }) => json.tools[0].function.name === SAMPLE.tool,
    "tool-stream": ({ json }) => json.tools[0].function.name === SAMPLE.tool && json.stream,
    "tool-result": ({ json }) => json.messages.at(-1).role === "tool",
    schema: ({ json }) => JSON.stringify(json.response_format).includes("city"),
    image: ({ json }) => JSON.stringify(json.messages.at(-1).content).includes(SAMPLE.image),
    stop: ({ json }) => json.stop_sequences.includes(SAMPLE.stop),
    seed: ({ json }) => json.seed === SAMPLE.seed,
    logprobs: ({ json }) => json.logprobs,
    thinking: () => true,
  },
};
