import { type Conversation, type Message, textOfContent } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { JUDGEABLE_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Redactions } from "../private-data/redactions.ts";
import { CharacterNgramIndex, WordNgramIndex } from "./ngram-index.ts";

/**
 * Scores of findings outside the text of an answer. The presets report from HINT on; `strict` refuses LIKELY, and
 * `balanced` refuses only CERTAIN.
 */
export const HINT = 0.55;
export const LIKELY = 0.7;
export const CERTAIN = 0.95;

/** The number of characters of a prompt that are indexed. A leak of the rest begins with them or is of no use. */
const PROMPT_CHARACTERS_MAX = 65_536;
/** Words of a request that asks for code. */
const ABOUT_CODE =
  /\b(?:html|css|javascript|typescript|js|jsx|tsx|react|vue|svelte|angular|svg|xml|xss|markup|markdown|iframe|embed|tags?|scripts?|code|snippet|component|web ?(?:page|site|app)|website|template|newsletter|form|button|widget|php|dom|regex|program|function)\b/i;

/** A request that scores as much in a category is not plainly harmless. */
const DOUBTFUL_SCORE = 0.2;

/** What the screening of an answer needs to know about the request. Everything is computed on first use. */
export class AnswerContext {
  readonly #conversation: Conversation;
  readonly #redactions: Pick<Redactions, "placeholders" | "placeholderOf">;
  readonly #isCode: boolean;
  readonly #extras: Inference["extras"];
  /** Whether the request gives no reason to expect an unsafe answer. */
  readonly isHarmlessRequest: boolean;
  #promptIndex: { readonly index: WordNgramIndex | undefined } | undefined;
  #openIndex: WordNgramIndex | undefined;
  #conversationIndex: CharacterNgramIndex | undefined;
  #expectsCode: boolean | undefined;

  /**
   * `redactions`: the caller's own values that were redacted from the request and are restored in the answer.
   * `requestVerdict`: undefined where nothing of a stream may leave before what follows it was examined.
   */
  constructor(
    { conversation, task, extras }: Pick<Inference, "conversation" | "task" | "extras">,
    redactions: Pick<Redactions, "placeholders" | "placeholderOf">,
    requestVerdict?: Verdict,
  ) {
    this.#conversation = conversation;
    this.#redactions = redactions;
    this.#isCode = task.kind === "code";
    this.#extras = extras;
    this.isHarmlessRequest = requestVerdict !== undefined && isHarmless(requestVerdict);
  }

  /** The word n-grams of the application's prompt; undefined if there is nothing worth protecting. */
  get promptIndex(): WordNgramIndex | undefined {
    this.#promptIndex ??= {
      index: WordNgramIndex.of(this.#textOf(isPromptMessage).slice(0, PROMPT_CHARACTERS_MAX)),
    };
    return this.#promptIndex.index;
  }

  /** Whether a passage also occurs in the caller's messages or in a document, so that repeating it leaks no prompt. */
  isFromOpenMessages(passage: string): boolean {
    this.#openIndex ??= WordNgramIndex.of(this.#textOf(isOpenMessage)) ?? WordNgramIndex.EMPTY;
    return this.#openIndex.containsAll(passage);
  }

  /** The character n-grams of the whole conversation. */
  get conversationIndex(): CharacterNgramIndex {
    this.#conversationIndex ??= new CharacterNgramIndex(this.#textOf(() => true));
    return this.#conversationIndex;
  }

  /** Whether the caller asked for code, in which markup is the answer itself. */
  get expectsCode(): boolean {
    this.#expectsCode ??=
      this.#isCode || ABOUT_CODE.test(this.#textOf(({ role }) => role === "user" || isPromptMessage({ role })));
    return this.#expectsCode;
  }

  /** Whether the answer must be JSON. */
  get expectsJson(): boolean {
    return this.#conversation.answerForm !== undefined;
  }

  /** Whether a value is the caller's own. */
  isCallerValue(value: string): boolean {
    return this.#redactions.placeholderOf(value) !== undefined;
  }

  /** Whether a value of the caller will be restored in this URL. A URL is read up to its first closing bracket. */
  containsPlaceholder(url: string): boolean {
    return this.#redactions.placeholders.some((placeholder) => url.includes(placeholder.slice(0, -1)));
  }

  /** Whether the request did not offer this tool. */
  isToolNotOffered(tool: string): boolean {
    const { tools, toolChoice } = this.#conversation;
    if (this.#mayCallProviderTools()) return false;
    return toolChoice === "none" || !tools.some(({ name }) => name === tool);
  }

  #mayCallProviderTools(): boolean {
    return Object.keys(this.#extras?.fields ?? {}).some((field) => /tool|server|connector/i.test(field));
  }

  #textOf(filter: (message: Pick<Message, "role">) => boolean): string {
    let text: string | undefined;
    for (const message of this.#conversation.messages) {
      if (!filter(message)) continue;
      for (const content of message.content)
        text = text === undefined ? textOfContent(content) : `${text}\n${textOfContent(content)}`;
    }
    return text ?? "";
  }
}

function isPromptMessage({ role }: Pick<Message, "role">): boolean {
  return role === "system" || role === "developer";
}

function isOpenMessage({ role }: Pick<Message, "role">): boolean {
  return role === "user" || role === "tool";
}

function isHarmless({ categories }: Verdict): boolean {
  for (const category of JUDGEABLE_CATEGORIES) if ((categories[category] ?? 0) >= DOUBTFUL_SCORE) return false;
  return true;
}
