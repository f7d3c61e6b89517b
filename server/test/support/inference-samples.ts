import { makeWav } from "@trunkline/testing/make-wav.ts";
import { answerChat } from "./openai-chat-upstream.ts";
import type { UpstreamAnswer, UpstreamRequest } from "./scripted-upstream.ts";

/** A model for each kind of work that an endpoint may ask for. All are of one upstream of OpenAI's wire. */
export const EVERY_MODEL = {
  "every-talker": { type: "multimodal" },
  "every-embedder": { type: "embedding" },
  "every-ranker": { type: "embedding", capabilities: ["rerank"] },
  "every-painter": { type: "image", pricing: { per_image: 0.001 } },
  "every-speaker": { type: "audio", pricing: { per_request: 0.001 }, capabilities: ["speech"] },
  "every-listener": { type: "audio", pricing: { per_request: 0.001 }, capabilities: ["transcription"] },
} as const;

/** How one endpoint is asked for an answer. */
interface InferenceSample {
  readonly model: keyof typeof EVERY_MODEL;
  /** Where the address names the model. */
  readonly path?: (model: string) => string;
  /** A good body, as JSON or as a form. */
  readonly body: (model: string, words: string) => object | FormData;
  /** One that asks for a stream, where the same endpoint gives whole answers as well. */
  readonly streamed?: (model: string, words: string) => object | FormData;
  /** A body of the right kind that says nothing; an empty object where nothing is given. */
  readonly empty?: () => FormData;
  /** Whether the answer has words of the model's own, which are judged. */
  readonly givesWords: boolean;
}

const own = (model: InferenceSample["model"], givesWords = true): InferenceSample => ({
  model,
  givesWords,
  body: (name, words) => ({ task: "text", input: words, model: name }),
});

const gemini = (version: string, action: string): InferenceSample => ({
  model: "every-talker",
  givesWords: true,
  path: (model) => `/gemini/${version}/models/${model}:${action}`,
  body: (_, words) => ({ contents: [{ role: "user", parts: [{ text: words }] }] }),
});

const geminiEmbedding = (version: string, action: string, body: (words: string) => object): InferenceSample => ({
  model: "every-embedder",
  givesWords: false,
  path: (model) => `/gemini/${version}/models/${model}:${action}`,
  body: (_, words) => body(words),
});
const embedding = (version: string) =>
  geminiEmbedding(version, "embedContent", (text) => ({ content: { parts: [{ text }] } }));
const embeddings = (version: string) =>
  geminiEmbedding(version, "batchEmbedContents", (text) => ({ requests: [{ content: { parts: [{ text }] } }] }));

const streamable = (
  model: InferenceSample["model"],
  body: (model: string, words: string) => object,
): InferenceSample => ({
  model,
  givesWords: true,
  body,
  streamed: (name, words) => ({ ...body(name, words), stream: true }),
});

/** Ollama's answers are streams unless they are asked for as a whole. */
const ollama = (body: (words: string) => object): InferenceSample => ({
  model: "every-talker",
  givesWords: true,
  body: (model, words) => ({ model, ...body(words), stream: false }),
  streamed: (model, words) => ({ model, ...body(words) }),
});

function recording(model: string, words: string): FormData {
  const form = new FormData();
  const bytes = Buffer.from(makeWav().split(",")[1] ?? "", "base64");
  form.set("file", new File([bytes], "a.wav", { type: "audio/wav" }));
  form.set("model", model);
  form.set("prompt", words);
  return form;
}

function picture(fields: Readonly<Record<string, string>>, name = "a.png"): FormData {
  const form = new FormData();
  form.set("image", new File([Buffer.from(PIXEL, "base64")], name, { type: "image/png" }));
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  return form;
}

function onlyField(name: string, value: string): FormData {
  const form = new FormData();
  form.set(name, value);
  return form;
}

/** Every endpoint that is paid for, by its path. A new one needs a sample here. */
export const INFERENCE_SAMPLES: Readonly<Record<string, InferenceSample>> = {
  "/v1/ai/request": own("every-talker"),
  "/v1/generate": own("every-talker"),
  "/v1/stream": own("every-talker"),
  "/v1/image": own("every-painter", false),
  "/v1/audio": own("every-speaker", false),
  "/v1/embeddings": own("every-embedder", false),
  "/openai/v1/chat/completions": streamable("every-talker", (model, content) => ({
    model,
    messages: [{ role: "user", content }],
  })),
  "/openai/v1/completions": streamable("every-talker", (model, prompt) => ({ model, prompt })),
  "/openai/v1/responses": streamable("every-talker", (model, input) => ({ model, input })),
  "/openai/v1/embeddings": {
    model: "every-embedder",
    givesWords: false,
    body: (model, input) => ({ model, input }),
  },
  "/openai/v1/rerank": {
    model: "every-ranker",
    givesWords: false,
    body: (model, query) => ({ model, query, documents: ["One document."] }),
  },
  "/openai/v1/images/generations": {
    model: "every-painter",
    givesWords: false,
    body: (model, prompt) => ({ model, prompt }),
  },
  "/openai/v1/images/edits": {
    model: "every-painter",
    givesWords: false,
    body: (model, prompt) => picture({ model, prompt }),
    empty: () => onlyField("size", "auto"),
  },
  "/openai/v1/images/variations": {
    model: "every-painter",
    givesWords: false,
    // A variation has no words but the file's name.
    body: (model, words) => picture({ model }, words),
    empty: () => onlyField("size", "auto"),
  },
  "/openai/v1/audio/speech": {
    model: "every-speaker",
    givesWords: false,
    body: (model, input) => ({ model, input, voice: "alloy" }),
  },
  "/openai/v1/audio/transcriptions": {
    model: "every-listener",
    givesWords: true,
    body: recording,
    streamed: (model, words) => {
      const form = recording(model, words);
      form.set("stream", "true");
      return form;
    },
    empty: () => onlyField("language", "en"),
  },
  "/openai/v1/audio/translations": {
    model: "every-listener",
    givesWords: true,
    body: recording,
    empty: () => onlyField("prompt", ""),
  },
  "/anthropic/v1/messages": streamable("every-talker", (model, content) => ({
    model,
    max_tokens: 100,
    messages: [{ role: "user", content }],
  })),
  "/ollama/api/chat": ollama((content) => ({ messages: [{ role: "user", content }] })),
  "/ollama/api/generate": ollama((prompt) => ({ prompt })),
  "/ollama/api/embed": {
    model: "every-embedder",
    givesWords: false,
    body: (model, input) => ({ model, input }),
  },
  "/gemini/v1beta/models/*:generateContent": gemini("v1beta", "generateContent"),
  "/gemini/v1beta/models/*:streamGenerateContent": gemini("v1beta", "streamGenerateContent"),
  "/gemini/v1beta/models/*:embedContent": embedding("v1beta"),
  "/gemini/v1beta/models/*:batchEmbedContents": embeddings("v1beta"),
  "/gemini/v1/models/*:embedContent": embedding("v1"),
  "/gemini/v1/models/*:batchEmbedContents": embeddings("v1"),
  "/gemini/v1/models/*:generateContent": gemini("v1", "generateContent"),
  "/gemini/v1/models/*:streamGenerateContent": gemini("v1", "streamGenerateContent"),
};

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** An upstream that does every kind of work, and says these words where it says any, in a stream in pieces of some length. */
export function answerEverything(words: string, pieceLength = words.length) {
  const pieces = words.match(new RegExp(`.{1,${Math.max(1, pieceLength)}}`, "gs")) ?? [];
  return (request: UpstreamRequest): UpstreamAnswer => {
    switch (request.path.replace("/v1/", "")) {
      case "chat/completions":
        return answerChat({ text: pieces })(request);
      case "embeddings":
        return {
          body: JSON.stringify({
            object: "list",
            data: [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }],
            usage: { prompt_tokens: 10, total_tokens: 10 },
          }),
        };
      case "rerank":
        return { body: JSON.stringify({ results: [{ index: 0, relevance_score: 0.5 }] }) };
      case "images/generations":
      case "images/edits":
      case "images/variations":
        return { body: JSON.stringify({ created: 1, data: [{ b64_json: PIXEL }] }) };
      case "audio/speech":
        return { headers: { "content-type": "audio/mpeg" }, body: Buffer.from([0xff, 0xfb, 0x90, 0x00]) };
      case "audio/transcriptions":
      case "audio/translations":
        return { body: JSON.stringify({ text: words }) };
      default:
        return { status: 404, body: "{}" };
    }
  };
}
