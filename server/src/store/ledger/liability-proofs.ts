import { randomBytes } from "node:crypto";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { type AccountsElsewhere, NOTHING_ELSEWHERE } from "../clusters/accounts-elsewhere.ts";
import { composeOverAll } from "../clusters/other-databases.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

/** A proof of what the service owed at a moment. */
export interface LiabilityProof {
  readonly madeAt: Date;
  /** In hexadecimal digits. */
  readonly root: string;
  readonly total: NanoCredits;
  readonly accounts: number;
}

/** An account's leaf, and the nodes beside the way from there to the root. Amounts are nano-credits, as text. */
export interface AccountProof {
  readonly madeAt: Date;
  readonly root: string;
  readonly total: string;
  readonly account_id: string;
  readonly amount: string;
  readonly salt: string;
  readonly path: readonly { readonly side: "left" | "right"; readonly hash: string; readonly sum: string }[];
}

/** How many of the newest proofs keep their trees. */
const TREES_KEPT = 7;

/** Proofs of liabilities in PostgreSQL, which also computes their trees. */
export class PostgresLiabilityProofs {
  readonly #database: Database;
  readonly #elsewhere: AccountsElsewhere;

  constructor(database: Database, elsewhere = NOTHING_ELSEWHERE) {
    this.#database = database;
    this.#elsewhere = elsewhere;
  }

  /** Makes the proof of this night, in UTC, unless it is made already. True: it was made. */
  async makeNightly(): Promise<boolean> {
    const made = await this.#database.query(
      "SELECT 1 FROM liability_proofs WHERE night = (now() AT TIME ZONE 'UTC')::date",
    );
    return made.length === 0 && (await this.#make(true)) !== undefined;
  }

  /** Makes a proof of this moment. */
  async make(): Promise<LiabilityProof> {
    const proof = await this.#make(false);
    if (proof === undefined) throw new Error("No proof was made.");
    return proof;
  }

  /** The newest ones first. */
  async list(limit: number): Promise<readonly LiabilityProof[]> {
    const rows = await this.#database.query<ProofRow>(
      "SELECT made_at, root, total, accounts FROM liability_proofs ORDER BY id DESC LIMIT $1",
      [limit],
    );
    return rows.map(proofOf);
  }

  /** An account's part of the newest proof that it is in; undefined: it is in none whose tree is kept. */
  async find(accountId: string): Promise<AccountProof | undefined> {
    const rows = await this.#database.query<LeafRow>(
      `SELECT p.id, p.made_at, p.root, p.total, p.accounts, n.place, n.sum, ${saltOf("n.account_id", "p.secret")} AS salt
       FROM liability_nodes n JOIN liability_proofs p ON p.id = n.proof_id
       WHERE n.account_id = $1 ORDER BY n.proof_id DESC LIMIT 1`,
      [accountId],
    );
    const leaf = rows[0];
    if (leaf === undefined) return undefined;
    const siblings = await this.#database.query<Row<"liability_nodes", "place" | "hash" | "sum">>(
      `SELECT n.place, n.hash, n.sum FROM generate_series(0, 62) AS level
       JOIN liability_nodes n ON n.proof_id = $1 AND n.level = level.level AND n.place = (($2::bigint >> level.level) # 1)
       ORDER BY n.level`,
      [leaf.id, leaf.place],
    );
    return {
      madeAt: leaf.made_at,
      root: leaf.root.toString("hex"),
      total: String(leaf.total),
      account_id: accountId,
      amount: String(leaf.sum),
      salt: leaf.salt.toString("hex"),
      path: siblings.map(({ place, hash, sum }) => ({
        side: place % 2n === 0n ? "left" : "right",
        hash: hash.toString("hex"),
        sum: String(sum),
      })),
    };
  }

  /** Undefined: another instance makes the proof of this night. */
  #make(isNightly: boolean): Promise<LiabilityProof | undefined> {
    const secret = randomBytes(32);
    return this.#database.transaction(async (connection) => {
      const locks = await connection.query<{ taken: boolean }>(
        `SELECT ${isNightly ? "pg_try_advisory_xact_lock($1)" : "pg_advisory_xact_lock($1) IS NOT NULL"} AS taken`,
        [PROOF_LOCK],
      );
      if (locks[0]?.taken !== true) return undefined;
      await connection.query("SET LOCAL statement_timeout = 0");
      const ids = await connection.query<{ id: bigint }>(
        "SELECT nextval(pg_get_serial_sequence('liability_proofs', 'id')) AS id",
      );
      const id = ids[0]?.id;
      const owed = await this.#composeOwed(connection);
      const accounts = await plantTree(connection, id, secret, owed);
      // Before PostgreSQL 18, `max` does not take a hash.
      const rows = await connection.query<ProofRow>(
        `INSERT INTO liability_proofs (id, night, secret, root, total, accounts) OVERRIDING SYSTEM VALUE
         SELECT $1, CASE WHEN $2 THEN (now() AT TIME ZONE 'UTC')::date END, $3, coalesce((array_agg(hash))[1], sha256('')), coalesce(max(sum), 0), $4
         FROM (SELECT hash, sum FROM liability_nodes WHERE proof_id = $1 ORDER BY level DESC LIMIT 1) AS top
         ON CONFLICT (night) DO NOTHING RETURNING made_at, root, total, accounts`,
        [id, isNightly, secret, accounts],
      );
      if (rows[0] === undefined) {
        await connection.query("DELETE FROM liability_nodes WHERE proof_id = $1", [id]);
        return undefined;
      }
      await connection.query(
        `DELETE FROM liability_nodes WHERE proof_id < (
           SELECT min(id) FROM (SELECT id FROM liability_proofs ORDER BY id DESC LIMIT $1) AS newest)`,
        [TREES_KEPT],
      );
      return proofOf(rows[0]);
    });
  }

  /** Balances are read while no money is on its way between clusters, so that all of it counts once. */
  #composeOwed(connection: Queryable) {
    const others = this.#elsewhere.all();
    const { transfers } = this.#elsewhere;
    if (transfers === undefined) return composeOwed(connection, others);
    return transfers.whileNoneUnderWay(connection, () => composeOwed(connection, others));
  }
}

/** What is owed to each account, over all clusters. */
const composeOwed = (own: Queryable, others: readonly Queryable[]) =>
  composeOverAll(own, others, "account_id uuid, balance bigint", () => ({
    sql: `SELECT account_id, balance FROM ledger_accounts WHERE kind IN ${OWED_KINDS}`,
    values: [],
  }));

/** The number of an advisory lock: one proof is made at a time. */
const PROOF_LOCK = 7_215_733_005;

/** The kinds of the ledger's accounts that the service owes: balances, leased or not, and what providers are not paid yet. */
const OWED_KINDS = "('customer', 'lease', 'payable', 'payout')";

/** 32 bytes that only the account's own proof shows. Both parts have a fixed length, so no two accounts share one. */
const saltOf = (account: string, secret: string) => `sha256(${secret} || uuid_send(${account}))`;

/** Computes a proof's tree, level by level. Leaves are in the order of their salts, which says nothing of an account. */
async function plantTree(
  connection: Queryable,
  id: bigint | undefined,
  secret: Buffer,
  { sql, values }: Awaited<ReturnType<typeof composeOwed>>,
): Promise<bigint> {
  const [proof, key] = [values.length + 1, values.length + 2];
  const leaves = await connection.query<{ count: bigint }>(
    `WITH owed AS (
       SELECT account_id, sum(balance)::bigint AS amount FROM (${sql}) AS balances GROUP BY account_id
     ), salted AS (
       SELECT *, ${saltOf("account_id", `$${key}::bytea`)} AS salt FROM owed
     ), planted AS (
       INSERT INTO liability_nodes (proof_id, level, place, hash, sum, account_id)
       SELECT $${proof}::bigint, 0, row_number() OVER (ORDER BY salt) - 1,
         sha256('\\x00'::bytea || uuid_send(account_id) || salt || int8send(amount)), amount, account_id
       FROM salted RETURNING 1
     ) SELECT count(*) AS count FROM planted`,
    [...values, id, secret],
  );
  const accounts = leaves[0]?.count ?? 0n;
  for (let [level, width] = [0, accounts]; width > 1n; level++, width = (width + 1n) / 2n) {
    await connection.query(JOIN_LEVEL, [id, level]);
  }
  return accounts;
}

/**
 * Joins the nodes of a level in pairs. A last one without a neighbour goes up as it is. The level is read once, in order:
 * joined with itself, every pair of its nodes might be compared, as PostgreSQL knows nothing yet of rows that are just written.
 */
const JOIN_LEVEL = `INSERT INTO liability_nodes (proof_id, level, place, hash, sum)
  SELECT $1, $2::integer + 1, place / 2,
    CASE WHEN next_hash IS NULL THEN hash ELSE sha256('\\x01'::bytea || hash || int8send(sum) || next_hash || int8send(next_sum)) END,
    sum + coalesce(next_sum, 0)
  FROM (
    SELECT place, hash, sum, lead(hash) OVER by_place AS next_hash, lead(sum) OVER by_place AS next_sum
    FROM liability_nodes WHERE proof_id = $1 AND level = $2 WINDOW by_place AS (ORDER BY place)
  ) AS nodes
  WHERE place % 2 = 0`;

type ProofRow = Row<"liability_proofs", "made_at" | "root" | "total" | "accounts">;
type LeafRow = ProofRow &
  Row<"liability_proofs", "id"> &
  Row<"liability_nodes", "place" | "sum"> & { readonly salt: Buffer };

function proofOf({ made_at: madeAt, root, total, accounts }: ProofRow): LiabilityProof {
  return { madeAt, root: root.toString("hex"), total, accounts: Number(accounts) };
}
