import { type Conversation, type Message, textOfContent } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Redactions } from "../private-data/redactions.ts";
import { CharacterNgramIndex, WordNgramIndex } from "./ngram-index.ts";

/**
 * How sure what is found in an answer beside its words makes us. The presets report from HINT on; `strict` refuses
 * LIKELY, and `balanced` refuses what is CERTAIN alone.
 */
export const HINT = 0.55;
export const LIKELY = 0.7;
export const CERTAIN = 0.95;

/** More of a prompt than this is not remembered: a leak of the rest begins with it, or is of no use. */
const PROMPT_CHARACTERS_MAX = 65_536;
/** What a request says that wants to see code. */
const ABOUT_CODE =
  /\b(?:html|css|javascript|typescript|js|jsx|tsx|react|vue|svelte|angular|svg|xml|xss|markup|markdown|iframe|embed|tags?|scripts?|code|snippet|component|web ?(?:page|site|app)|website|template|newsletter|form|button|widget|php|dom|regex|program|function)\b/i;

/** What was asked, as far as it matters for judging the answer. Each thing is worked out when it is first needed. */
export class AnswerContext {
  readonly #conversation: Conversation;
  readonly #redactions: Pick<Redactions, "placeholders" | "placeholderOf">;
  readonly #isCode: boolean;
  readonly #mayCallProviderTools: boolean;
  #promptIndex: { readonly index: WordNgramIndex | undefined } | undefined;
  #openIndex: WordNgramIndex | undefined;
  #conversationIndex: CharacterNgramIndex | undefined;
  #expectsCode: boolean | undefined;

  /** `vault`: the caller's own values that were taken out of the request, and are put back into the answer. */
  constructor(
    { conversation, task, extras }: Pick<Inference, "conversation" | "task" | "extras">,
    redactions: Pick<Redactions, "placeholders" | "placeholderOf">,
  ) {
    this.#conversation = conversation;
    this.#redactions = redactions;
    this.#isCode = task.kind === "code";
    this.#mayCallProviderTools = Object.keys(extras?.fields ?? {}).some((field) =>
      /tool|server|connector/i.test(field),
    );
  }

  /** The passages of what the application told the model; undefined where that is nothing worth hiding. */
  get promptIndex(): WordNgramIndex | undefined {
    this.#promptIndex ??= {
      index: WordNgramIndex.of(this.#textOf(isPromptMessage).slice(0, PROMPT_CHARACTERS_MAX)),
    };
    return this.#promptIndex.index;
  }

  /** Whether these words are the caller's own, or of a document: whoever repeats them leaks no prompt. */
  isFromOpenMessages(passage: string): boolean {
    this.#openIndex ??= WordNgramIndex.of(this.#textOf(isOpenMessage)) ?? WordNgramIndex.EMPTY;
    return this.#openIndex.containsAll(passage);
  }

  /** Everything that was said. */
  get conversationIndex(): CharacterNgramIndex {
    this.#conversationIndex ??= new CharacterNgramIndex(this.#textOf(() => true));
    return this.#conversationIndex;
  }

  /** Whether the caller wants to see code, in which markup is the answer itself. */
  get expectsCode(): boolean {
    this.#expectsCode ??=
      this.#isCode || ABOUT_CODE.test(this.#textOf(({ role }) => role === "user" || isPromptMessage({ role })));
    return this.#expectsCode;
  }

  /** Whether the answer is to be JSON. */
  get expectsJson(): boolean {
    return this.#conversation.answerForm !== undefined;
  }

  /** Whether a value is the caller's own. */
  isCallerValue(value: string): boolean {
    return this.#redactions.placeholderOf(value) !== undefined;
  }

  /** Whether a value of the caller's will be put into this address. It is read up to its first closing bracket. */
  containsPlaceholder(url: string): boolean {
    return this.#redactions.placeholders.some((placeholder) => url.includes(placeholder.slice(0, -1)));
  }

  /** Whether nobody asked for a call of this tool. */
  isToolNotOffered(tool: string): boolean {
    const { tools, toolChoice } = this.#conversation;
    if (this.#mayCallProviderTools) return false;
    return toolChoice === "none" || !tools.some(({ name }) => name === tool);
  }

  #textOf(matters: (message: Pick<Message, "role">) => boolean): string {
    return this.#conversation.messages
      .filter(matters)
      .flatMap(({ content }) => content.map(textOfContent))
      .join("\n");
  }
}

function isPromptMessage({ role }: Pick<Message, "role">): boolean {
  return role === "system" || role === "developer";
}

function isOpenMessage({ role }: Pick<Message, "role">): boolean {
  return role === "user" || role === "tool";
}
