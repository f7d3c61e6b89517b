import {
  type Attachment,
  type Content,
  type Conversation,
  type Message,
  type Tool,
  textOfContent,
} from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import { attachmentText } from "../decode/attachment-text.ts";

/** A text of a request, as it is evaluated. */
export interface Passage {
  text: string;
  readonly channel: Channel;
  /** Where it begins in `textOf` the conversation; undefined: it is not part of that text. */
  readonly offset: number | undefined;
}

/**
 * How a field is evaluated: "words" as the application's own words, "inside" by the fields in it. The others hold no text
 * that a provider reads: "unsent" fields stay here, "listed" ones are one of a fixed list or checked against one, and
 * "number" also stands for true and false.
 */
type Treatment = "words" | "inside" | "unsent" | "listed" | "number";
type Treatments<Fields> = Readonly<Record<keyof Fields, Treatment>>;

/**
 * How each field of a request is evaluated, whatever wire format it came in. Every provider's request is made from these
 * fields alone, so a field that is added must be added here.
 */
export const INFERENCE_FIELDS = {
  conversation: "inside",
  parameters: "inside",
  extras: "words",
  task: "unsent",
  model: "listed",
  fallbacks: "listed",
  strategy: "listed",
  preferences: "unsent",
  streaming: "number",
  batch: "unsent",
  cache: "unsent",
  session: "unsent",
  sessionIsImplied: "unsent",
  continues: "unsent",
  cascade: "unsent",
  preset: "unsent",
  tags: "unsent",
  dropped: "unsent",
} as const satisfies Treatments<Inference>;

const PARAMETER_FIELDS = {
  maxTokens: "number",
  temperature: "number",
  size: "listed",
  voice: "words",
  format: "words",
  topP: "number",
  topK: "number",
  stop: "words",
  seed: "number",
  frequencyPenalty: "number",
  presencePenalty: "number",
  choices: "number",
  logprobs: "number",
  thinking: "listed",
  dimensions: "number",
  tokens: "number",
  pace: "number",
  others: "words",
} as const satisfies Treatments<Parameters>;

const CONVERSATION_FIELDS = {
  messages: "inside",
  tools: "inside",
  // The name of one of the tools.
  toolChoice: "listed",
  parallelToolCalls: "number",
  answerForm: "words",
} as const satisfies Treatments<Conversation>;

const TOOL_FIELDS = {
  name: "words",
  description: "words",
  inputSchema: "words",
  strict: "number",
  cache: "listed",
} as const satisfies Treatments<Tool>;

const namesOfWords = <Fields>(treatments: Treatments<Fields>): readonly (keyof Fields)[] =>
  (Object.keys(treatments) as (keyof Fields)[]).filter((name) => treatments[name] === "words");

const INFERENCE_WORDS = namesOfWords<Inference>(INFERENCE_FIELDS);
const PARAMETER_WORDS = namesOfWords<Parameters>(PARAMETER_FIELDS);
const CONVERSATION_WORDS = namesOfWords<Conversation>(CONVERSATION_FIELDS);
const TOOL_WORDS = namesOfWords<Tool>(TOOL_FIELDS);

/** The names of voices and formats, and most words that end an answer, are shorter. No request fits into it. */
const SHORT_CHARACTERS = 12;

/** Every text of a request that a provider would read, in the channel in which it is evaluated. */
export function requestPassages(inference: Inference): Passage[] {
  const { conversation, parameters } = inference;
  const passages = plainPassages(conversation.messages) ?? messagePassages(conversation.messages);
  for (const tool of conversation.tools) addWords(passages, collectFields(tool, TOOL_WORDS, ""));
  let words = collectFields(conversation, CONVERSATION_WORDS, "");
  words = collectFields(parameters, PARAMETER_WORDS, words);
  addWords(passages, collectFields(inference, INFERENCE_WORDS, words));
  return passages;
}

function addWords(passages: Passage[], text: string): void {
  if (text.length > SHORT_CHARACTERS) passages.push({ text, channel: "application", offset: undefined });
}

function collectFields<Fields>(fields: Fields, names: readonly (keyof Fields)[], words: string): string {
  let collected = words;
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined) collected = collectWords(value, collected);
  }
  return collected;
}

/** The strings in a JSON value and the names of its fields, one per line. Short ones would only dilute the others. */
function collectWords(value: unknown, words: string): string {
  if (typeof value === "string")
    return value.length <= SHORT_CHARACTERS ? words : words === "" ? value : `${words}\n${value}`;
  if (typeof value !== "object" || value === null) return words;
  let collected = words;
  if (Array.isArray(value)) {
    for (const item of value) collected = collectWords(item, collected);
    return collected;
  }
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const field = (value as Readonly<Record<string, unknown>>)[name];
    collected = collectWords(field, collectWords(name, collected));
  }
  return collected;
}

/** The passages of messages that have one text each, as most have; undefined: others are among them. */
function plainPassages(messages: readonly Message[]): Passage[] | undefined {
  // Of this size from the start: a list that grows takes several times the room.
  const passages = new Array<Passage>(messages.length);
  let offset = 0;
  for (let place = 0; place < messages.length; place += 1) {
    const message = messages[place];
    const only = message?.content[0];
    if (message?.content.length !== 1 || only?.type !== "text" || only.text === "") return undefined;
    passages[place] = { text: only.text, channel: channelOf(message.role, only), offset };
    offset += only.text.length + 1;
  }
  return passages;
}

/** Adjacent texts of one message are one passage: an attack split into two content parts is still one attack. */
function messagePassages(messages: readonly Message[]): Passage[] {
  const passages: Passage[] = [];
  let offset = 0;
  for (const message of messages) {
    let open: Passage | undefined;
    for (const content of message.content) {
      if (content.type !== "text") addWordsBeside(passages, message.role, content);
      const text = textOfContent(content);
      if (text === "") continue;
      const channel = channelOf(message.role, content);
      if (content.type === "tool-call") {
        addWords(passages, wordsOfArguments(text));
        open = undefined;
        offset += text.length + 1;
        continue;
      }
      if (open !== undefined && open.channel === channel) {
        open.text += `\n${text}`;
      } else {
        open = { text, channel, offset };
        passages.push(open);
      }
      offset += text.length + 1;
    }
  }
  return passages;
}

/** The strings in a call's arguments, or all of them where they are no JSON. */
function wordsOfArguments(text: string): string {
  if (text.length <= SHORT_CHARACTERS) return "";
  try {
    return collectWords(JSON.parse(text), "");
  } catch {
    return text;
  }
}

/** Whose words the text of a piece of content is. What a model answered before is what the application says it did. */
function channelOf(role: Message["role"], { type }: Content): Channel {
  if (type === "tool-result" || role === "tool") return "document";
  return role === "user" && type === "text" ? "user" : "application";
}

/** What a provider gets of a piece of content besides its text. */
function addWordsBeside(passages: Passage[], role: Message["role"], content: Content): void {
  switch (content.type) {
    case "attachment":
      addAttachment(passages, role, content);
      break;
    case "thinking":
      addOpaque(passages, content.signature);
      addOpaque(passages, content.sealed);
      break;
    case "tool-call":
      addOpaque(passages, content.id);
      addOpaque(passages, content.name);
      addOpaque(passages, content.signature);
      break;
    case "tool-result":
      addOpaque(passages, content.id);
      addOpaque(passages, content.name);
      if (content.attachments !== undefined)
        for (const attachment of content.attachments) addAttachment(passages, "tool", attachment);
  }
}

/** Four words or more, however they are joined, or letters beyond ASCII. */
const HOLDS_WORDS = /[A-Za-z]{2,}(?:[^A-Za-z]+[A-Za-z]{1,}){3}|[^\0-\x7f]/;

/** An id, a tool's name or a signature: usually no text, but nothing keeps it from being one. */
function addOpaque(passages: Passage[], value: string | undefined): void {
  if (value !== undefined && value.length > SHORT_CHARACTERS && value.length <= OPAQUE_MAX && HOLDS_WORDS.test(value))
    passages.push({ text: spaced(value), channel: "application", offset: undefined });
}

/** Longer ones are signatures, and no text is hidden in one that its provider would accept. */
const OPAQUE_MAX = 4096;

/** Six words or more: fewer are a host and a file. */
const ADDRESS_HOLDS_WORDS = /[A-Za-z]{2,}(?:[^A-Za-z]+[A-Za-z]{1,}){5}|[^\0-\x7f]/;

/** A text file is read by the model like other text. So are a file's name and its address. */
function addAttachment(passages: Passage[], role: Message["role"], attachment: Attachment): void {
  const text = attachmentText(attachment) ?? "";
  const isQuoted = role === "user" || role === "tool";
  if (text !== "") passages.push({ text, channel: isQuoted ? "document" : "application", offset: undefined });
  // The words that an SVG image shows, without its markup around them.
  if (attachment.kind === "image" && text.includes("<"))
    passages.push({ text: text.replace(/<[^>]*>/g, " "), channel: "application", offset: undefined });
  const channel = role === "tool" ? "document" : role === "user" ? "user" : "application";
  const { url, name = "" } = attachment;
  const comma = /^data:/i.test(url) ? url.indexOf(",") : -1;
  // Of a data URL, what comes before the data: its type and parameters.
  const address = comma === -1 ? percentDecoded(url.replace(/^https:\/\//i, "")) : url.slice(0, comma);
  if (ADDRESS_HOLDS_WORDS.test(address)) passages.push({ text: spaced(address), channel, offset: undefined });
  if (HOLDS_WORDS.test(name)) passages.push({ text: spaced(name), channel, offset: undefined });
}

function percentDecoded(url: string): string {
  if (!url.includes("%")) return url;
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Words that are joined as in names and addresses, as separate words. */
function spaced(text: string): string {
  return text.replace(/[-_+/=&?.%:#]+/g, " ").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
}
