import { makeWav } from "@trunkline/testing/make-wav.ts";
import { answerAgent } from "../agents/agent-upstream.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../support/scripted-upstream.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const SPEECH = Buffer.from(makeWav({ bytes: 16_000 }).split(",")[1] ?? "", "base64");
export const PICTURE = Buffer.from(PIXEL, "base64");

const MODELS = ["gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-4o-mini", "text-embedding-3-small"];

/** Stands in for the providers that the pages name: it answers in their formats, from this machine. */
export function answerForProviders(request: UpstreamRequest): UpstreamAnswer {
  const path = request.path.split("?")[0] ?? "";
  if (/\/models$/.test(path) && request.headers.authorization !== undefined)
    return json({ object: "list", data: MODELS.map((id) => ({ id, object: "model" })) });
  if (/\/embeddings$/.test(path)) {
    const inputs: unknown[] = [request.json.input].flat();
    const data = inputs.map((_, index) => ({ object: "embedding", index, embedding: [0.6, 0.8] }));
    return json({ object: "list", model: "vectors", data, usage: { prompt_tokens: 4, total_tokens: 4 } });
  }
  if (/\/rerank$/.test(path)) {
    const documents: unknown[] = request.json.documents;
    const results = documents.map((_, index) => ({ index, relevance_score: 1 - index / 10 })).toReversed();
    return json({ id: "1", results, meta: { billed_units: { search_units: 1 } } });
  }
  if (/\/audio\/transcriptions$/.test(path))
    return json({ text: "Good morning.", usage: { type: "duration", seconds: 1 } });
  if (/\/images\//.test(path)) return json({ created: 1, data: [{ b64_json: PIXEL }] });
  if (/\/moderations$/.test(path))
    return json({ id: "1", model: "m", results: [{ flagged: false, category_scores: {} }] });
  if (request.body.includes("with the field city")) return answerChat({ text: '{"city": "Paris"}' })(request);
  return answerAgent(request);
}

const json = (body: unknown): UpstreamAnswer => ({ body: JSON.stringify(body) });
