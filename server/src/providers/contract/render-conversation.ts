import {
  type AnswerForm,
  type Content,
  type Conversation,
  type Tool,
  textOf,
} from "../../domain/conversation.ts";

const FENCE_LENGTH_MIN = 3;

/**
 * A conversation as one text, for providers that take nothing else. A plain question stays as it is; anything more
 * gets a heading for each message, and nothing of it is dropped. Attachments travel beside the text and are only
 * pointed at, by their place among all attachments.
 */
export function renderConversation(conversation: Conversation): string {
  if (isPlain(conversation)) return textOf(conversation);
  const fence = "=".repeat(Math.max(FENCE_LENGTH_MIN, longestFenceIn(conversation) + 1));
  const section = (title: string, lines: readonly string[]) =>
    [`${fence} ${title} ${fence}`, ...lines].join("\n");
  let attachments = 0;
  const sections = conversation.messages.map(({ role, content }) =>
    section(
      role,
      content.map((piece) => {
        if (piece.type === "attachment") attachments += 1;
        return renderContent(piece, attachments);
      }),
    ),
  );
  if (conversation.tools.length > 0) sections.unshift(section("tools", conversation.tools.map(renderTool)));
  if (conversation.answerForm !== undefined)
    sections.push(section("form of the answer", renderForm(conversation.answerForm)));
  return sections.join("\n\n");
}

function renderForm(form: AnswerForm): string[] {
  if (form.type === "json") return ["Answer with one JSON object, and with nothing else."];
  return ["Answer with JSON that follows this schema, and with nothing else:", JSON.stringify(form.schema)];
}

function isPlain({ messages, tools, answerForm }: Conversation): boolean {
  const [only] = messages;
  return (
    messages.length === 1 &&
    only?.role === "user" &&
    only.content.every(({ type }) => type === "text" || type === "attachment") &&
    tools.length === 0 &&
    answerForm === undefined
  );
}

function renderContent(content: Content, attachmentNumber: number): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "thinking":
      return `(thinks) ${content.text}`;
    case "attachment":
      return `(attachment ${attachmentNumber}: ${content.kind})`;
    case "tool-call":
      return `(calls the tool ${content.name}, call ${content.id}) ${content.arguments}`;
    case "tool-result":
      return `(result of call ${content.id}) ${content.text}`;
  }
}

function renderTool({ name, description, inputSchema }: Tool): string {
  const schema = inputSchema === undefined ? "" : `\n  input: ${JSON.stringify(inputSchema)}`;
  return `- ${name}: ${description}${schema}`;
}

/** The longest row of equals signs that starts a line: a heading that is longer can't be forged within a message. */
function longestFenceIn({ messages, tools }: Conversation): number {
  const texts = messages.flatMap(({ content }) => content.map((piece) => renderContent(piece, 0)));
  const rows = [...texts, ...tools.map(renderTool)].flatMap((text) => text.match(/^=+/gm) ?? []);
  return rows.reduce((longest, row) => Math.max(longest, row.length), 0);
}
