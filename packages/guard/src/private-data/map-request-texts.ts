import type { AnswerForm, Attachment, Content, Conversation, Message } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { wordsAttached } from "../decode/words-attached.ts";

/** How a text is written: as it is read, or as JSON. */
export type Writing = "plain" | "json";
type Change = (text: string, writing: Writing) => string;
type SchemaForm = Extract<AnswerForm, { readonly type: "schema" }>;

/** The same request with every text changed that a provider would read. What nothing is changed in stays the same object. */
export function mapTexts(inference: Inference, change: Change): Inference {
  const conversation = mapConversation(inference.conversation, change);
  const { extras, parameters } = inference;
  const fields = extras === undefined ? undefined : mapStrings(extras.fields, change);
  const stop = parameters.stop === undefined ? undefined : mapStrings(parameters.stop, change);
  const others = mapStrings(parameters.others, change);
  return {
    ...inference,
    conversation,
    parameters: { ...parameters, others, ...(stop === undefined ? {} : { stop }) },
    ...(extras === undefined || fields === undefined ? {} : { extras: { ...extras, fields } }),
  };
}

function mapConversation(conversation: Conversation, change: Change): Conversation {
  const { messages, tools, answerForm } = conversation;
  return {
    ...conversation,
    messages: messages.map((message) => mapMessage(message, change)),
    tools: tools.map((tool) => ({
      ...tool,
      description: change(tool.description, "plain"),
      inputSchema: mapStrings(tool.inputSchema, change),
    })),
    ...(answerForm?.type === "schema" ? { answerForm: mapForm(answerForm, change) } : {}),
  };
}

function mapForm(form: SchemaForm, change: Change): SchemaForm {
  const { schema, description } = form;
  return {
    ...form,
    schema: mapStrings(schema, change),
    ...(description === undefined ? {} : { description: change(description, "plain") }),
  };
}

function mapMessage(message: Message, change: Change): Message {
  return { ...message, content: message.content.map((content) => mapContent(content, change)) };
}

function mapContent(content: Content, change: Change): Content {
  switch (content.type) {
    case "text":
    case "thinking":
      return content.text === "" ? content : { ...content, text: change(content.text, "plain") };
    case "tool-call":
      return { ...content, arguments: change(content.arguments, "json") };
    case "tool-result": {
      const { attachments } = content;
      return {
        ...content,
        text: change(content.text, "plain"),
        ...(attachments === undefined
          ? {}
          : { attachments: attachments.map((file) => mapFile(file, change)) }),
      };
    }
    case "attachment":
      return mapFile(content, change);
  }
}

/** A file of words comes back as one of the same kind, in base64. */
function mapFile(file: Attachment, change: Change): Attachment {
  const named = file.name === undefined ? file : { ...file, name: change(file.name, "plain") };
  const words = wordsAttached(file);
  if (words === undefined) return named;
  const changed = change(words, "plain");
  if (changed === words) return named;
  const type = /^data:([^;,]*)/i.exec(file.url)?.[1] ?? "";
  return { ...named, url: `data:${type};base64,${Buffer.from(changed, "utf8").toString("base64")}` };
}

/** Every string inside a value of JSON's, names of fields aside. */
function mapStrings<Value>(value: Value, change: Change): Value;
function mapStrings(value: unknown, change: Change): unknown {
  if (typeof value === "string") return change(value, "plain");
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapStrings(field, change)]));
}
