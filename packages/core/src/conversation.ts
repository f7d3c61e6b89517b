/** A client's request content, independent of its wire format. `input: string` is one user message with one text. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Which tools the model may or must call; undefined: the model decides. */
  readonly toolChoice?: ToolChoice | undefined;
  /** false: at most one tool call per answer; undefined: the provider's default. */
  readonly parallelToolCalls?: boolean | undefined;
  /** The format that the answer must have; undefined: plain text. */
  readonly answerForm?: AnswerForm | undefined;
}

export interface Message {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: readonly Content[];
}

export type Content = TextContent | Attachment | ThinkingContent | ToolCallContent | ToolResultContent;

/** A point that the client marked: the provider may cache everything up to it. */
export interface CacheBreakpoint {
  readonly ttl: "5m" | "1h" | undefined;
}

export interface TextContent {
  readonly type: "text";
  readonly text: string;
  readonly cache?: CacheBreakpoint | undefined;
}

export interface Attachment {
  readonly type: "attachment";
  readonly kind: "image" | "audio" | "file";
  /** An https or data URL. */
  readonly url: string;
  readonly name?: string | undefined;
  /** The resolution at which the model sees an image. */
  readonly detail?: "low" | "high" | "auto" | undefined;
  readonly cache?: CacheBreakpoint | undefined;
  /** Shows by its transparent area which part of the image before it is to be changed. */
  readonly isMask?: boolean | undefined;
}

/** A model's reasoning as it was returned, to be sent back to the same provider unchanged. */
export interface ThinkingContent {
  readonly type: "thinking";
  readonly text: string;
  /** By which the provider recognises its own reasoning. */
  readonly signature?: string | undefined;
  /** Encrypted reasoning that only the provider can read; then `text` is empty. */
  readonly sealed?: string | undefined;
}

export interface ToolCallContent {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  readonly signature?: string | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

export interface ToolResultContent {
  readonly type: "tool-result";
  /** The id of the call that this is the result of. */
  readonly id: string;
  /** The tool's name, where the wire format includes it. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly isError?: boolean | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export type AnswerForm =
  | { readonly type: "json" }
  | {
      readonly type: "schema";
      readonly name: string;
      readonly schema: unknown;
      readonly description?: string | undefined;
      readonly strict?: boolean | undefined;
    };

/** The conversation of a plain input with attachments. */
export function conversationOf(input: string, attachments: readonly Content[] = []): Conversation {
  return {
    messages: [{ role: "user", content: [{ type: "text", text: input }, ...attachments] }],
    tools: [],
  };
}

/** The conversation of several texts that are processed separately, as for embeddings. */
export function conversationOfTexts(texts: readonly string[]): Conversation {
  return {
    messages: [{ role: "user", content: texts.map((text) => ({ type: "text", text })) }],
    tools: [],
  };
}

/** The texts of such a conversation, in order. */
export function textsOf(conversation: Conversation): string[] {
  return conversation.messages.flatMap(({ content }) =>
    content.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])),
  );
}

/** All text of a conversation, in order. This is what is counted, priced, and rendered for text-only providers. */
export function textOf(conversation: Conversation): string {
  const first = conversation.messages[0];
  if (conversation.messages.length === 1 && first?.content.length === 1 && first.content[0]?.type === "text") {
    return first.content[0].text;
  }
  return conversation.messages
    .flatMap((message) => message.content)
    .map(textOfContent)
    .filter((text) => text !== "")
    .join("\n");
}

/** The text of one piece of content. */
export function textOfContent(content: Content): string {
  if (content.type === "attachment") return "";
  return content.type === "tool-call" ? content.arguments : content.text;
}

/** All attachments of a conversation, in order. */
export function attachmentsOf(conversation: Conversation): readonly Attachment[] {
  let attachments: Attachment[] | undefined;
  for (const message of conversation.messages) {
    for (const content of message.content) {
      if (content.type !== "attachment" && content.type !== "tool-result") continue;
      attachments ??= [];
      if (content.type === "attachment") attachments.push(content);
      else attachments.push(...(content.attachments ?? []));
    }
  }
  return attachments ?? NO_ATTACHMENTS;
}

const NO_ATTACHMENTS: readonly Attachment[] = [];
