/** A stretch of an answer: a piece of code, or lines of text. */
export interface Block {
  readonly id: number;
  readonly kind: "code" | "text";
  readonly language: string;
  readonly text: string;
  /** Goes on where the one before ended, as that one grew too long. */
  readonly isContinued: boolean;
}

/** What is open longer than this is cut, so that drawing it again and again stays cheap. */
const LONGEST_OPEN = 12_000;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$/;

/** An item of a list, at any depth. */
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

interface Fence {
  readonly mark: string;
  readonly language: string;
}

/**
 * An answer as it comes. What can't change any more is a closed block and drawn once;
 * only the open end is looked at again, so that a very long answer costs no more than a short one.
 */
export class AnswerFeed {
  readonly #pieces: string[] = [];
  #closed: readonly Block[] = [];
  #open = "";
  #fence: Fence | undefined;
  #isContinued = false;

  push(piece: string): void {
    this.#pieces.push(piece);
    this.#open += piece;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  whole(): string {
    return this.#pieces.join("");
  }

  /** The blocks as they stand; the last one may still grow. */
  read(): { readonly closed: readonly Block[]; readonly open: Block | undefined } {
    const added: Block[] = [];
    while (this.#closeOne(added)) {
      // Each turn closes a block or enters or leaves a fence; when nothing is over, it ends.
    }
    if (added.length > 0) this.#closed = [...this.#closed, ...added];
    return { closed: this.#closed, open: this.#open === "" ? undefined : this.#blockOf(this.#open, 0) };
  }

  #closeOne(added: Block[]): boolean {
    const end = this.#open.indexOf("\n");
    if (end === -1 && this.#open.length <= LONGEST_OPEN) return false;
    return this.#fence === undefined ? this.#closeText(added) : this.#closeCode(added, this.#fence);
  }

  #closeText(added: Block[]): boolean {
    let start = 0;
    let isInList = false;
    let hasBlankLine = false;
    for (let end = this.#endOfLine(start); end !== -1; end = this.#endOfLine(start)) {
      const line = this.#open.slice(start, end);
      const fence = FENCE.exec(line);
      if (fence !== null) {
        this.#close(added, start);
        this.#open = this.#open.slice(line.length + 1);
        this.#fence = { mark: fence[1] ?? "```", language: (fence[2] ?? "").trim().split(/\s/)[0] ?? "" };
        this.#isContinued = false;
        return true;
      }
      const isBlank = line.trim() === "";
      // A list goes on after a blank line with its next item, or with what is indented.
      if (isBlank ? !isInList : hasBlankLine && !ITEM.test(line) && !/^\s/.test(line)) {
        this.#close(added, isBlank ? end + 1 : start);
        return true;
      }
      hasBlankLine = isBlank;
      isInList ||= ITEM.test(line);
      start = end + 1;
    }
    return this.#cutIfLong(added);
  }

  #closeCode(added: Block[], { mark }: Fence): boolean {
    let start = 0;
    for (let end = this.#endOfLine(start); end !== -1; end = this.#endOfLine(start)) {
      const line = this.#open.slice(start, end).trim();
      if (line.startsWith(mark) && line.replaceAll(mark[0] ?? "`", "") === "") {
        this.#close(added, start, true);
        this.#open = this.#open.slice(end - start + 1);
        this.#fence = undefined;
        this.#isContinued = false;
        return true;
      }
      start = end + 1;
    }
    return this.#cutIfLong(added);
  }

  /** Where a line ends. One that ends beyond the longest that stays open is cut first, whenever its end came. */
  #endOfLine(start: number): number {
    const end = this.#open.indexOf("\n", start);
    return end > LONGEST_OPEN ? -1 : end;
  }

  #cutIfLong(added: Block[]): boolean {
    if (this.#open.length <= LONGEST_OPEN) return false;
    const line = this.#open.lastIndexOf("\n", LONGEST_OPEN);
    this.#close(added, line > 0 ? line + 1 : LONGEST_OPEN);
    this.#isContinued = true;
    return true;
  }

  /** Closes what is open up to a place. Nothing but blank lines is no block, unless it is code. */
  #close(added: Block[], end: number, isCode = false): void {
    const text = this.#open.slice(0, end);
    this.#open = this.#open.slice(end);
    if (text.trim() !== "" || (isCode && !this.#isContinued)) added.push(this.#blockOf(text, added.length));
    this.#isContinued = false;
  }

  #blockOf(text: string, ahead: number): Block {
    return {
      id: this.#closed.length + ahead,
      kind: this.#fence === undefined ? "text" : "code",
      language: this.#fence?.language ?? "",
      text,
      isContinued: this.#isContinued,
    };
  }
}
