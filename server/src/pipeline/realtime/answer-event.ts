import { isObject, type JsonObject, objectField, objectItems } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { ReportedUsage } from "@trunkline/core/usage.ts";

/** The names of OpenAI's current and first version of the protocol. */
const TEXT_DELTAS: ReadonlySet<unknown> = new Set([
  "response.output_text.delta",
  "response.output_audio_transcript.delta",
  "response.text.delta",
  "response.audio_transcript.delta",
]);
const AUDIO_DELTAS: ReadonlySet<unknown> = new Set(["response.output_audio.delta", "response.audio.delta"]);

/** An event of a provider, as JSON; undefined where it is none. */
export function readProviderEvent(text: string): JsonObject | undefined {
  try {
    const event: unknown = JSON.parse(text);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

/** The response that an event belongs to, by its id. */
export function responseIdOf(event: JsonObject): string | undefined {
  const id = event.response_id ?? objectField(event, "response").id;
  return typeof id === "string" ? id : undefined;
}

/** The item that an event is about, by its id. */
export function itemIdOf(event: JsonObject): string | undefined {
  const id = event.item_id ?? objectField(event, "item").id;
  return typeof id === "string" ? id : undefined;
}

/** The next piece of a text and its place in the answer; undefined: the event has none. */
export function textDeltaOf(event: JsonObject): { readonly place: string; readonly text: string } | undefined {
  if (!TEXT_DELTAS.has(event.type) || typeof event.delta !== "string") return undefined;
  return { place: `${String(event.item_id)} ${String(event.content_index)}`, text: event.delta };
}

/** The next piece of audio, in base64; undefined: the event has none. */
export function audioDeltaOf(event: JsonObject): string | undefined {
  return AUDIO_DELTAS.has(event.type) && typeof event.delta === "string" ? event.delta : undefined;
}

/** The event of a response that is done, with what it cost in credits. */
export function withCost(event: JsonObject, cost: number): JsonObject {
  const response = objectField(event, "response");
  return { ...event, response: { ...response, usage: { ...objectField(response, "usage"), cost } } };
}

/** What an event says as complete, wherever it stands: a text, or a call of a tool. */
export type WholePiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly given: string };

export function wholePiecesOf(event: JsonObject): WholePiece[] {
  const pieces: WholePiece[] = [];
  addTexts(event, pieces);
  addTexts(objectField(event, "part"), pieces);
  addItem(objectField(event, "item"), pieces);
  for (const item of objectItems(objectField(event, "response").output)) addItem(item, pieces);
  if (event.type === "response.function_call_arguments.done") addCall(event, pieces);
  return pieces;
}

function addItem(item: JsonObject, pieces: WholePiece[]): void {
  // A call that has only begun has no arguments yet.
  if (item.type === "function_call" && item.status !== "in_progress") addCall(item, pieces);
  for (const content of objectItems(item.content)) addTexts(content, pieces);
}

function addTexts({ text, transcript }: JsonObject, pieces: WholePiece[]): void {
  for (const value of [text, transcript])
    if (typeof value === "string" && value !== "") pieces.push({ type: "text", text: value });
}

function addCall({ call_id: id, name, arguments: given }: JsonObject, pieces: WholePiece[]): void {
  if (typeof given !== "string" || given === "") return;
  pieces.push({ type: "call", id: String(id), name: typeof name === "string" ? name : "", given });
}

/** The name of the tool that a call is begun for, by the call's id; undefined: the event begins no call. */
export function begunCallOf(event: JsonObject): { readonly id: string; readonly name: string } | undefined {
  const { type, call_id: id, name } = objectField(event, "item");
  if (type !== "function_call" || typeof id !== "string" || typeof name !== "string") return undefined;
  return { id, name };
}

/** What was written down of the user's speech; undefined: the event says nothing of that. */
export function transcriptOf({ type, transcript }: JsonObject): string | undefined {
  if (type !== "conversation.item.input_audio_transcription.completed") return undefined;
  return typeof transcript === "string" ? transcript : "";
}

/** A usage as the provider reports it; undefined where it reports none. */
export function toReportedUsage(usage: unknown): ReportedUsage | undefined {
  if (!isObject(usage)) return undefined;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cachedInputTokens: objectField(usage, "input_token_details").cached_tokens,
  };
}

/** Why the provider could not complete a response; undefined where it did, or where someone cancelled it. */
export function failureOf(response: JsonObject): ProviderFailure | undefined {
  if (response.status !== "failed") return undefined;
  const { code, message } = objectField(objectField(response, "status_details"), "error");
  const kind = /rate_limit/.test(String(code)) ? "rate-limited" : "broken";
  return new ProviderFailure(kind, "could not complete its response", {
    said: typeof message === "string" ? message.slice(0, 200) : undefined,
  });
}
