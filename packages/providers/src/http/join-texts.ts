import type { Part, ThinkingPart } from "@trunkline/core/parts.ts";

/** If more parts than this arrive together, their texts are joined: each costs as much to pass on as a longer one. */
export const APART_MAX = 64;

export function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text" && last.choice === part.choice)
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else if (isPlainThought(part) && last?.type === "thinking" && isPlainThought(last) && last.choice === part.choice)
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

function isPlainThought(part: Part): part is ThinkingPart {
  return part.type === "thinking" && part.signature === undefined && part.sealed === undefined;
}
