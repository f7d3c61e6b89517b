import { type Content, type Conversation, textOfContent } from "@trunkline/core/conversation.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import { DECAY } from "./learning-store.ts";

const MAX_ACCOUNTS = 10_000;
/** The prior, as answers without a complaint: one event does not make a rate. */
const PRIOR_ANSWERS = 10;

interface AccountCounts {
  answers: number;
  flawed: number;
  repeated: number;
}

/**
 * How often an account usually gets no answer, and how often it usually repeats a question. Both are signals of quality
 * only where they differ from the usual rate: a client that asks everything twice gives no signal.
 */
export class BaselineRates {
  readonly #accounts: LruMap<string, AccountCounts>;

  constructor(most = MAX_ACCOUNTS) {
    this.#accounts = new LruMap(most);
  }

  flawed(accountId: string): number {
    const accountCounts = this.#accounts.peek(accountId);
    return accountCounts === undefined ? 0 : rateOf(accountCounts.flawed, accountCounts.answers);
  }

  repeated(accountId: string): number {
    const accountCounts = this.#accounts.peek(accountId);
    return accountCounts === undefined ? 0 : rateOf(accountCounts.repeated, accountCounts.answers);
  }

  recordAnswer(accountId: string, isFlawed: boolean): void {
    let accountCounts = this.#accounts.get(accountId);
    if (accountCounts === undefined) {
      accountCounts = { answers: 0, flawed: 0, repeated: 0 };
      this.#accounts.set(accountId, accountCounts);
    }
    accountCounts.answers = accountCounts.answers * DECAY + 1;
    accountCounts.flawed = accountCounts.flawed * DECAY + (isFlawed ? 1 : 0);
    accountCounts.repeated *= DECAY;
  }

  recordRepeat(accountId: string): void {
    const accountCounts = this.#accounts.peek(accountId);
    if (accountCounts !== undefined) accountCounts.repeated += 1;
  }
}

function rateOf(times: number, answers: number): number {
  return Math.min(1, times / (answers + PRIOR_ANSWERS));
}

/** A long text is identified by its start, its end and its length. */
const EDGE_CHARS = 2_048;
/** A long conversation is identified by its last messages. */
const LAST_MESSAGES = 16;
const LAST_CONTENTS = 8;

/**
 * A digest of an account's question, 53 bits, independent of the parameters. It identifies a repeated question without
 * keeping its text. The work is bounded for any length.
 */
export function conversationFingerprint(accountId: string, { messages }: Conversation): number {
  low = 0x811c9dc5;
  high = 0x9747b28c;
  addText(accountId);
  addNumber(messages.length);
  for (let index = Math.max(0, messages.length - LAST_MESSAGES); index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    addText(message.role);
    addNumber(message.content.length);
    for (let place = Math.max(0, message.content.length - LAST_CONTENTS); place < message.content.length; place++) {
      const content = message.content[place];
      if (content !== undefined) addContent(content);
    }
  }
  return (spread(high) >>> 11) * 2 ** 32 + (spread(low) >>> 0);
}

function addContent(content: Content): void {
  const text = content.type === "attachment" ? content.url : textOfContent(content);
  addText(content.type);
  if (text.length <= 2 * EDGE_CHARS) addText(text);
  else {
    addNumber(text.length);
    addText(text.slice(0, EDGE_CHARS));
    addText(text.slice(-EDGE_CHARS));
  }
}

/** The two halves of the digest that is being made. */
let low = 0;
let high = 0;

function addText(text: string): void {
  let first = low;
  let second = high;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5bd1e995) ^ (second >>> 15);
  }
  low = first;
  high = second;
  addNumber(text.length);
}

function addNumber(number: number): void {
  low = Math.imul(low ^ number, 0x01000193);
  high = Math.imul(high ^ number, 0x5bd1e995) ^ (high >>> 15);
}

/** Lets every bit depend on all others. */
function spread(half: number): number {
  const first = Math.imul(half ^ (half >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}
