import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { SignedTransaction } from "../../payments/token/transaction-sender.ts";
import type { Authorisation, Claim, NewPayment, OpenPayment, X402Store } from "../../payments/x402/x402-store.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { creditAccount } from "../ledger/ledger.ts";

/** The number of an advisory lock: one instance at a time draws the numbers of transactions. */
const SETTLING_LOCK = 7_215_733_006;
/** How long an ended payment waits for its instance to return what it leased, before it is settled after all. */
const LEASE_WAIT = "1 minute";

/** Payments by x402 in PostgreSQL. */
export class PostgresX402Payments implements X402Store {
  readonly #database: Database;
  readonly #instanceId: string;

  constructor(database: Database, instanceId: string) {
    this.#database = database;
    this.#instanceId = instanceId;
  }

  claim(payment: NewPayment, balance: bigint): Promise<Claim> {
    return this.#database.transaction(async (connection) => {
      const accountId = await openPayer(connection, payment.payer);
      // Each part has its index: a wallet may have paid very often.
      const [known] = await connection.query<{ open: string; used: boolean; lost: boolean }>(
        `SELECT
           EXISTS (SELECT 1 FROM x402_payments WHERE chain_id = $3 AND asset = $4 AND payer = $1 AND nonce = $2) AS used,
           EXISTS (SELECT 1 FROM x402_payments WHERE account_id = $5 AND state = 'lost') AS lost,
           (SELECT coalesce(sum(units), 0)::text FROM x402_payments
            WHERE account_id = $5 AND state IN ('running', 'ended', 'settling') AND chain_id = $3 AND asset = $4) AS open`,
        [payment.payer, payment.authorisation.nonce.toLowerCase(), payment.chainId, payment.asset, accountId],
      );
      if (known?.used === true) return { outcome: "used" };
      if (known?.lost === true) return { outcome: "blocked" };
      if (BigInt(known?.open ?? "0") + BigInt(payment.authorisation.value) > balance) return { outcome: "uncovered" };
      const suspended = await connection.query("SELECT 1 FROM accounts WHERE id = $1 AND suspended_at IS NOT NULL", [
        accountId,
      ]);
      if (suspended.length > 0) return { outcome: "suspended" };
      const memo = `Payment ${payment.id}`;
      const transferId = await creditAccount(connection, "x402", accountId, payment.amount, memo);
      await connection.query(
        `INSERT INTO x402_payments (id, account_id, chain_id, asset, payer, nonce, units, amount, valid_before, authorisation, head_block, instance_id, credit_transfer)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp(least($9::numeric, 99999999999)::double precision), $10, $11, $12, $13)`,
        [
          payment.id,
          accountId,
          payment.chainId,
          payment.asset,
          payment.payer,
          payment.authorisation.nonce.toLowerCase(),
          payment.authorisation.value,
          payment.amount,
          payment.authorisation.validBefore,
          JSON.stringify(payment.authorisation),
          payment.head,
          this.#instanceId,
          transferId,
        ],
      );
      return { outcome: "claimed", accountId };
    });
  }

  async end(id: string): Promise<void> {
    await this.#database.query(
      "UPDATE x402_payments SET state = 'ended', ended_at = now() WHERE id = $1 AND state = 'running'",
      [id],
    );
  }

  async endOrphaned(): Promise<void> {
    await this.#database.query(
      `UPDATE x402_payments p SET state = 'ended', ended_at = now()
       WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = p.instance_id)`,
    );
  }

  async listOpen(limit: number): Promise<readonly OpenPayment[]> {
    const rows = await this.#database.query<OpenRow>(
      `SELECT id, state, valid_before, authorisation, head_block, sender, sender_nonce, raw_transaction, transaction
       FROM x402_payments WHERE state IN ('ended', 'settling') ORDER BY created_at LIMIT $1`,
      [limit],
    );
    return rows.map(openPaymentOf);
  }

  decide(id: string): Promise<"void" | "wait" | "settle"> {
    return this.#database.transaction(async (connection) => {
      const payment = await lockPayment(connection, id, ["ended"]);
      if (payment === undefined) return "wait";
      const { cost, unleased, total, promised } = payment;
      const isCovered = cost === 0n || total >= promised;
      if (!isCovered) return "settle";
      if (unleased >= payment.amount) {
        await closePayment(connection, payment, "void", payment.amount);
        return "void";
      }
      return cost === 0n || !payment.has_waited ? "wait" : "settle";
    });
  }

  beginSettling(
    id: string,
    sender: string,
    sign: (leastNonce: bigint) => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | undefined> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SELECT pg_advisory_xact_lock($1)", [SETTLING_LOCK]);
      const rows = await connection.query<{ least: bigint }>(
        `SELECT coalesce((SELECT max(sender_nonce) + 1 FROM x402_payments o WHERE o.state = 'settling' AND o.sender = $2), 0)::bigint AS least
         FROM x402_payments WHERE id = $1 AND state = 'ended' FOR UPDATE`,
        [id, sender],
      );
      if (rows[0] === undefined) return undefined;
      const signed = await sign(rows[0].least);
      await connection.query(
        `UPDATE x402_payments SET state = 'settling', sender = $2, sender_nonce = $3, raw_transaction = $4, transaction = $5
         WHERE id = $1`,
        [id, signed.sender, signed.senderNonce, signed.raw, signed.hash],
      );
      return signed;
    });
  }

  async abandonTransaction(id: string): Promise<void> {
    await this.#database.query(
      `UPDATE x402_payments SET state = 'ended', sender = NULL, sender_nonce = NULL, raw_transaction = NULL, transaction = NULL
       WHERE id = $1 AND state = 'settling'`,
      [id],
    );
  }

  async settle(id: string): Promise<void> {
    await this.#database.query(
      "UPDATE x402_payments SET state = 'settled', closed_at = now() WHERE id = $1 AND state IN ('ended', 'settling')",
      [id],
    );
  }

  lose(id: string): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const payment = await lockPayment(connection, id, ["ended", "settling"]);
      if (payment === undefined) return true;
      const unspent = payment.amount - payment.cost;
      if (payment.unleased < unspent) return false;
      await closePayment(connection, payment, "lost", unspent);
      return true;
    });
  }
}

/** The wallet's account, locked until the transaction is over. Opened with the wallet's first payment. */
async function openPayer(connection: Queryable, address: string): Promise<string> {
  const find = () =>
    connection.query<Row<"x402_payers", "account_id">>(
      "SELECT account_id FROM x402_payers WHERE address = $1 FOR UPDATE",
      [address],
    );
  const [known] = await find();
  if (known !== undefined) {
    // A transaction that locks the wallet's balance and the account `x402` locks the balance first.
    await connection.query("SELECT 1 FROM ledger_accounts WHERE kind = 'customer' AND account_id = $1 FOR UPDATE", [
      known.account_id,
    ]);
    return known.account_id;
  }
  const id = newId();
  await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`x402 payer ${address}`]);
  const [meanwhile] = await find();
  if (meanwhile !== undefined) return meanwhile.account_id;
  await connection.query("INSERT INTO accounts (id, name, provider) VALUES ($1, $2, $3)", [
    id,
    `Wallet ${address}`,
    `wallet-${id}`,
  ]);
  await connection.query("INSERT INTO x402_payers (address, account_id) VALUES ($1, $2)", [address, id]);
  return id;
}

interface LockedPayment {
  readonly id: string;
  readonly account_id: string;
  readonly amount: NanoCredits;
  /** What its request cost. */
  readonly cost: NanoCredits;
  /** What of the wallet's balance no instance has leased, all of it, and what of it open payments may have to take back. */
  readonly unleased: NanoCredits;
  readonly total: NanoCredits;
  readonly promised: NanoCredits;
  readonly has_waited: boolean;
}

/** Locks the wallet's balance, then the payment, and reads both as they are now. */
async function lockPayment(
  connection: Queryable,
  id: string,
  states: readonly string[],
): Promise<LockedPayment | undefined> {
  await connection.query(
    `SELECT 1 FROM ledger_accounts WHERE kind = 'customer'
       AND account_id = (SELECT account_id FROM x402_payments WHERE id = $1) FOR UPDATE`,
    [id],
  );
  await connection.query("SELECT 1 FROM x402_payments WHERE id = $1 FOR UPDATE", [id]);
  const rows = await connection.query<LockedPayment>(
    `SELECT p.id, p.account_id, p.amount, p.ended_at < now() - interval '${LEASE_WAIT}' AS has_waited,
       (SELECT coalesce(sum(cost), 0)::bigint FROM requests WHERE key_id = p.id) AS cost,
       (SELECT balance FROM ledger_accounts WHERE kind = 'customer' AND account_id = p.account_id) AS unleased,
       (SELECT sum(balance)::bigint FROM ledger_accounts WHERE kind IN ('customer', 'lease') AND account_id = p.account_id) AS total,
       (SELECT sum(amount)::bigint FROM x402_payments o
        WHERE o.account_id = p.account_id AND o.state IN ('running', 'ended', 'settling')) AS promised
     FROM x402_payments p WHERE p.id = $1 AND p.state = ANY ($2::text[])`,
    [id, states],
  );
  return rows[0];
}

/** Gives `unspent` back, and books the rest of a lost payment as the operator's loss. */
async function closePayment(
  connection: Queryable,
  { id, account_id: accountId, amount }: LockedPayment,
  state: "void" | "lost",
  unspent: NanoCredits,
): Promise<void> {
  const move = async (kind: string, source: string, moved: NanoCredits): Promise<bigint | null> => {
    if (moved === 0n) return null;
    const rows = await connection.query<Row<"ledger_transfers", "id">>(
      `WITH source AS (UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE ${source} RETURNING id),
         target AS (UPDATE ledger_accounts SET balance = balance + $2::bigint WHERE kind = 'x402' RETURNING id)
       INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
       SELECT $3, source.id, target.id, $2::bigint, $4 FROM source, target WHERE $1::uuid IS NOT NULL RETURNING id`,
      [accountId, moved, kind, `Payment ${id}`],
    );
    return rows[0]?.id ?? null;
  };
  const voidTransfer = await move("x402_void", "kind = 'customer' AND account_id = $1", unspent);
  const lostTransfer = await move("x402_lost", "kind = 'issued'", amount - unspent);
  await connection.query(
    "UPDATE x402_payments SET state = $2, closed_at = now(), void_transfer = $3, lost_transfer = $4 WHERE id = $1",
    [id, state, voidTransfer, lostTransfer],
  );
}

type OpenRow = Row<
  "x402_payments",
  | "id"
  | "state"
  | "valid_before"
  | "authorisation"
  | "head_block"
  | "sender"
  | "sender_nonce"
  | "raw_transaction"
  | "transaction"
>;

function openPaymentOf(row: OpenRow): OpenPayment {
  const { sender, sender_nonce: senderNonce, raw_transaction: raw, transaction: hash } = row;
  return {
    id: row.id,
    state: row.state === "settling" ? "settling" : "ended",
    validBefore: row.valid_before,
    authorisation: row.authorisation as Authorisation,
    head: row.head_block,
    transaction:
      sender === null || senderNonce === null || raw === null || hash === null
        ? undefined
        : { sender, senderNonce, raw, hash },
  };
}

/** The rule of these payments, for the audit. */
export const X402_CHECK = {
  name: "x402-payments",
  sentence:
    "Every x402 payment has its one movement to its wallet's account, what was not used or not paid went back once, and every such movement has its payment.",
  severity: "finding",
  sql: `SELECT CASE
      WHEN t.id IS NULL THEN format('payment %s, %s, lacks the transfer %s', p.id, p.state, p.transfer_id)
      WHEN p.id IS NULL THEN format('transfer %s, a %s of %s, has no payment', t.id, t.kind, t.amount)
      ELSE format('payment %s, %s of %s: transfer %s, a %s of %s, does not fit', p.id, p.state, p.amount, t.id, t.kind, t.amount) END AS example
    FROM (SELECT * FROM ledger_transfers WHERE kind IN ('x402', 'x402_void', 'x402_lost')) t
    FULL JOIN (
      SELECT id, account_id, state, amount, amount AS moved, credit_transfer AS transfer_id, 'x402' AS kind FROM x402_payments
      UNION ALL SELECT id, account_id, state, amount, NULL, void_transfer, 'x402_void' FROM x402_payments WHERE void_transfer IS NOT NULL
      UNION ALL SELECT id, account_id, state, amount, NULL, lost_transfer, 'x402_lost' FROM x402_payments WHERE lost_transfer IS NOT NULL
    ) p ON p.transfer_id = t.id
    LEFT JOIN ledger_accounts d ON d.id = t.debit LEFT JOIN ledger_accounts c ON c.id = t.credit
    WHERE t.id IS NULL OR p.id IS NULL OR t.kind <> p.kind OR (p.moved IS NOT NULL AND t.amount <> p.moved)
      OR coalesce(c.account_id, d.account_id, p.account_id) <> p.account_id
    UNION ALL
    SELECT format('payment %s, %s: %s of %s went back', p.id, p.state, coalesce(v.amount, 0) + coalesce(l.amount, 0), p.amount)
    FROM x402_payments p LEFT JOIN ledger_transfers v ON v.id = p.void_transfer LEFT JOIN ledger_transfers l ON l.id = p.lost_transfer
    WHERE coalesce(v.amount, 0) + coalesce(l.amount, 0) <> CASE WHEN p.state IN ('void', 'lost') THEN p.amount ELSE 0 END`,
} as const;
