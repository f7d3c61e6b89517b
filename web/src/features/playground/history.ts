import { type Conversation, titleOf } from "./conversation.ts";
import { readConversation } from "./read-conversation.ts";

/** A conversation in the list. */
export interface HistoryEntry {
  readonly id: string;
  readonly title: string;
  readonly at: number;
  readonly turns: number;
}

const MOST_CONVERSATIONS = 50;
/** In characters, of all conversations of one person in one organisation together. */
const MOST_LENGTH = 1_500_000;
/** An image or speech that is longer as text is not kept. */
const LONGEST_MEDIA = 100_000;

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/**
 * The conversations of one person in one organisation, kept in this browser and nowhere else. The oldest go when there
 * are too many. Storage may be forbidden or full: then there is no history, and the page works without it.
 */
export class History {
  readonly #prefix: string;
  readonly #open: () => Store;

  constructor(personId: string, accountId: string, open: () => Store = () => localStorage) {
    this.#prefix = `playground:${accountId}:${personId}:`;
    this.#open = open;
  }

  list(): readonly HistoryEntry[] {
    return this.#conversations()
      .map((conversation) => ({
        id: conversation.id,
        title: titleOf(conversation),
        at: conversation.at,
        turns: conversation.turns.length,
      }))
      .sort((one, other) => other.at - one.at);
  }

  find(id: string): Conversation | undefined {
    return attempt(() => this.#read(this.#prefix + id));
  }

  save(conversation: Conversation): void {
    attempt(() => {
      const text = JSON.stringify(withoutFiles(conversation));
      if (text.length > MOST_LENGTH) return;
      this.#makeRoom(conversation.id, text.length);
      this.#open().setItem(this.#prefix + conversation.id, text);
    });
  }

  delete(id: string): void {
    attempt(() => this.#open().removeItem(this.#prefix + id));
  }

  deleteAll(): void {
    attempt(() => {
      for (const key of this.#keys()) this.#open().removeItem(key);
    });
  }

  #makeRoom(id: string, length: number): void {
    const keys = this.#keys().filter((key) => key !== this.#prefix + id);
    const used = keys.reduce((sum, key) => sum + (this.#open().getItem(key)?.length ?? 0), 0);
    if (keys.length < MOST_CONVERSATIONS && used + length <= MOST_LENGTH) return;
    const others = this.#conversations()
      .filter((other) => other.id !== id)
      .sort((one, other) => other.at - one.at);
    let room = MOST_LENGTH - length;
    for (const [place, other] of others.entries()) {
      room -= this.#open().getItem(this.#prefix + other.id)?.length ?? 0;
      if (room < 0 || place >= MOST_CONVERSATIONS - 1) this.delete(other.id);
    }
  }

  #conversations(): readonly Conversation[] {
    return attempt(() => this.#keys().flatMap((key) => this.#read(key) ?? [])) ?? [];
  }

  #read(key: string): Conversation | undefined {
    const conversation = readConversation(JSON.parse(this.#open().getItem(key) ?? "null"));
    return conversation === undefined ? undefined : { ...conversation, id: key.slice(this.#prefix.length) };
  }

  #keys(): readonly string[] {
    const store = this.#open();
    return Array.from({ length: store.length }, (_, place) => store.key(place) ?? "").filter((key) =>
      key.startsWith(this.#prefix),
    );
  }
}

/** A conversation as it is kept and shared: without the content of files, and without media that is large. */
export function withoutFiles(conversation: Conversation): Conversation {
  return {
    ...conversation,
    turns: conversation.turns.map((turn) => ({
      ...turn,
      files: turn.files.map(({ id, type, name, bytes }) => ({ id, type, name, bytes })),
      replies: Object.fromEntries(
        Object.entries(turn.replies).map(([column, replies]) => [
          column,
          replies.map(({ mediaUrl, ...reply }) =>
            mediaUrl === undefined || mediaUrl.length > LONGEST_MEDIA ? reply : { ...reply, mediaUrl },
          ),
        ]),
      ),
    })),
  };
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
