import { type Conversation, type Message, wordsOfContent } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Vault } from "../private-data/vault.ts";
import { PassageIndex } from "./passage-index.ts";
import { SaidText } from "./said-text.ts";

/** More of a prompt than this is not remembered: a leak of the rest begins with it, or is of no use. */
const PROMPT_CHARACTERS_MAX = 65_536;
/** What a request says that wants to see code. */
const ABOUT_CODE =
  /\b(?:html|css|javascript|typescript|js|jsx|tsx|react|vue|svelte|angular|svg|xml|xss|markup|markdown|iframe|embed|tags?|scripts?|code|snippet|component|web ?(?:page|site|app)|website|template|newsletter|form|button|widget|php|dom|regex|program|function)\b/i;

/** What was asked, as far as it matters for judging the answer. Each thing is worked out when it is first needed. */
export class AnswerContext {
  readonly #conversation: Conversation;
  readonly #vault: Pick<Vault, "placeholders" | "placeholderOf">;
  readonly #isCode: boolean;
  readonly #mayCallOthers: boolean;
  #leakable: { readonly index: PassageIndex | undefined } | undefined;
  #own: PassageIndex | undefined;
  #said: SaidText | undefined;
  #wantsCode: boolean | undefined;

  /** `vault`: the caller's own values that were taken out of the request, and are put back into the answer. */
  constructor(
    { conversation, task, extras }: Pick<Inference, "conversation" | "task" | "extras">,
    vault: Pick<Vault, "placeholders" | "placeholderOf">,
  ) {
    this.#conversation = conversation;
    this.#vault = vault;
    this.#isCode = task.kind === "code";
    this.#mayCallOthers = Object.keys(extras?.fields ?? {}).some((field) =>
      /tool|server|connector/i.test(field),
    );
  }

  /** The passages of what the application told the model; undefined where that is nothing worth hiding. */
  get leakable(): PassageIndex | undefined {
    this.#leakable ??= { index: PassageIndex.of(this.#words(isPrompt).slice(0, PROMPT_CHARACTERS_MAX)) };
    return this.#leakable.index;
  }

  /** Whether these words are the caller's own, or of a document: whoever repeats them leaks no prompt. */
  wasSaidOpenly(passage: string): boolean {
    this.#own ??= PassageIndex.of(this.#words(isOpen)) ?? PassageIndex.EMPTY;
    return this.#own.holds(passage);
  }

  /** Everything that was said. */
  get said(): SaidText {
    this.#said ??= new SaidText(this.#words(() => true));
    return this.#said;
  }

  /** Whether the caller wants to see code, in which markup is the answer itself. */
  get wantsCode(): boolean {
    this.#wantsCode ??=
      this.#isCode || ABOUT_CODE.test(this.#words(({ role }) => role === "user" || isPrompt({ role })));
    return this.#wantsCode;
  }

  /** Whether the answer is to be JSON. */
  get wantsJson(): boolean {
    return this.#conversation.answerForm !== undefined;
  }

  /** Whether a value is the caller's own. */
  isOwn(value: string): boolean {
    return this.#vault.placeholderOf(value) !== undefined;
  }

  /** Whether a value of the caller's will be put into this address. It is read up to its first closing bracket. */
  holdsPlaceholder(url: string): boolean {
    return this.#vault.placeholders.some((placeholder) => url.includes(placeholder.slice(0, -1)));
  }

  /** Whether nobody asked for a call of this tool. */
  isUnasked(tool: string): boolean {
    const { tools, toolChoice } = this.#conversation;
    if (this.#mayCallOthers) return false;
    return toolChoice === "none" || !tools.some(({ name }) => name === tool);
  }

  #words(matters: (message: Pick<Message, "role">) => boolean): string {
    return this.#conversation.messages
      .filter(matters)
      .flatMap(({ content }) => content.map(wordsOfContent))
      .join("\n");
  }
}

function isPrompt({ role }: Pick<Message, "role">): boolean {
  return role === "system" || role === "developer";
}

function isOpen({ role }: Pick<Message, "role">): boolean {
  return role === "user" || role === "tool";
}
