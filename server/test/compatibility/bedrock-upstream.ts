import { EventStreamCodec } from "@smithy/eventstream-codec";
import { isStreamed, SAMPLE } from "./features.ts";
import { args, callsTool, type ProviderFormat, said, streamed, TOKENS, whole } from "./provider-format.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);
const bedrockEvent = (type: string, payload: object): Buffer =>
  Buffer.from(
    codec.encode({
      headers: {
        ":message-type": { type: "string", value: "event" },
        ":event-type": { type: "string", value: type },
        ":content-type": { type: "string", value: "application/json" },
      },
      body: Buffer.from(JSON.stringify(payload)),
    }),
  );

export const bedrock: ProviderFormat = {
  wire: "bedrock",
  model: "anthropic.claude-opus-4-5-20251101-v1:0",
  name: "Bedrock",
  base: "",
  answer(feature, words = said(feature)) {
    if (feature === "error")
      return {
        status: 400,
        headers: { "x-amzn-errortype": "ValidationException" },
        body: JSON.stringify({ message: SAMPLE.complaint }),
      };
    const usage = {
      inputTokens: TOKENS.input - TOKENS.cached,
      cacheReadInputTokens: TOKENS.cached,
      outputTokens: TOKENS.output,
      totalTokens: TOKENS.input + TOKENS.output,
    };
    const stopReason = callsTool(feature) ? "tool_use" : "end_turn";
    const tool = { toolUseId: "tooluse_9", name: SAMPLE.tool };
    if (isStreamed(feature)) {
      const pieces = callsTool(feature)
        ? [
            bedrockEvent("contentBlockStart", { contentBlockIndex: 0, start: { toolUse: tool } }),
            bedrockEvent("contentBlockDelta", {
              contentBlockIndex: 0,
              delta: { toolUse: { input: SAMPLE.json } },
            }),
          ]
        : [bedrockEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: words } })];
      return streamed(
        [
          bedrockEvent("messageStart", { role: "assistant" }),
          ...pieces,
          bedrockEvent("contentBlockStop", { contentBlockIndex: 0 }),
          bedrockEvent("messageStop", { stopReason }),
          bedrockEvent("metadata", { usage, metrics: { latencyMs: 1 } }),
        ],
        "application/vnd.amazon.eventstream",
      );
    }
    const thought = { reasoningContent: { reasoningText: { text: SAMPLE.thought, signature: "c2ln" } } };
    const content = [
      ...(feature === "thinking" ? [thought] : []),
      callsTool(feature) ? { toolUse: { ...tool, input: args } } : { text: words },
    ];
    return whole({
      output: { message: { role: "assistant", content } },
      stopReason,
      usage,
      metrics: { latencyMs: 1 },
    });
  },
  placeOf: {
    system: ({ json }) => json.system[0].text === SAMPLE.system,
    tools: ({ json }) => json.toolConfig.tools[0].toolSpec.name === SAMPLE.tool,
    "tool-stream": ({ json, path }) =>
      json.toolConfig.tools[0].toolSpec.name === SAMPLE.tool && path.includes("stream"),
    "tool-result": ({ json }) => json.messages.at(-1).content[0].toolResult !== undefined,
    schema: ({ json }) => JSON.stringify(json).includes("required"),
    image: ({ json }) => JSON.stringify(json.messages.at(-1).content).includes(SAMPLE.image),
    stop: ({ json }) => json.inferenceConfig.stopSequences.includes(SAMPLE.stop),
    thinking: () => true,
    "cache-marks": ({ json }) => JSON.stringify(json.messages).includes("cachePoint"),
  },
};
