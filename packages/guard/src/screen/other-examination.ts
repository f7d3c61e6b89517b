import { isObject } from "@trunkline/core/json-object.ts";
import type { LogprobsPart, MediaPart, TimingsPart, ToolCallPart } from "@trunkline/core/parts.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { VerdictTally } from "../policy/verdict-tally.ts";
import type { EditableText } from "../private-data/editable-text.ts";
import type { TextScreen } from "./text-screen.ts";

/** The length of a piece of a long part. Shorter parts are screened at once. */
export const PIECE_CHARACTERS = 128;

/**
 * Examines, piece by piece, texts that belong to the answer but not to its text, so that spans would be meaningless, and
 * then searches one of them for values to redact.
 */
export class OtherExamination {
  readonly #texts: readonly string[];
  readonly #createScreen: () => TextScreen;
  readonly #verdicts: VerdictTally;
  readonly #startSearch: (() => EditableText) | undefined;
  #index = 0;
  #at = 0;
  #screen: TextScreen | undefined;
  #search: EditableText | undefined;

  constructor(
    texts: readonly string[],
    createScreen: () => TextScreen,
    verdicts: VerdictTally,
    startSearch?: () => EditableText,
  ) {
    this.#texts = texts.filter((text) => text !== "");
    this.#createScreen = createScreen;
    this.#verdicts = verdicts;
    this.#startSearch = startSearch;
  }

  /** The values to redact; undefined: nothing is redacted. */
  get search(): EditableText | undefined {
    return this.#search;
  }

  /** Examines the next piece; returns whether there is more to examine. Throws the refusal. */
  next(): boolean {
    const text = this.#texts[this.#index];
    if (text === undefined) {
      this.#search ??= this.#startSearch?.();
      return this.#search?.next() ?? false;
    }
    this.#screen ??= this.#createScreen();
    const end = this.#at + PIECE_CHARACTERS;
    const isLast = end >= text.length;
    try {
      this.#screen.read(text.slice(this.#at, end), !isLast);
      if (isLast) this.#screen.flush();
    } catch (error) {
      this.#verdicts.add(withoutSpans(this.#screen.verdict), 0);
      throw error;
    }
    this.#at = end;
    if (!isLast) return true;
    this.#verdicts.add(withoutSpans(this.#screen.verdict), 0);
    this.#screen = undefined;
    this.#index += 1;
    this.#at = 0;
    return true;
  }
}

export function withoutSpans(verdict: Verdict): Verdict {
  return { ...verdict, spans: [] };
}

const DEPTH_MAX = 32;
/** Media data and references to it. */
const NON_TEXT_FIELDS = new Set(["url", "b64_json", "data", "image_url", "id", "expires_at"]);

/** The arguments of a tool call without escapes. */
export function toolCallText({ arguments: text }: ToolCallPart): string {
  if (!text.includes("\\")) return text;
  try {
    const words: string[] = [];
    collectStrings(JSON.parse(text), words, 0);
    return words.join("\n");
  } catch {
    // Not JSON: the text is examined as it is.
    return text;
  }
}

/** The text beside an image or a recording: the revised prompt or the transcript. */
export function mediaText({ source }: MediaPart): string {
  const words: string[] = [];
  for (const [name, value] of Object.entries(source)) if (!NON_TEXT_FIELDS.has(name)) collectStrings(value, words, 0);
  return words.join("\n");
}

/** The tokens of an answer as text, and the alternatives of each rank. */
export function logprobsTexts({ content }: LogprobsPart): string[] {
  const texts: string[] = [];
  for (const entry of content) {
    if (!isObject(entry)) continue;
    const alternatives = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : [];
    for (const [rank, token] of [entry, ...alternatives].entries()) {
      const word = isObject(token) && typeof token.token === "string" ? token.token : "";
      texts[rank] = (texts[rank] ?? "") + word;
    }
  }
  return texts.map((text) => text ?? "");
}

/** The segments of a transcript together, and its words together. */
export function timingsTexts({ language = "", segments = [], words = [] }: TimingsPart): readonly string[] {
  const textsOf = (pieces: readonly Readonly<Record<string, unknown>>[]) => {
    const strings: string[] = [];
    for (const piece of pieces) for (const value of Object.values(piece)) collectStrings(value, strings, 0);
    return strings.join(" ");
  };
  return [language, textsOf(segments), textsOf(words)];
}

function collectStrings(value: unknown, words: string[], depth: number): void {
  if (typeof value === "string") words.push(value);
  else if (typeof value === "object" && value !== null && depth < DEPTH_MAX)
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) words.push(name);
      collectStrings(inner, words, depth + 1);
    }
}
