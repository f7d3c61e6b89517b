/** What a client asks, whatever wire format it came in. `input: string` is one user message with one text. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Which tools the model may or must call; undefined: it decides. */
  readonly toolChoice?: ToolChoice | undefined;
  /** false: one call at a time; undefined: as the provider is used to. */
  readonly parallelToolCalls?: boolean | undefined;
  /** The form that the answer must have; undefined: any text. */
  readonly answerForm?: AnswerForm | undefined;
}

export interface Message {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: readonly Content[];
}

export type Content = TextContent | Attachment | ThinkingContent | ToolCallContent | ToolResultContent;

/** Where a provider may keep everything up to here in its cache, as the client marked it. */
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
  /** How closely an image is looked at. */
  readonly detail?: "low" | "high" | "auto" | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

/** What a model thought before it answered, as it gave it out: to be handed back to it unchanged. */
export interface ThinkingContent {
  readonly type: "thinking";
  readonly text: string;
  /** By which the provider knows its own thoughts again. */
  readonly signature?: string | undefined;
  /** Thoughts that only the provider can read; then there is no text. */
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
  /** Of the call that this answers. */
  readonly id: string;
  /** The tool's name, where the format says it. */
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

/** The conversation of a plain input, with what was attached to it. */
export function conversationOf(input: string, attachments: readonly Content[] = []): Conversation {
  return {
    messages: [{ role: "user", content: [{ type: "text", text: input }, ...attachments] }],
    tools: [],
  };
}

/** The conversation of several texts that belong together and are worked on one by one, as for embeddings. */
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

/** All words of a conversation, in order. What is counted, priced and rendered for text-only providers. */
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

/** The words of one piece of content. */
export function textOfContent(content: Content): string {
  if (content.type === "attachment") return "";
  return content.type === "tool-call" ? content.arguments : content.text;
}

/** Everything attached to a conversation, in order. */
export function attachmentsOf(conversation: Conversation): Attachment[] {
  const attachments: Attachment[] = [];
  for (const message of conversation.messages) {
    for (const content of message.content) {
      if (content.type === "attachment") attachments.push(content);
      else if (content.type === "tool-result") attachments.push(...(content.attachments ?? []));
    }
  }
  return attachments;
}
