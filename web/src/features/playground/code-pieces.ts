/** A piece of code and what it is, such as `string`; undefined: nothing worth a colour. */
export interface CodePiece {
  readonly scope: string | undefined;
  readonly text: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** What the highlighter wrote as markup, as pieces of text: the page never reads markup that an answer had a part in. */
export function piecesOf(markup: string): readonly CodePiece[] {
  const pieces: CodePiece[] = [];
  const open: string[] = [];
  for (const part of markup.split(/(<span class="[^"]*">|<\/span>)/)) {
    const scope = /^<span class="hljs-([\w-]+)/.exec(part)?.[1];
    if (scope !== undefined) open.push(scope);
    else if (part === "</span>") open.pop();
    else if (part !== "") pieces.push({ scope: open.at(-1), text: part.replace(/&(?:\w+|#x27);/g, characterOf) });
  }
  return pieces;
}

function characterOf(escaped: string): string {
  return ESCAPES[escaped] ?? escaped;
}
