/** What a wire format may have a word for. The matrix has a row for each. */
export const FEATURES = {
  text: "whole answers",
  stream: "streamed answers",
  system: "system messages",
  tools: "tools, called",
  "tool-stream": "tools, called in a stream",
  "tool-result": "tool results handed back",
  schema: "answers by a JSON schema",
  image: "images in the question",
  cached: "cached tokens told",
  stop: "stop words",
  seed: "seed",
  n: "several answers at once",
  logprobs: "log probabilities",
  thinking: "thoughts told",
  "cache-marks": "cache marks",
  error: "the provider's errors",
} as const;

export type Feature = keyof typeof FEATURES;
export const ALL_FEATURES = Object.keys(FEATURES) as Feature[];

export const isStreamed = (feature: Feature): boolean => feature === "stream" || feature === "tool-stream";
export const wantsTools = (feature: Feature): boolean =>
  feature === "tools" || feature === "tool-stream" || feature === "tool-result";

/** The question and the answer, the same in every format. */
export const SAMPLE = {
  question: "What is the weather in Paris?",
  system: "You are the clerk of a weather station.",
  answer: "It is sunny there.",
  thought: "The clerk thinks of clouds.",
  tool: "get_weather",
  toolWords: "Tells the weather of a city.",
  city: "Paris",
  result: "sunny, 21 degrees",
  schema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  json: '{"city":"Paris"}',
  image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg+M8AAAICAQDj1bWKAAAAAElFTkSuQmCC",
  stop: "END-OF-REPORT",
  seed: 4711,
  cachedTokens: 7,
  complaint: "the station is closed",
} as const;
