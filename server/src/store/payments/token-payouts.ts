import type { TokenPayout, TokenPayoutStore } from "../../payments/token/token-payouts.ts";
import type { SignedTransaction } from "../../payments/token/transaction-sender.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { endPayout } from "../ledger/payouts.ts";

/** The number of an advisory lock: one instance at a time draws the numbers of transactions. */
const SENDING_LOCK = 7_215_733_007;

/** Payouts in the token, in PostgreSQL. */
export class PostgresTokenPayouts implements TokenPayoutStore {
  readonly #database: Database;
  readonly #chainId: number;

  constructor(database: Database, chainId: number) {
    this.#database = database;
    this.#chainId = chainId;
  }

  async listOpen(): Promise<readonly TokenPayout[]> {
    const rows = await this.#database.query<OpenRow>(
      `SELECT id, amount, destination, sender, sender_nonce, raw_transaction, transaction FROM payouts
       WHERE method = 'token' AND state IN ('approved', 'sending') ORDER BY id LIMIT 100`,
    );
    return rows.map(tokenPayoutOf);
  }

  beginSending(
    id: string,
    sender: string,
    sign: Parameters<TokenPayoutStore["beginSending"]>[2],
  ): Promise<SignedTransaction | undefined> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SELECT pg_advisory_xact_lock($1)", [SENDING_LOCK]);
      const rows = await connection.query<{ least: bigint }>(
        `SELECT coalesce((SELECT max(sender_nonce) + 1 FROM payouts o WHERE o.sender = $2 AND o.chain_id = $3), 0)::bigint AS least
         FROM payouts WHERE id = $1 AND state = 'approved' FOR UPDATE`,
        [id, sender, this.#chainId],
      );
      if (rows[0] === undefined) return undefined;
      const { signed, units } = await sign(rows[0].least);
      await connection.query(
        `UPDATE payouts SET state = 'sending', chain_id = $2, units = $3, sender = $4, sender_nonce = $5,
           raw_transaction = $6, transaction = $7 WHERE id = $1`,
        [id, this.#chainId, String(units), signed.sender, signed.senderNonce, signed.raw, signed.hash],
      );
      return signed;
    });
  }

  async finish(id: string, state: "sent" | "failed", reference: string): Promise<void> {
    await this.#database.transaction((connection) => endPayout(connection, id, state, reference, ["sending"]));
  }
}

type OpenRow = Row<
  "payouts",
  "id" | "amount" | "destination" | "sender" | "sender_nonce" | "raw_transaction" | "transaction"
>;

function tokenPayoutOf(row: OpenRow): TokenPayout {
  const { sender, sender_nonce: senderNonce, raw_transaction: raw, transaction: hash } = row;
  return {
    id: row.id,
    amount: row.amount,
    destination: row.destination,
    transaction:
      sender === null || senderNonce === null || raw === null || hash === null
        ? undefined
        : { sender, senderNonce, raw, hash },
  };
}
