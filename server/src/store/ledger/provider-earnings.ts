import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import type {
  EarningsMonth,
  EarningsStatement,
  ModelEarnings,
  PaidPayout,
  PayoutMethod,
  ProviderEarningsStore,
  ProviderStanding,
} from "../../ledger/payouts/provider-earnings.ts";
import { composeOverAll, NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database, Queryable } from "../database/database.ts";
import { AT_ONCE } from "../database/pace.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

/** The number of an advisory lock: one instance at a time collects earnings. */
const COLLECTING_LOCK = 7_215_733_004;

/** Providers' earnings in PostgreSQL. */
export class PostgresProviderEarnings implements ProviderEarningsStore {
  readonly #database: Database;
  readonly #others: OtherDatabases;

  /** `others`: where charges earned something as well. What is owed for them is brought to this database. */
  constructor(database: Database, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
  }

  async collect(usualFeePpm: number, pace = AT_ONCE): Promise<number> {
    let collected = 0;
    for (;;) {
      const startedAt = performance.now();
      const earned = await this.#database.transaction((connection) => collectNextSeal(connection, usualFeePpm));
      collected += earned ?? 0;
      if (earned === undefined || !(await pace(performance.now() - startedAt))) return collected;
    }
  }

  async standing(accountId: string): Promise<ProviderStanding> {
    const rows = await this.#database.query<StandingRow>(`${STANDINGS} WHERE a.id = $1`, [accountId]);
    if (rows[0] === undefined) throw new Error("An account has gone.");
    return standingOf(rows[0]);
  }

  async list(limit: number, cursor: string | undefined): Promise<ProviderStanding[]> {
    const rows = await readPage<StandingRow>(
      this.#database,
      `${STANDINGS} WHERE (t.account_id IS NOT NULL OR EXISTS (
         SELECT 1 FROM ledger_accounts l WHERE l.account_id = a.id AND l.kind = 'payable'))`,
      [],
      { limit, cursor },
      "a.id",
    );
    return rows.map(standingOf);
  }

  byModel(accountId: string, from: Date, to: Date): Promise<readonly ModelEarnings[]> {
    return this.#sumByModel(this.#database, accountId, "earned_at >= $2 AND earned_at < $3", [from, to]);
  }

  async months(accountId: string, timeZone: string): Promise<readonly EarningsMonth[]> {
    return (await this.#readMonths(this.#database, accountId, timeZone)).toReversed();
  }

  statement(accountId: string, month: string, timeZone: string): Promise<EarningsStatement | undefined> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      const summary = (await this.#readMonths(connection, accountId, timeZone)).find((entry) => entry.month === month);
      if (summary === undefined) return undefined;
      const isInMonth = "to_char(earned_at AT TIME ZONE $2, 'YYYY-MM') = $3";
      return {
        ...summary,
        byModel: await this.#sumByModel(connection, accountId, isInMonth, [timeZone, month]),
        payouts: await readPaid(connection, accountId, timeZone, month),
      };
    });
  }

  async #sumByModel(own: Queryable, accountId: string, condition: string, values: readonly unknown[]) {
    const { sql, values: given } = await composeOverAll(
      own,
      this.#others.all(),
      "model text, requests bigint, gross bigint, net bigint",
      () => ({
        sql: `SELECT provider || '/' || model AS model, count(DISTINCT request_id) AS requests, sum(gross)::bigint AS gross, sum(net)::bigint AS net
          FROM provider_earnings WHERE account_id = $1 AND ${condition} GROUP BY provider, model`,
        values: [accountId, ...values],
      }),
    );
    const rows = await own.query<{ model: string; requests: bigint; gross: bigint; net: bigint }>(
      `SELECT model, sum(requests)::bigint AS requests, sum(gross)::bigint AS gross, sum(net)::bigint AS net
       FROM (${sql}) AS earned GROUP BY model ORDER BY sum(net) DESC, 1`,
      given,
    );
    return rows.map((row) => ({ ...row, requests: Number(row.requests) }));
  }

  /**
   * The months with an earning or a payment, oldest first. An earning counts for the moment at which it was booked, and a
   * payout for the moment at which it was paid, so that a month that is over never changes.
   */
  async #readMonths(own: Queryable, accountId: string, timeZone: string): Promise<readonly EarningsMonth[]> {
    const { sql, values } = await composeOverAll(
      own,
      this.#others.all(),
      "month text, requests bigint, gross bigint, net bigint, paid bigint",
      () => ({ sql: `${EARNED_BY_MONTH} UNION ALL ${PAID_BY_MONTH}`, values: [accountId, timeZone] }),
    );
    const rows = await own.query<{ month: string; requests: bigint; gross: bigint; net: bigint; paid: bigint }>(
      `SELECT month, sum(requests)::bigint AS requests, sum(gross)::bigint AS gross, sum(net)::bigint AS net, sum(paid)::bigint AS paid
       FROM (${sql}) AS parts GROUP BY month ORDER BY month`,
      values,
    );
    let closing = 0n;
    return rows.map((row) => {
      const opening = closing;
      closing = opening + row.net - row.paid;
      return { ...row, requests: Number(row.requests), opening, closing };
    });
  }

  async setDestination(accountId: string, method: PayoutMethod, destination: string): Promise<void> {
    await this.#database.query(
      `INSERT INTO provider_terms AS t (account_id, payout_method, payout_destination, destination_changed_at)
       VALUES ($1, $2, $3, now())
       ON CONFLICT (account_id) DO UPDATE SET payout_method = $2, payout_destination = $3, destination_changed_at =
         CASE WHEN (t.payout_method, t.payout_destination) IS DISTINCT FROM ($2, $3) THEN now() ELSE t.destination_changed_at END`,
      [accountId, method, destination],
    );
  }

  async setFee(accountId: string, feePpm: number | undefined): Promise<void> {
    await this.#database.query(
      `INSERT INTO provider_terms (account_id, fee_ppm) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE SET fee_ppm = $2`,
      [accountId, feePpm ?? null],
    );
  }
}

/** Collects the earnings of the charges under the next seal. Undefined: there is none, or another instance is at it. */
async function collectNextSeal(connection: Queryable, usualFeePpm: number): Promise<number | undefined> {
  const locks = await connection.query<{ taken: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS taken", [
    COLLECTING_LOCK,
  ]);
  if (locks[0]?.taken !== true) return undefined;
  // In a statement of its own, so that it sees what was committed before the lock was taken.
  const rows = await connection.query<Row<"ledger_seals", "id">>(
    `UPDATE earnings_progress p SET last_seal = s.id FROM ledger_seals s WHERE s.id = p.last_seal + 1 RETURNING s.id`,
  );
  const seal = rows[0];
  if (seal === undefined) return undefined;
  const earned = await connection.query<{ count: bigint }>(COLLECT_SEAL, [seal.id, usualFeePpm]);
  return Number(earned[0]?.count ?? 0n);
}

/** The charges `t` under the seals `s`. */
const SEALED_CHARGES = `ledger_seals s CROSS JOIN LATERAL unnest(s.ids) AS range CROSS JOIN LATERAL (
    SELECT id, credit, request_id FROM ledger_transfers
    WHERE id >= lower(range) AND id < upper(range) AND kind = 'charge' OFFSET 0
  ) t`;

/** How a charge's request is found: by a join of all, or one by one, each by its index. */
const ALL_REQUESTS = "JOIN requests r ON r.id = t.request_id";
const EACH_REQUEST = `CROSS JOIN LATERAL (
    SELECT id, account_id, provider, model, price_version, cost FROM requests WHERE id = t.request_id OFFSET 0
  ) r`;

/** What each charge `t` is made of: its request, or each of the request's legs. */
const chargedParts = (charges: string, requests: string) => `${charges} ${requests} CROSS JOIN LATERAL (
    SELECT 0 AS leg, r.provider, r.model, r.price_version, r.cost WHERE r.price_version <> '${PRICED_BY_SEGMENTS}'
    UNION ALL
    SELECT l.leg, l.provider, l.model, l.price_version, l.cost FROM request_legs l
    WHERE r.price_version = '${PRICED_BY_SEGMENTS}' AND l.request_id = r.id
  ) part`;

/**
 * The parts that earn their model's owner something. The price version says whose model it was when it was quoted, under
 * whatever name. The operator's own models are revenue alone. What an account pays for its own models, it pays the service:
 * else credits that were a gift could be turned into a payout. A request under the client's own key for the provider costs
 * the service's fee alone.
 */
const earningParts = (charges: string, requests: string) => `${chargedParts(charges, requests)}
  JOIN price_versions p ON p.id = CASE WHEN part.price_version ~ '^[0-9]{1,18}$' THEN part.price_version::bigint END AND NOT p.own_key
  JOIN models m ON m.id = p.model_id
  JOIN accounts owner ON owner.id = m.account_id AND NOT owner.operator AND owner.id <> r.account_id`;

/**
 * Those under all seals that fulfil a condition. Their charges are found first: joined seal by seal, all requests would be
 * read for each seal.
 */
export function earningPartsUnder(condition: string): string {
  const charges = `(SELECT t.id, t.credit, t.request_id FROM ${SEALED_CHARGES} WHERE ${condition} OFFSET 0) t`;
  return earningParts(charges, ALL_REQUESTS);
}

/**
 * The provider's share is rounded down to a nano-credit, each part by itself. A seal covers few of very many requests, which
 * the planner can't know: joined, all of them would be read for each seal.
 */
const COLLECT_SEAL = `
WITH earned AS MATERIALIZED (
  SELECT r.id AS request_id, part.leg, owner.id AS account_id, part.provider, part.model, part.cost AS gross, fee.ppm,
    div(part.cost::numeric * (1000000 - fee.ppm), 1000000)::bigint AS net, t.credit AS revenue
  FROM ${earningParts(SEALED_CHARGES, EACH_REQUEST)}
  LEFT JOIN provider_terms terms ON terms.account_id = owner.id
  CROSS JOIN LATERAL (SELECT coalesce(terms.fee_ppm, $2::integer) AS ppm) fee
  -- Found out once: where no provider but the operator has models, no request is looked up.
  WHERE EXISTS (SELECT FROM models JOIN accounts a ON a.id = models.account_id WHERE NOT a.operator)
    AND s.id = $1 AND part.cost > 0
), owed AS (
  SELECT revenue, account_id, sum(net)::bigint AS amount FROM earned GROUP BY 1, 2 HAVING sum(net) > 0
), taken AS (
  UPDATE ledger_accounts a SET balance = a.balance - d.amount
  FROM (SELECT revenue, sum(amount)::bigint AS amount FROM owed GROUP BY 1) d WHERE a.id = d.revenue RETURNING a.id
), payables AS (
  INSERT INTO ledger_accounts AS a (kind, account_id, balance)
  SELECT 'payable', account_id, sum(amount)::bigint FROM owed GROUP BY 2 ORDER BY 2
  ON CONFLICT (account_id) WHERE kind = 'payable' DO UPDATE SET balance = a.balance + EXCLUDED.balance
  RETURNING id, account_id
), moved AS (
  INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
  SELECT 'earning', taken.id, payables.id, owed.amount, format('Charges under seal %s', $1::bigint)
  FROM owed JOIN taken ON taken.id = owed.revenue JOIN payables USING (account_id)
  RETURNING id, debit, credit
), written AS (
  INSERT INTO provider_earnings (request_id, leg, account_id, provider, model, gross, fee_ppm, net, transfer_id)
  SELECT e.request_id, e.leg, e.account_id, e.provider, e.model, e.gross, e.ppm, e.net, CASE WHEN e.net > 0 THEN moved.id END
  FROM earned e LEFT JOIN payables USING (account_id)
  LEFT JOIN moved ON moved.debit = e.revenue AND moved.credit = payables.id
  RETURNING 1
)
SELECT count(*) AS count FROM written`;

type StandingRow = Row<"accounts", "id" | "name" | "provider"> &
  Row<"provider_terms", "fee_ppm" | "payout_method" | "payout_destination" | "destination_changed_at"> & {
    readonly payable: bigint;
    readonly pending: bigint;
    readonly paid: bigint;
  };

const balanceOf = (kind: string) =>
  `coalesce((SELECT balance FROM ledger_accounts WHERE account_id = a.id AND kind = '${kind}'), 0)::bigint`;

const STANDINGS = `SELECT a.id, a.name, a.provider, ${balanceOf("payable")} AS payable, ${balanceOf("payout")} AS pending,
    (SELECT coalesce(sum(amount), 0)::bigint FROM payouts WHERE account_id = a.id AND state = 'sent') AS paid,
    t.fee_ppm, t.payout_method, t.payout_destination, t.destination_changed_at
  FROM accounts a LEFT JOIN provider_terms t ON t.account_id = a.id`;

function standingOf(row: StandingRow): ProviderStanding {
  const { payout_method: method, payout_destination: destination, destination_changed_at: changedAt } = row;
  return {
    accountId: row.id,
    name: row.name,
    provider: row.provider,
    payable: row.payable,
    pending: row.pending,
    paid: row.paid,
    feePpm: row.fee_ppm ?? undefined,
    destination:
      destination === null || changedAt === null
        ? undefined
        : { method: method === "token" ? "token" : "bank", destination, changedAt },
  };
}

const EARNED_BY_MONTH = `SELECT to_char(earned_at AT TIME ZONE $2, 'YYYY-MM') AS month, count(DISTINCT request_id) AS requests,
    sum(gross)::bigint AS gross, sum(net)::bigint AS net, 0::bigint AS paid
  FROM provider_earnings WHERE account_id = $1 GROUP BY 1`;
/** Payouts are at home alone. */
const PAID_BY_MONTH = `SELECT to_char(ended_at AT TIME ZONE $2, 'YYYY-MM'), 0, 0, 0, sum(amount)::bigint
  FROM payouts WHERE account_id = $1 AND state = 'sent' GROUP BY 1`;

async function readPaid(
  connection: Queryable,
  accountId: string,
  timeZone: string,
  month: string,
): Promise<readonly PaidPayout[]> {
  const rows = await connection.query<Row<"payouts", "id" | "amount" | "reference" | "ended_at">>(
    `SELECT id, amount, reference, ended_at FROM payouts
     WHERE account_id = $1 AND state = 'sent' AND to_char(ended_at AT TIME ZONE $2, 'YYYY-MM') = $3 ORDER BY ended_at, id`,
    [accountId, timeZone, month],
  );
  return rows.flatMap(({ id, amount, reference, ended_at: paidAt }) =>
    paidAt === null ? [] : [{ payoutId: id, amount, reference: reference ?? "", paidAt }],
  );
}
