/** What a client asks, whatever wire format it came in. `input: string` is one user message with one text. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** A JSON schema that the answer must follow. */
  readonly outputSchema: unknown;
}

export interface Message {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: readonly Content[];
}

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "attachment"; readonly kind: "image" | "audio" | "file"; readonly url: string }
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "tool-result"; readonly id: string; readonly text: string };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** The conversation of a plain input, with what was attached to it. */
export function conversationOf(input: string, attachments: readonly Content[] = []): Conversation {
  return {
    messages: [{ role: "user", content: [{ type: "text", text: input }, ...attachments] }],
    tools: [],
    outputSchema: undefined,
  };
}

/** All words of a conversation, in order. What is counted, priced and rendered for text-only providers. */
export function textOf(conversation: Conversation): string {
  const first = conversation.messages[0];
  if (
    conversation.messages.length === 1 &&
    first?.content.length === 1 &&
    first.content[0]?.type === "text"
  ) {
    return first.content[0].text;
  }
  return conversation.messages
    .flatMap((message) => message.content)
    .map((content) => {
      if (content.type === "attachment") return "";
      return content.type === "tool-call" ? content.arguments : content.text;
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** Everything attached to a conversation, in order. */
export function attachmentsOf(conversation: Conversation) {
  return conversation.messages.flatMap((message) =>
    message.content.filter((content) => content.type === "attachment"),
  );
}
