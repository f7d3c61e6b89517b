import type { Part, TextPart, ThinkingPart } from "@trunkline/core/parts.ts";

/**
 * Cuts a streamed answer into sections. A section of text ends with the first paragraph or sentence that ends after `characters`
 * of them, and at the latest after twice as many. Everything else is never cut: a tool call goes with the section that is
 * complete next.
 */
export class AnswerSections {
  readonly #characters: number;
  #held: Part[] = [];
  /** Where the text of a choice that may go on stands among them, by choice. */
  readonly #growing = new Map<number, number>();

  constructor(characters: number) {
    this.#characters = characters;
  }

  /** Adds the next part. True where a section is complete, which is to be taken before more is added. */
  add(part: Part): boolean {
    if (isText(part)) return this.#addText(part);
    this.#held.push(part);
    // Usage may arrive at any time and does not end a text.
    if (part.type !== "usage") this.#growing.delete("choice" in part ? (part.choice ?? 0) : 0);
    return false;
  }

  #addText(part: TextPart | ThinkingPart): boolean {
    const choice = part.choice ?? 0;
    const place = this.#growing.get(choice);
    const known = place === undefined ? undefined : this.#held[place];
    if (place === undefined || known?.type !== part.type) {
      this.#growing.set(choice, this.#held.push(part) - 1);
      return this.#endOf(part.text) !== undefined;
    }
    const text = known.text + part.text;
    this.#held[place] = { ...known, ...part, text };
    return this.#endOf(text) !== undefined;
  }

  /** Whether a section is complete. */
  get isDue(): boolean {
    for (const place of this.#growing.values()) {
      const part = this.#held[place];
      if (part !== undefined && isText(part) && this.#endOf(part.text) !== undefined) return true;
    }
    return false;
  }

  /** Takes the section that is complete. Texts that have not reached their end stay. */
  take(): readonly Part[] {
    const held = this.#held;
    const places = new Set(this.#growing.values());
    const section: Part[] = [];
    this.#held = [];
    this.#growing.clear();
    for (const [place, part] of held.entries()) {
      if (!places.has(place) || !isText(part)) {
        section.push(part);
        continue;
      }
      const end = this.#endOf(part.text) ?? 0;
      // The signature of a reasoning comes with the last piece of it.
      if (end > 0) section.push({ ...withoutSignature(part), text: part.text.slice(0, end) });
      if (end === part.text.length && !hasSignature(part)) continue;
      this.#growing.set(part.choice ?? 0, this.#held.push({ ...part, text: part.text.slice(end) }) - 1);
    }
    return section;
  }

  /** Takes all that is left: the answer has ended. */
  takeRest(): readonly Part[] {
    const rest = this.#held;
    this.#held = [];
    this.#growing.clear();
    return rest;
  }

  /** Where the section that a text begins with ends; undefined: not yet. */
  #endOf(text: string): number | undefined {
    if (text.length < this.#characters) return undefined;
    const most = this.#characters * 2;
    SENTENCE_END.lastIndex = this.#characters - 1;
    const end = SENTENCE_END.exec(text);
    if (end !== null && SENTENCE_END.lastIndex <= most) return SENTENCE_END.lastIndex;
    return text.length < most ? undefined : wordEnd(text, most, this.#characters);
  }
}

/** A line's end, or a full stop in any script: in those that have spaces, one follows it (`3.14` is no sentence's end). */
const SENTENCE_END = /\n|[.!?…]["'”’»)\]]*\s|[。！？｡।؟]["'”’」』）]*/gu;

function wordEnd(text: string, most: number, least: number): number {
  for (let at = most; at > least; at -= 1) if (/\s/u.test(text.charAt(at - 1))) return at;
  // A character of two units is not cut.
  const code = text.charCodeAt(most);
  return code >= 0xdc00 && code < 0xe000 ? most - 1 : most;
}

function isText(part: Part): part is TextPart | ThinkingPart {
  return part.type === "text" || (part.type === "thinking" && part.sealed === undefined);
}

function hasSignature(part: TextPart | ThinkingPart): boolean {
  return part.type === "thinking" && part.signature !== undefined;
}

function withoutSignature(part: TextPart | ThinkingPart): TextPart | ThinkingPart {
  return hasSignature(part) ? { type: "thinking", text: part.text, choice: part.choice } : part;
}
