import type { AnswerForm, Attachment, Content, Conversation, Message } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { attachmentText } from "../decode/attachment-text.ts";

/** How a text is encoded in the request. */
export type TextFormat = "plain" | "json";
type ChangeText = (text: string, textFormat: TextFormat) => string;
type SchemaForm = Extract<AnswerForm, { readonly type: "schema" }>;

/** Maps every text of a request that a provider would read. Unchanged attachments stay the same object. */
export function mapRequestTexts(inference: Inference, changeText: ChangeText): Inference {
  const conversation = mapConversation(inference.conversation, changeText);
  const { extras, parameters } = inference;
  const fields = extras === undefined ? undefined : mapStrings(extras.fields, changeText);
  const stop = parameters.stop === undefined ? undefined : mapStrings(parameters.stop, changeText);
  const others = mapStrings(parameters.others, changeText);
  return {
    ...inference,
    conversation,
    parameters: { ...parameters, others, ...(stop === undefined ? {} : { stop }) },
    ...(extras === undefined || fields === undefined ? {} : { extras: { ...extras, fields } }),
  };
}

function mapConversation(conversation: Conversation, changeText: ChangeText): Conversation {
  const { messages, tools, answerForm } = conversation;
  return {
    ...conversation,
    messages: messages.map((message) => mapMessage(message, changeText)),
    tools: tools.map((tool) => ({
      ...tool,
      description: changeText(tool.description, "plain"),
      inputSchema: mapStrings(tool.inputSchema, changeText),
    })),
    ...(answerForm?.type === "schema" ? { answerForm: mapForm(answerForm, changeText) } : {}),
  };
}

function mapForm(form: SchemaForm, changeText: ChangeText): SchemaForm {
  const { schema, description } = form;
  return {
    ...form,
    schema: mapStrings(schema, changeText),
    ...(description === undefined ? {} : { description: changeText(description, "plain") }),
  };
}

function mapMessage(message: Message, changeText: ChangeText): Message {
  return { ...message, content: message.content.map((content) => mapContent(content, changeText)) };
}

function mapContent(content: Content, changeText: ChangeText): Content {
  switch (content.type) {
    case "text":
    case "thinking":
      return content.text === "" ? content : { ...content, text: changeText(content.text, "plain") };
    case "tool-call":
      return { ...content, arguments: changeText(content.arguments, "json") };
    case "tool-result": {
      const { attachments } = content;
      return {
        ...content,
        text: changeText(content.text, "plain"),
        ...(attachments === undefined ? {} : { attachments: attachments.map((file) => mapFile(file, changeText)) }),
      };
    }
    case "attachment":
      return mapFile(content, changeText);
  }
}

/** A changed text file keeps its media type and is encoded in base64. */
function mapFile(file: Attachment, changeText: ChangeText): Attachment {
  const named = file.name === undefined ? file : { ...file, name: changeText(file.name, "plain") };
  const words = attachmentText(file);
  if (words === undefined) return named;
  const changed = changeText(words, "plain");
  if (changed === words) return named;
  const type = /^data:([^;,]*)/i.exec(file.url)?.[1] ?? "";
  return { ...named, url: `data:${type};base64,${Buffer.from(changed, "utf8").toString("base64")}` };
}

/** Maps every string inside a JSON value except field names. */
function mapStrings<Value>(value: Value, changeText: ChangeText): Value;
function mapStrings(value: unknown, changeText: ChangeText): unknown {
  if (typeof value === "string") return changeText(value, "plain");
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, changeText));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapStrings(field, changeText)]));
}
