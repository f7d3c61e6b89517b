import type { Upstream } from "../support/scripted-upstream.ts";
import type { StartedService } from "../support/started-service.ts";
import type { ClientFormat } from "./clients.ts";
import { type Feature, SAMPLE } from "./features.ts";
import type { ProviderFormat } from "./provider-format.ts";

/** What became of one feature between a client's format and a provider's. */
export type Cell =
  /** It was seen to arrive on both sides, each in its own form. */
  | "proven"
  /** The provider has no place for it: it was told in words instead. */
  | "in words"
  /** The client's format has no word for it. */
  | "not in the client's format"
  /** The provider's format has no place for it, and the answer's header says so. */
  | "dropped and listed"
  /** The provider's format never tells it. */
  | "not in the provider's format";

/** Told to the provider as text, as its format knows nothing else. */
const IN_WORDS: ReadonlySet<Feature> = new Set(["system", "tools", "tool-stream", "tool-result", "schema"]);
/** Nothing has to be asked of the provider for these. */
const NOT_ASKED: ReadonlySet<Feature> = new Set(["text", "stream", "cached", "error"]);

/** Tries a feature over HTTP. Throws where it is lost in silence. */
export async function tryCell(
  service: StartedService,
  upstream: Upstream,
  client: ClientFormat,
  provider: ProviderFormat,
  feature: Feature,
): Promise<Cell> {
  const order = client.ask(feature, `matrix-${provider.wire}`);
  if (order === undefined) return "not in the client's format";
  upstream.requests.length = 0;
  upstream.answer(() => provider.answer(feature));
  const answer = await service.call("POST", order.path, order.body);
  const where = `${feature}, ${client.name} to ${provider.name}`;
  if (feature === "error") {
    const status = order.path.startsWith("/v1/") ? 502 : 400;
    if (answer.status !== status || !answer.text.includes(SAMPLE.complaint))
      throw new Error(`${where}: the provider's error came out as ${answer.status} ${answer.text}`);
    return "proven";
  }
  if (answer.status !== 200) throw new Error(`${where}: ${answer.status} ${answer.text}`);
  const [request] = upstream.requests;
  const dropped = answer.headers.get("x-trunkline-dropped");
  const place = provider.placeOf[feature];
  if (place === undefined && !NOT_ASKED.has(feature)) {
    if (dropped === null) throw new Error(`${where}: it was lost in silence`);
    return "dropped and listed";
  }
  if (place !== undefined && (request === undefined || !place(request))) {
    if (dropped !== null) return "dropped and listed";
    throw new Error(`${where}: the provider was not told: ${request?.body.toString()}`);
  }
  if (!hasArrived(feature, answer.text)) {
    if (feature === "cached" || (feature === "thinking" && provider.wire === "trunkline"))
      return "not in the provider's format";
    if (dropped !== null) return "dropped and listed";
    throw new Error(`${where}: the client was not told: ${answer.text}`);
  }
  return provider.wire === "trunkline" && IN_WORDS.has(feature) ? "in words" : "proven";
}

/** Whether the client's answer holds what the feature promises. */
function hasArrived(feature: Feature, text: string): boolean {
  const spoken = wordsIn(text);
  switch (feature) {
    case "tools":
    case "tool-stream":
      return text.includes(SAMPLE.tool) && text.includes(SAMPLE.city);
    case "schema":
      return spoken.includes(SAMPLE.json);
    case "thinking":
      return spoken.includes(SAMPLE.thought) && spoken.includes(SAMPLE.answer);
    case "n":
      return spoken.split(SAMPLE.answer).length === 3;
    case "logprobs":
      return text.includes("-0.25");
    case "cached":
      return new RegExp(`"\\w*cache[\\w]*"\\s*:\\s*${SAMPLE.cachedTokens}\\b`, "i").test(text);
    default:
      return spoken.includes(SAMPLE.answer);
  }
}

/** Under these names stands what was said, in one format or another. */
const SPOKEN: ReadonlySet<string> = new Set(["content", "text", "delta", "output", "thinking", "reasoning_content"]);

/** All words of an answer, whole or in pieces. */
function wordsIn(text: string): string {
  const objects = text
    .split("\n")
    .map((line) => line.replace(/^data: /, ""))
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as unknown);
  return objects.map(wordsUnder).join("");
}

function wordsUnder(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsUnder).join("");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, inner]) => (typeof inner === "string" ? (SPOKEN.has(name) ? inner : "") : wordsUnder(inner)))
    .join("");
}
