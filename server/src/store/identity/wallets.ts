import type { LinkedWallet, WalletStore } from "../../identity/people/wallets.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type WalletRow = Row<"wallets">;

/** Linked wallets in PostgreSQL. */
export class PostgresWallets implements WalletStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(address: string): Promise<LinkedWallet | undefined> {
    const rows = await this.#database.query<WalletRow>("SELECT * FROM wallets WHERE address = $1", [address]);
    return rows[0] && walletOf(rows[0]);
  }

  async list(accountId: string): Promise<LinkedWallet[]> {
    const rows = await this.#database.query<WalletRow>(
      "SELECT * FROM wallets WHERE account_id = $1 ORDER BY created_at, address",
      [accountId],
    );
    return rows.map(walletOf);
  }

  /** Without a person, the one who could log in by it before still can. */
  async link({ address, accountId, personId, name }: Omit<LinkedWallet, "createdAt">) {
    const rows = await this.#database.query<WalletRow>(
      `INSERT INTO wallets (address, account_id, person_id, name) VALUES ($1, $2, $3, $4)
       ON CONFLICT (address) DO UPDATE SET name = EXCLUDED.name, person_id = coalesce(EXCLUDED.person_id, wallets.person_id)
         WHERE wallets.account_id = EXCLUDED.account_id
       RETURNING *`,
      [address, accountId, personId ?? null, name],
    );
    return rows[0] && walletOf(rows[0]);
  }

  async unlink(accountId: string, address: string): Promise<boolean> {
    const rows = await this.#database.query("DELETE FROM wallets WHERE account_id = $1 AND address = $2 RETURNING 1", [
      accountId,
      address,
    ]);
    return rows.length === 1;
  }
}

function walletOf(row: WalletRow): LinkedWallet {
  return {
    address: row.address,
    accountId: row.account_id,
    personId: row.person_id ?? undefined,
    name: row.name,
    createdAt: row.created_at,
  };
}
