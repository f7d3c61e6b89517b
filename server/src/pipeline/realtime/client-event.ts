import type { Attachment, Content, Message, Tool } from "@trunkline/core/conversation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isObject, type JsonObject, objectField, objectItems } from "@trunkline/core/json-object.ts";
import { parseStrictJson } from "@trunkline/core/strict-json.ts";

/** What a client may send. Other events could do what is neither judged nor charged. */
const CLIENT_EVENTS: ReadonlySet<string> = new Set([
  "session.update",
  "input_audio_buffer.append",
  "input_audio_buffer.commit",
  "input_audio_buffer.clear",
  "output_audio_buffer.clear",
  "conversation.item.create",
  "conversation.item.retrieve",
  "conversation.item.truncate",
  "conversation.item.delete",
  "response.create",
  "response.cancel",
]);

/** An event of a client, in OpenAI's format. */
export interface ClientEvent {
  readonly type: string;
  /** The client's own id for it. */
  readonly id: string | undefined;
  readonly fields: JsonObject;
}

/** Reads an event. Throws a fault where it can't be passed on. */
export function readClientEvent(text: string): ClientEvent {
  const fields = parseStrictJson(text);
  if (!isObject(fields)) throw new Fault("invalid_request", "Send events as JSON objects.");
  const { type, event_id: id } = fields;
  if (typeof type !== "string" || !CLIENT_EVENTS.has(type))
    throw new Fault("invalid_request", "This type of event is unknown here.", { param: "type" });
  const session = objectField(fields, "session");
  if (session.type === "transcription")
    throw new Fault("invalid_request", "Sessions that only write speech down are not supported here.", {
      param: "session.type",
    });
  // A stored prompt is text that only the provider knows, and may name another model.
  for (const name of ["session", "response"])
    if ((objectField(fields, name).prompt ?? null) !== null)
      throw new Fault("invalid_request", "Stored prompts can't be used here. Send the instructions themselves.", {
        param: `${name}.prompt`,
      });
  return { type, id: typeof id === "string" ? id : undefined, fields: withoutModel(fields) };
}

/** A session stays with the model that it was opened for, at that model's price. */
function withoutModel(fields: JsonObject): JsonObject {
  const kept: Record<string, unknown> = { ...fields };
  for (const name of ["session", "response"]) {
    const { model, ...others } = objectField(fields, name);
    if (model !== undefined) kept[name] = others;
  }
  return kept;
}

/** The texts of an event that its provider reads, as the safety check judges them. */
export interface EventContent {
  readonly instructions: string | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[] | undefined;
  /** Everything else that holds text. */
  readonly others: JsonObject;
  /** The bytes of the audio in it. */
  readonly audioBytes: number;
}

export function contentOf({ type, fields }: ClientEvent): EventContent {
  if (type === "input_audio_buffer.append") {
    const { audio, ...others } = fields;
    return { instructions: undefined, messages: [], tools: undefined, others, audioBytes: audioBytesOf(audio) };
  }
  const place = type === "session.update" ? "session" : type === "response.create" ? "response" : undefined;
  const settings = place === undefined ? {} : objectField(fields, place);
  const { instructions, tools, input, ...otherSettings } = settings;
  const items = type === "conversation.item.create" ? [objectField(fields, "item")] : objectItems(input);
  const read = items.map(readItem);
  const { item: _item, session: _session, response: _response, ...rest } = fields;
  return {
    instructions: typeof instructions === "string" ? instructions : undefined,
    messages: read.map(({ message }) => message),
    tools: Array.isArray(tools) ? objectItems(tools).map(toTool) : undefined,
    others: { ...rest, settings: otherSettings, items: read.map(({ others }) => others) },
    audioBytes: read.reduce((sum, { audioBytes }) => sum + audioBytes, 0),
  };
}

function toTool({ name, description, ...others }: JsonObject): Tool {
  return { name: textOr(name), description: textOr(description), inputSchema: others };
}

interface ReadItem {
  readonly message: Message;
  readonly others: JsonObject;
  readonly audioBytes: number;
}

/** An item of a conversation. */
function readItem(item: JsonObject): ReadItem {
  const { type, role, content, output, arguments: given, ...rest } = item;
  if (type === "function_call_output") {
    const result: Content = { type: "tool-result", id: textOr(rest.call_id), text: textOr(output) };
    return { message: { role: "tool", content: [result] }, others: rest, audioBytes: 0 };
  }
  if (type === "function_call") {
    const call: Content = {
      type: "tool-call",
      id: textOr(rest.call_id),
      name: textOr(rest.name),
      arguments: textOr(given),
    };
    return { message: { role: "assistant", content: [call] }, others: rest, audioBytes: 0 };
  }
  const contents: Content[] = [];
  const others: JsonObject[] = [];
  let audioBytes = 0;
  for (const { text, transcript, audio, image_url: url, ...otherFields } of objectItems(content)) {
    for (const value of [text, transcript])
      if (typeof value === "string" && value !== "") contents.push({ type: "text", text: value });
    if (typeof url === "string") contents.push(toImage(url));
    audioBytes += audioBytesOf(audio);
    others.push(otherFields);
  }
  return {
    message: { role: roleOf(role), content: contents },
    others: { ...rest, output, arguments: given, content: others },
    audioBytes,
  };
}

function toImage(url: string): Attachment {
  return { type: "attachment", kind: "image", url };
}

function roleOf(role: unknown): Message["role"] {
  return role === "system" || role === "assistant" ? role : "user";
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** Of audio in base64. */
export function audioBytesOf(audio: unknown): number {
  return typeof audio === "string" ? Math.floor((audio.length * 3) / 4) : 0;
}
