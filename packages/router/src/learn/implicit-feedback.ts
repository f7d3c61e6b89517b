import { createHash } from "node:crypto";
import { type Content, type Conversation, textOfContent } from "@trunkline/core/conversation.ts";
import { DECAY } from "./learning-store.ts";

const MAX_ACCOUNTS = 10_000;
/** As if so many answers without a complaint had gone before: what happened once is not usual yet. */
const PRIOR_ANSWERS = 10;

interface AccountCounts {
  answers: number;
  flawed: number;
  repeated: number;
}

/**
 * How often an account's answers usually are none, and how often it usually asks for another one. Both are signs of
 * quality only where they differ from what is usual: who asks for everything twice says nothing by it.
 */
export class BaselineRates {
  readonly #accounts = new Map<string, AccountCounts>();
  readonly #maxAccounts: number;

  constructor(most = MAX_ACCOUNTS) {
    this.#maxAccounts = most;
  }

  flawed(accountId: string): number {
    const accountCounts = this.#accounts.get(accountId);
    return accountCounts === undefined ? 0 : rateOf(accountCounts.flawed, accountCounts.answers);
  }

  repeated(accountId: string): number {
    const accountCounts = this.#accounts.get(accountId);
    return accountCounts === undefined ? 0 : rateOf(accountCounts.repeated, accountCounts.answers);
  }

  recordAnswer(accountId: string, isFlawed: boolean): void {
    const accountCounts = this.#accounts.get(accountId) ?? { answers: 0, flawed: 0, repeated: 0 };
    accountCounts.answers = accountCounts.answers * DECAY + 1;
    accountCounts.flawed = accountCounts.flawed * DECAY + (isFlawed ? 1 : 0);
    accountCounts.repeated *= DECAY;
    // Put at the end: the first is the one that was not heard of for longest.
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, accountCounts);
    if (this.#accounts.size <= this.#maxAccounts) return;
    for (const oldest of this.#accounts.keys()) {
      this.#accounts.delete(oldest);
      break;
    }
  }

  recordRepeat(accountId: string): void {
    const accountCounts = this.#accounts.get(accountId);
    if (accountCounts !== undefined) accountCounts.repeated += 1;
  }
}

function rateOf(times: number, answers: number): number {
  return Math.min(1, times / (answers + PRIOR_ANSWERS));
}

const MAX_ANSWERS = 20_000;
/** Who asks the same after this long wants to know it anew. */
const REPEAT_WINDOW_MS = 10 * 60_000;

/** The answers of the last minutes by the digest of their question, so that a question that comes again is noticed. */
export class RecentAnswers<Answer> {
  readonly #answers = new Map<string, { readonly answer: Answer; readonly answeredAt: number }>();
  readonly #maxAnswers: number;

  constructor(most = MAX_ANSWERS) {
    this.#maxAnswers = most;
  }

  /** The answer that the same question was given before this one was asked; it is forgotten by that. */
  takeAnsweredBefore(print: string, askedAt: number): Answer | undefined {
    const found = this.#answers.get(print);
    if (found === undefined || found.answeredAt > askedAt) return undefined;
    this.#answers.delete(print);
    return askedAt - found.answeredAt > REPEAT_WINDOW_MS ? undefined : found.answer;
  }

  add(print: string, answer: Answer, answeredAt: number): void {
    this.#answers.delete(print);
    this.#answers.set(print, { answer, answeredAt });
    if (this.#answers.size <= this.#maxAnswers) return;
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest);
      break;
    }
  }
}

/** Of a long text its beginning, its end and its length tell it from others. */
const EDGE_CHARS = 2_048;
/** Of a long conversation its last messages. */
const LAST_MESSAGES = 16;
const LAST_CONTENTS = 8;

/**
 * A short digest of who asks what, whatever the parameters: by it the same question is known again, and nothing of it
 * can be read. The work is bounded, however long the conversation.
 */
export function conversationFingerprint(accountId: string, { messages }: Conversation): string {
  const hash = createHash("sha256").update(`${accountId} ${messages.length}`);
  for (const { role, content } of messages.slice(-LAST_MESSAGES)) {
    hash.update(`\n${role} ${content.length}`);
    for (const piece of content.slice(-LAST_CONTENTS)) hash.update(digestInput(piece));
  }
  return hash.digest("base64").slice(0, 22);
}

function digestInput(content: Content): string {
  const text = content.type === "attachment" ? content.url : textOfContent(content);
  const ends = text.length <= 2 * EDGE_CHARS ? text : text.slice(0, EDGE_CHARS) + text.slice(-EDGE_CHARS);
  return `\n${content.type} ${text.length}\n${ends}`;
}
