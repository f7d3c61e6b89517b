import type { Conversation, Tool } from "@trunkline/core/conversation.ts";

const TOOL_CALL_EXAMPLE = '{"tool_calls":[{"name":"the tool\'s name","arguments":{"its":"input"}}]}';

/** A tool as a provider without tools reads of it. */
export function renderTool({ name, description, inputSchema }: Tool): string {
  const schema = inputSchema === undefined ? "" : `\n  input: ${JSON.stringify(inputSchema)}`;
  return `- ${name}: ${description}${schema}`;
}

/** How the tools of a conversation are called, for a model that can only write; its answer is read back by these rules. */
export function renderToolInstructions({ toolChoice, parallelToolCalls }: Conversation): string[] {
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
