import {
  type AnswerForm,
  type Attachment,
  type Content,
  type Conversation,
  type Tool,
  textOf,
} from "@trunkline/core/conversation.ts";

const FENCE_LENGTH_MIN = 3;

/** Refers to the next attachment by its position among all of them. */
type ReferToAttachment = (attachment: Attachment) => string;

/**
 * A conversation as one text, for providers that accept nothing else. A plain question stays unchanged; anything more
 * gets a heading for each message, and nothing is dropped. Attachments are sent beside the text, which refers to them
 * by their position.
 */
export function renderConversation(conversation: Conversation): string {
  if (isPlainQuestion(conversation)) return textOf(conversation);
  const { messages, tools, answerForm } = conversation;
  const fence = "=".repeat(Math.max(FENCE_LENGTH_MIN, longestFenceIn(conversation) + 1));
  const section = (title: string, lines: readonly string[]) => [`${fence} ${title} ${fence}`, ...lines].join("\n");
  const referToAttachment = numberAttachments();
  const sections = messages.map(({ role, content }) =>
    section(
      role,
      content.map((piece) => renderContent(piece, referToAttachment)),
    ),
  );
  if (tools.length > 0) {
    sections.unshift(section("tools", tools.map(renderTool)));
    sections.push(section("how to call a tool", renderToolInstructions(conversation)));
  }
  if (answerForm !== undefined) {
    const mayCall = tools.length > 0 && conversation.toolChoice !== "none";
    sections.push(section("form of the answer", renderResponseFormat(answerForm, mayCall)));
  }
  return sections.join("\n\n");
}

function renderResponseFormat(form: AnswerForm, mayCall: boolean): string[] {
  const start = mayCall ? "Unless you call a tool, answer" : "Answer";
  if (form.type === "json") return [`${start} with one JSON object, and with nothing else.`];
  const described = form.description === undefined ? [] : [form.description];
  return [
    `${start} with JSON that follows this schema, and with nothing else:`,
    JSON.stringify(form.schema),
    ...described,
  ];
}

function isPlainQuestion({ messages, tools, answerForm }: Conversation): boolean {
  const [only] = messages;
  return (
    messages.length === 1 &&
    only?.role === "user" &&
    only.content.every(({ type }) => type === "text" || type === "attachment") &&
    tools.length === 0 &&
    answerForm === undefined
  );
}

function numberAttachments(): ReferToAttachment {
  let count = 0;
  return ({ kind, name }) => {
    count += 1;
    return `(attachment ${count}: ${kind}${name === undefined ? "" : ` ${JSON.stringify(name)}`})`;
  };
}

function renderContent(content: Content, referToAttachment: ReferToAttachment): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "thinking":
      return `(thinks) ${content.text}`;
    case "attachment":
      return referToAttachment(content);
    case "tool-call":
      return `(calls the tool ${content.name}, call ${content.id}) ${content.arguments}`;
    case "tool-result": {
      const what = content.isError === true ? "error" : "result";
      return [
        `(${what} of call ${content.id}) ${content.text}`,
        ...(content.attachments ?? []).map(referToAttachment),
      ].join("\n");
    }
  }
}

/** The longest row of equals signs at the start of a line: a longer heading can't be forged within a message. */
function longestFenceIn({ messages, tools, answerForm }: Conversation): number {
  const referToAttachment = numberAttachments();
  const texts = messages.flatMap(({ content }) => content.map((piece) => renderContent(piece, referToAttachment)));
  const forms = answerForm === undefined ? [] : renderResponseFormat(answerForm, false);
  const rows = [...texts, ...tools.map(renderTool), ...forms].flatMap((text) => text.match(/^=+/gm) ?? []);
  return rows.reduce((longest, row) => Math.max(longest, row.length), 0);
}

const TOOL_CALL_EXAMPLE = '{"tool_calls":[{"name":"the tool\'s name","arguments":{"its":"input"}}]}';

/** A tool's description for a provider without tools. */
function renderTool({ name, description, inputSchema }: Tool): string {
  const schema = inputSchema === undefined ? "" : `\n  input: ${JSON.stringify(inputSchema)}`;
  return `- ${name}: ${description}${schema}`;
}

/** How to call the tools, for a model that can only write text. Its answer is parsed by these rules. */
function renderToolInstructions({ toolChoice, parallelToolCalls }: Conversation): string[] {
  if (toolChoice === "none") return ["Call no tool now. Answer in words."];
  return [
    `To call a tool, answer with nothing but one JSON object of this form: ${TOOL_CALL_EXAMPLE}`,
    parallelToolCalls === false
      ? "Put exactly one call into the list."
      : "Put several calls into the list where they do not depend on each other.",
    renderToolChoice(toolChoice),
  ];
}

function renderToolChoice(choice: Conversation["toolChoice"]): string {
  if (choice === "required") return "You must call at least one tool now.";
  if (typeof choice === "object") return `You must call the tool ${JSON.stringify(choice.name)} now.`;
  return "Where no tool is needed, answer in words.";
}
