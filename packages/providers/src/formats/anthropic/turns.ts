import type { Content, Message, TextContent } from "@trunkline/core/conversation.ts";

/** A turn of a conversation in which user and assistant alternate. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly Content[];
}

export interface Turns {
  /** What was said before the conversation began. */
  readonly instructions: readonly TextContent[];
  readonly turns: readonly Turn[];
}

/** Said for the user where a conversation does not begin with one, as these formats insist on it. */
const OPENING_TURN: Turn = {
  role: "user",
  content: [{ type: "text", text: "(The conversation starts here.)" }],
};

/**
 * A conversation as turns that begin with the user's and alternate. Instructions in the middle stay where they are: as
 * a turn of their own where the model takes such, otherwise in the user's turn, marked as what they are.
 */
export function toTurns(messages: readonly Message[], takesSystemTurns: boolean): Turns {
  const instructions: TextContent[] = [];
  const raw: Turn[] = [];
  for (const { role, content } of messages) {
    const said = content.filter((piece) => piece.type !== "text" || piece.text !== "");
    if (role === "system" || role === "developer") {
      const texts = said.filter((piece) => piece.type === "text");
      const rest = said.filter((piece) => piece.type !== "text");
      if (raw.length === 0) instructions.push(...texts);
      else appendTurn(raw, { role: "system", content: texts });
      // Only words can be instructions: what is attached to them is shown by the user.
      appendTurn(raw, { role: "user", content: rest });
    } else {
      appendTurn(raw, { role: role === "assistant" ? "assistant" : "user", content: said });
    }
  }
  const turns: Turn[] = [];
  for (const [at, turn] of raw.entries()) {
    const fits = turns.at(-1)?.role === "user" && raw[at + 1]?.role !== "user";
    if (turn.role !== "system" || (takesSystemTurns && fits)) appendTurn(turns, turn);
    else appendTurn(turns, { role: "user", content: turn.content.map(markAsSystem) });
  }
  if (turns[0]?.role !== "user") turns.unshift(OPENING_TURN);
  return { instructions, turns: turns.map(toolResultsFirst) };
}

/** Two turns of one role are one. */
function appendTurn(turns: Turn[], turn: Turn): void {
  if (turn.content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === turn.role)
    turns[turns.length - 1] = { ...last, content: [...last.content, ...turn.content] };
  else turns.push(turn);
}

function markAsSystem(content: Content): Content {
  return content.type === "text" ? { ...content, text: `<system>\n${content.text}\n</system>` } : content;
}

/** The results of tools have to answer their calls before anything else is said. */
function toolResultsFirst(turn: Turn): Turn {
  const isResult = ({ type }: Content) => type === "tool-result";
  if (turn.role !== "user" || !turn.content.some(isResult)) return turn;
  const others = turn.content.filter((content) => !isResult(content));
  return { ...turn, content: [...turn.content.filter(isResult), ...others] };
}
