import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { Sealer } from "@trunkline/core/secret.ts";
import { type CountBytes, isItemId, openJson, type StoredItem, sealJson } from "./sealed-json.ts";
import { ACCOUNT_RESPONSE_BYTES_MAX } from "./stored-responses.ts";

/** The most that the items of one conversation may take, encrypted. */
export const CONVERSATION_BYTES_MAX = 20 * 1024 * 1024;
export const CONVERSATION_ITEMS_MAX = 4_096;
/** The most conversations of an account; those that were used least recently are deleted first. */
export const ACCOUNT_CONVERSATIONS_MAX = 10_000;
const DAY_MS = 24 * 3_600_000;

type Metadata = Readonly<Record<string, string>>;

export interface StoredConversation {
  readonly id: string;
  readonly metadata: Metadata;
  readonly createdAt: Date;
}

/** A conversation as the store has it: its metadata is encrypted. */
export interface SealedConversation {
  readonly id: string;
  readonly metadata: Buffer;
  readonly createdAt: Date;
}

export interface SealedItem {
  readonly id: string;
  readonly box: Buffer;
}

/** An item of a conversation, with the conversation that its encryption names as its owner. */
export interface SealedConversationItem extends SealedItem {
  readonly conversationId: string;
}

/** One page of a conversation's items. */
export interface ItemPage {
  readonly order: "asc" | "desc";
  readonly limit: number;
  /** The id of the item that the page before ended with. */
  readonly after: string | undefined;
}

export interface ConversationStore {
  create(accountId: string, conversation: SealedConversation, expiresAt: Date): Promise<void>;
  find(accountId: string, id: string, now: Date): Promise<SealedConversation | undefined>;
  /** False where there is no such conversation. */
  setMetadata(accountId: string, id: string, metadata: Buffer, times: UseTimes): Promise<boolean>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** "full": it would have more items or bytes than the limits. */
  append(
    accountId: string,
    id: string,
    items: readonly SealedItem[],
    times: UseTimes,
    limits: { readonly items: number; readonly bytes: number },
  ): Promise<"appended" | "unknown" | "full">;
  items(conversationId: string, page: ItemPage): Promise<readonly SealedItem[]>;
  /** The items of an account with these ids, in whatever conversation, up to this number of bytes. */
  itemsById(
    accountId: string,
    itemIds: readonly string[],
    now: Date,
    bytesMax: number,
  ): Promise<readonly SealedConversationItem[]>;
  item(conversationId: string, itemId: string): Promise<SealedItem | undefined>;
  removeItem(conversationId: string, itemId: string): Promise<boolean>;
  trim(accountId: string, limits: { readonly bytes: number; readonly count: number }): Promise<void>;
  sweep(now: Date): Promise<void>;
}

/** When something is done with a conversation, and until when it is kept then. */
export interface UseTimes {
  readonly now: Date;
  readonly expiresAt: Date;
}

interface ConversationsDependencies {
  readonly store: ConversationStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** How long a conversation is kept after its last use; 0: nothing is kept. */
  readonly days: number;
}

/** The conversations of accounts. Those of other accounts are treated as missing. */
export class Conversations {
  readonly #dependencies: ConversationsDependencies;
  /** The accounts that have written since the last sweep. */
  readonly #uncounted = new Set<string>();

  constructor(dependencies: ConversationsDependencies) {
    this.#dependencies = dependencies;
  }

  async create(accountId: string, metadata: Metadata, items: readonly StoredItem[]): Promise<StoredConversation> {
    const { store, sealer, days } = this.#dependencies;
    if (days === 0)
      throw new Fault("invalid_request", "Conversations are not kept here. Send the whole conversation as `input`.");
    const { now, expiresAt } = this.#times();
    const id = newId(now.getTime());
    const sealed = { id, metadata: sealJson(sealer, metadata, metadataOwner(accountId, id)), createdAt: now };
    await store.create(accountId, sealed, expiresAt);
    if (items.length > 0) await this.append(accountId, id, items);
    await this.#makeRoom(accountId);
    return { id, metadata, createdAt: now };
  }

  async find(accountId: string, id: string): Promise<StoredConversation> {
    const { store, sealer } = this.#dependencies;
    const sealed = isId(id) ? await store.find(accountId, id, this.#times().now) : undefined;
    if (sealed === undefined) throw noSuchConversation();
    const metadata = openJson(sealer, sealed.metadata, metadataOwner(accountId, id)) as Metadata;
    return { id, metadata, createdAt: sealed.createdAt };
  }

  async setMetadata(accountId: string, id: string, metadata: Metadata): Promise<StoredConversation> {
    const { store, sealer } = this.#dependencies;
    const { createdAt } = await this.find(accountId, id);
    const box = sealJson(sealer, metadata, metadataOwner(accountId, id));
    if (!(await store.setMetadata(accountId, id, box, this.#times()))) throw noSuchConversation();
    return { id, metadata, createdAt };
  }

  async remove(accountId: string, id: string): Promise<void> {
    if (!isId(id) || !(await this.#dependencies.store.remove(accountId, id))) throw noSuchConversation();
  }

  /** Adds items at the end. */
  async append(accountId: string, id: string, items: readonly StoredItem[]): Promise<void> {
    const { store, sealer } = this.#dependencies;
    const owner = itemOwner(accountId, id);
    const sealed = items.map((item) => ({ id: item.id, box: sealJson(sealer, item, owner) }));
    const outcome = await store.append(accountId, id, sealed, this.#times(), {
      items: CONVERSATION_ITEMS_MAX,
      bytes: CONVERSATION_BYTES_MAX,
    });
    if (outcome === "unknown") throw noSuchConversation();
    if (outcome === "full")
      throw new Fault(
        "conflict",
        `A conversation may have ${CONVERSATION_ITEMS_MAX.toLocaleString("en")} items and ${CONVERSATION_BYTES_MAX / 1024 / 1024} MiB. Begin a new one.`,
      );
    this.#uncounted.add(accountId);
  }

  /** All items, the first one first. */
  allItems(accountId: string, id: string, countBytes: CountBytes): Promise<StoredItem[]> {
    return this.items(accountId, id, { order: "asc", limit: CONVERSATION_ITEMS_MAX, after: undefined }, countBytes);
  }

  async items(accountId: string, id: string, page: ItemPage, countBytes?: CountBytes): Promise<StoredItem[]> {
    await this.find(accountId, id);
    if (page.after !== undefined && !isItemId(page.after))
      throw new Fault("invalid_request", "`after` must be an id of this list.", { param: "after" });
    const sealed = await this.#dependencies.store.items(id, page);
    countBytes?.(bytesOf(sealed));
    return sealed.map((item) => this.#open(accountId, id, item));
  }

  async item(accountId: string, id: string, itemId: string): Promise<StoredItem> {
    await this.find(accountId, id);
    const sealed = isItemId(itemId) ? await this.#dependencies.store.item(id, itemId) : undefined;
    if (sealed === undefined) throw noSuchItem();
    return this.#open(accountId, id, sealed);
  }

  async removeItem(accountId: string, id: string, itemId: string): Promise<StoredConversation> {
    const conversation = await this.find(accountId, id);
    if (!isItemId(itemId) || !(await this.#dependencies.store.removeItem(id, itemId))) throw noSuchItem();
    return conversation;
  }

  /** The items with these ids, as far as they are in conversations of the account. */
  async itemsById(
    accountId: string,
    itemIds: readonly string[],
    countBytes: CountBytes,
  ): Promise<Map<string, StoredItem>> {
    const { now } = this.#times();
    const sealed = await this.#dependencies.store.itemsById(
      accountId,
      itemIds.filter(isItemId),
      now,
      CONVERSATION_BYTES_MAX,
    );
    countBytes(bytesOf(sealed));
    return new Map(sealed.map((item) => [item.id, this.#open(accountId, item.conversationId, item)]));
  }

  async sweep(): Promise<void> {
    await this.#dependencies.store.sweep(this.#times().now);
    for (const accountId of [...this.#uncounted]) await this.#makeRoom(accountId);
  }

  async #makeRoom(accountId: string): Promise<void> {
    this.#uncounted.delete(accountId);
    await this.#dependencies.store.trim(accountId, {
      bytes: ACCOUNT_RESPONSE_BYTES_MAX,
      count: ACCOUNT_CONVERSATIONS_MAX,
    });
  }

  #open(accountId: string, conversationId: string, { box }: SealedItem): StoredItem {
    return openJson(this.#dependencies.sealer, box, itemOwner(accountId, conversationId)) as StoredItem;
  }

  #times(): UseTimes {
    const now = this.#dependencies.clock.now();
    return { now: new Date(now), expiresAt: new Date(now + this.#dependencies.days * DAY_MS) };
  }
}

function bytesOf(items: readonly SealedItem[]): number {
  return items.reduce((sum, { box }) => sum + box.length, 0);
}

export function metadataOwner(accountId: string, id: string): string {
  return `${accountId}/conversation/${id}`;
}

export function itemOwner(accountId: string, id: string): string {
  return `${accountId}/conversation/${id}/item`;
}

function noSuchConversation(): Fault {
  return new Fault("not_found", "There is no such conversation: it was deleted, or has expired.", {
    param: "conversation",
  });
}

function noSuchItem(): Fault {
  return new Fault("not_found", "There is no such item in this conversation.");
}
