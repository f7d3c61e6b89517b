import type {
  ConversationStore,
  ItemPage,
  SealedConversation,
  SealedConversationItem,
  SealedItem,
  UseTimes,
} from "../../stored-responses/conversations.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { trimAccount } from "./trim-account.ts";

/** Conversations in PostgreSQL. */
export class PostgresConversations implements ConversationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(accountId: string, { id, metadata, createdAt }: SealedConversation, expiresAt: Date): Promise<void> {
    await this.#database.query(
      "INSERT INTO conversations (id, account_id, metadata, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
      [id, accountId, metadata, createdAt, expiresAt],
    );
  }

  async find(accountId: string, id: string, now: Date): Promise<SealedConversation | undefined> {
    const [row] = await this.#database.query<Row<"conversations", "metadata" | "created_at">>(
      "SELECT metadata, created_at FROM conversations WHERE account_id = $1 AND id = $2 AND expires_at > $3",
      [accountId, id, now],
    );
    return row && { id, metadata: row.metadata, createdAt: row.created_at };
  }

  async setMetadata(accountId: string, id: string, metadata: Buffer, { now, expiresAt }: UseTimes): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE conversations SET metadata = $3, expires_at = $5
       WHERE account_id = $1 AND id = $2 AND expires_at > $4 RETURNING 1`,
      [accountId, id, metadata, now, expiresAt],
    );
    return rows.length > 0;
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query("DELETE FROM conversations WHERE account_id = $1 AND id = $2 RETURNING 1", [
      accountId,
      id,
    ]);
    return rows.length > 0;
  }

  async append(
    accountId: string,
    id: string,
    items: readonly SealedItem[],
    { now, expiresAt }: UseTimes,
    limits: { readonly items: number; readonly bytes: number },
  ): Promise<"appended" | "unknown" | "full"> {
    // The updated row is locked until the end of the statement, so that two requests never take the same places.
    const appended = await this.#database.query(
      `WITH place AS (
         UPDATE conversations SET next_position = next_position + $5, bytes = bytes + $6, expires_at = $4
         WHERE account_id = $1 AND id = $2 AND expires_at > $3 AND next_position + $5 <= $7 AND bytes + $6 <= $8
         RETURNING next_position - $5 AS first
       ), added AS (
         INSERT INTO conversation_items (conversation_id, position, account_id, id, item)
         SELECT $2, place.first + new.place - 1, $1, new.id, new.item
         FROM place, unnest($9::text[], $10::bytea[]) WITH ORDINALITY AS new (id, item, place)
       )
       SELECT 1 FROM place`,
      [
        accountId,
        id,
        now,
        expiresAt,
        items.length,
        items.reduce((sum, { box }) => sum + box.length, 0),
        limits.items,
        limits.bytes,
        items.map((item) => item.id),
        items.map(({ box }) => box),
      ],
    );
    if (appended.length > 0) return "appended";
    return (await this.find(accountId, id, now)) === undefined ? "unknown" : "full";
  }

  async items(conversationId: string, { order, limit, after }: ItemPage): Promise<readonly SealedItem[]> {
    const [beyond, direction, edge] = order === "asc" ? [">", "ASC", "max"] : ["<", "DESC", "min"];
    return this.#database.query<SealedItem>(
      `SELECT id, item AS box FROM conversation_items
       WHERE conversation_id = $1 AND ($3::text IS NULL OR position ${beyond}
         (SELECT ${edge}(position) FROM conversation_items WHERE conversation_id = $1 AND id = $3))
       ORDER BY position ${direction} LIMIT $2`,
      [conversationId, limit, after ?? null],
    );
  }

  itemsById(
    accountId: string,
    itemIds: readonly string[],
    now: Date,
    bytesMax: number,
  ): Promise<readonly SealedConversationItem[]> {
    return this.#database.query<SealedConversationItem>(
      `SELECT id, box, "conversationId" FROM (
         SELECT i.id, i.item AS box, i.conversation_id AS "conversationId",
           sum(octet_length(i.item)) OVER (ORDER BY i.conversation_id DESC, i.position DESC) AS total
         FROM conversation_items i JOIN conversations c ON c.id = i.conversation_id
         WHERE i.account_id = $1 AND i.id = ANY($2::text[]) AND c.expires_at > $3
       ) newest WHERE total <= $4`,
      [accountId, itemIds, now, bytesMax],
    );
  }

  async item(conversationId: string, itemId: string): Promise<SealedItem | undefined> {
    const [row] = await this.#database.query<SealedItem>(
      "SELECT id, item AS box FROM conversation_items WHERE conversation_id = $1 AND id = $2 ORDER BY position LIMIT 1",
      [conversationId, itemId],
    );
    return row;
  }

  async removeItem(conversationId: string, itemId: string): Promise<boolean> {
    const rows = await this.#database.query(
      `WITH gone AS (
         DELETE FROM conversation_items WHERE conversation_id = $1 AND id = $2 RETURNING octet_length(item) AS bytes
       ), counted AS (
         UPDATE conversations SET bytes = bytes - (SELECT coalesce(sum(bytes), 0) FROM gone)::integer WHERE id = $1
       )
       SELECT 1 FROM gone`,
      [conversationId, itemId],
    );
    return rows.length > 0;
  }

  trim(accountId: string, limits: { readonly bytes: number; readonly count: number }): Promise<void> {
    return trimAccount(this.#database, "conversations", accountId, limits);
  }

  async sweep(now: Date): Promise<void> {
    await this.#database.query("DELETE FROM conversations WHERE expires_at <= $1", [now]);
  }
}
