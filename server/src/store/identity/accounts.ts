import type { Budget } from "@trunkline/core/caller.ts";
import { parseStoredDataRules, toDataRulesJson } from "@trunkline/core/data-rules.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { PRESETS_LENGTH_MAX, PRESETS_MAX, type Preset, parseStoredPresets } from "@trunkline/core/preset.ts";
import { toSafetyRulesJson } from "@trunkline/core/safety-rules-schema.ts";
import type { Account, AccountChange, AccountStore } from "../../identity/organisations/organisations.ts";
import { type AccountsElsewhere, NOTHING_ELSEWHERE } from "../clusters/accounts-elsewhere.ts";
import { HOME } from "../clusters/cluster-registry.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns, readPage } from "../database/sql.ts";
import { grantCredits } from "../ledger/ledger.ts";
import { budgetOf } from "./caller-row.ts";

const ACCOUNT_COLUMNS = [
  "id",
  "name",
  "provider",
  "operator",
  "strategy",
  "keeps_content",
  "third_party_models",
  "origins",
  "data_rules",
  "time_zone",
  "low_balance",
  "budget_thresholds",
  "alert_email",
  "budget_limit",
  "budget_period",
  "created_at",
] as const;
type AccountRow = Row<"accounts", (typeof ACCOUNT_COLUMNS)[number]>;

const SELECT_ACCOUNT = `SELECT ${listColumns(ACCOUNT_COLUMNS)} FROM accounts`;

/** Accounts in PostgreSQL. */
export class PostgresAccounts implements AccountStore {
  readonly #database: Database;
  /** Called after every grant. */
  readonly #onGrant: (accountId: string) => void;

  constructor(database: Database, onGrant: (accountId: string) => void = () => undefined) {
    this.#database = database;
    this.#onGrant = onGrant;
  }

  /** A provider name stays taken after its models are withdrawn, as their usage is stored under it. */
  async create(account: Account): Promise<Account | undefined> {
    const rows = await this.#database.query<AccountRow>(
      `INSERT INTO accounts (id, name, provider, operator) SELECT $1, $2, $3, $4
       WHERE NOT EXISTS (SELECT 1 FROM models WHERE provider = $3) ON CONFLICT DO NOTHING RETURNING ${listColumns(ACCOUNT_COLUMNS)}`,
      [account.id, account.name, account.provider, account.operator],
    );
    return rows[0] && accountOf(rows[0]);
  }

  find(id: string): Promise<Account | undefined> {
    return this.#findBy("id = $1", [id]);
  }

  findByProvider(provider: string): Promise<Account | undefined> {
    return this.#findBy("provider = $1", [provider]);
  }

  /** The accounts other than the operator's that have one of these provider names. */
  async listByProviders(providers: readonly string[]): Promise<Account[]> {
    const rows = await this.#database.query<AccountRow>(
      `${SELECT_ACCOUNT} WHERE NOT operator AND provider = ANY ($1) ORDER BY id`,
      [providers],
    );
    return rows.map(accountOf);
  }

  /** Gives an account, and its models, another provider name. False where the name is taken. What was counted stays under the old one. */
  async renameProvider(id: string, provider: string): Promise<boolean> {
    return this.#database
      .transaction(async (connection) => {
        const taken = await connection.query(
          `SELECT 1 FROM models WHERE provider = $2 AND account_id <> $1
           UNION ALL SELECT 1 FROM accounts WHERE provider = $2 AND id <> $1 LIMIT 1`,
          [id, provider],
        );
        if (taken.length > 0) return false;
        await connection.query("UPDATE accounts SET provider = $2 WHERE id = $1", [id, provider]);
        await connection.query("UPDATE models SET provider = $2 WHERE account_id = $1", [id, provider]);
        return true;
      })
      .catch((error: unknown) => {
        // Of two concurrent requests for one name, the second fails when it writes.
        if (error instanceof Error && "code" in error && error.code === "23505") return false;
        throw error;
      });
  }

  findOperator(): Promise<Account | undefined> {
    return this.#findBy("operator", []);
  }

  async #findBy(condition: string, values: readonly unknown[]): Promise<Account | undefined> {
    const rows = await this.#database.query<AccountRow>(`${SELECT_ACCOUNT} WHERE ${condition}`, values);
    return rows[0] && accountOf(rows[0]);
  }

  async change(id: string, change: AccountChange): Promise<void> {
    await this.#database.query(
      `UPDATE accounts SET strategy = coalesce($2, strategy), keeps_content = coalesce($3, keeps_content),
         time_zone = coalesce($4, time_zone), low_balance = CASE WHEN $5 THEN $6 ELSE low_balance END,
         budget_thresholds = coalesce($7, budget_thresholds), weight_cost = coalesce($8, weight_cost),
         weight_speed = coalesce($9, weight_speed), weight_quality = coalesce($10, weight_quality),
         min_quality = CASE WHEN $11 THEN $12 ELSE min_quality END, learning = coalesce($13, learning),
         safety = CASE WHEN $14 THEN $15::jsonb ELSE safety END,
         third_party_models = coalesce($16, third_party_models),
         origins = CASE WHEN $17 THEN $18::text[] ELSE origins END,
         data_rules = CASE WHEN $19 THEN $20::jsonb ELSE data_rules END,
         alert_email = coalesce($21, alert_email) WHERE id = $1`,
      [
        id,
        change.strategy ?? null,
        change.keepsContent ?? null,
        change.timeZone ?? null,
        "lowBalance" in change,
        change.lowBalance ?? null,
        change.budgetThresholds ?? null,
        change.weights?.cost ?? null,
        change.weights?.speed ?? null,
        change.weights?.quality ?? null,
        "minQuality" in change,
        change.minQuality ?? null,
        change.learning ?? null,
        "safety" in change,
        change.safety === undefined ? null : JSON.stringify(toSafetyRulesJson(change.safety)),
        change.thirdPartyModels ?? null,
        "origins" in change,
        change.origins ?? null,
        "dataRules" in change,
        change.dataRules === undefined ? null : JSON.stringify(toDataRulesJson(change.dataRules)),
        change.alertEmail ?? null,
      ],
    );
  }

  /** What all keys and members may spend together; undefined: as much as there is. */
  async setBudget(id: string, budget: Budget | undefined): Promise<void> {
    await this.#database.query("UPDATE accounts SET budget_limit = $2, budget_period = $3 WHERE id = $1", [
      id,
      budget?.limit ?? null,
      budget?.period ?? null,
    ]);
  }

  async presetsOf(id: string): Promise<ReadonlyMap<string, Preset> | undefined> {
    const rows = await this.#database.query<Row<"accounts", "presets">>("SELECT presets FROM accounts WHERE id = $1", [
      id,
    ]);
    return parseStoredPresets(rows[0]?.presets);
  }

  /** False where the account would have more than it may. */
  async setPreset(id: string, name: string, preset: Preset): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE accounts SET presets = presets || jsonb_build_object($2::text, $3::jsonb)
       WHERE id = $1 AND (presets ? $2 OR (SELECT count(*) FROM jsonb_object_keys(presets)) < ${PRESETS_MAX})
         AND length((presets || jsonb_build_object($2::text, $3::jsonb))::text) <= ${PRESETS_LENGTH_MAX} RETURNING 1`,
      [id, name, JSON.stringify(preset)],
    );
    return rows.length > 0;
  }

  /** False where there is none of this name. */
  async deletePreset(id: string, name: string): Promise<boolean> {
    const rows = await this.#database.query(
      "UPDATE accounts SET presets = presets - $2::text WHERE id = $1 AND presets ? $2 RETURNING 1",
      [id, name],
    );
    return rows.length > 0;
  }

  /** Whether PostgreSQL knows a time zone: its list may lack some that the runtime knows. */
  async knowsTimeZone(name: string): Promise<boolean> {
    const rows = await this.#database.query("SELECT 1 FROM pg_timezone_names WHERE lower(name) = lower($1) LIMIT 1", [
      name,
    ]);
    return rows.length > 0;
  }

  async grant(id: string, amount: NanoCredits, memo: string): Promise<void> {
    await this.#database.transaction((connection) => grantCredits(connection, id, amount, memo));
    this.#onGrant(id);
  }

  /** Creates the operator's account with its first credits, in one transaction: both or neither. */
  async createOperator(account: Account, credits: NanoCredits): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query("INSERT INTO accounts (id, name, provider, operator) VALUES ($1, $2, $3, true)", [
        account.id,
        account.name,
        account.provider,
      ]);
      await grantCredits(connection, account.id, credits, "first start");
    });
  }
}

function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    operator: row.operator,
    strategy: STRATEGIES.find((strategy) => strategy === row.strategy),
    keepsContent: row.keeps_content,
    thirdPartyModels: row.third_party_models,
    origins: row.origins ?? undefined,
    dataRules: parseStoredDataRules(row.data_rules),
    timeZone: row.time_zone,
    alerts: {
      lowBalance: row.low_balance ?? undefined,
      budgetThresholds: row.budget_thresholds,
      email: row.alert_email,
    },
    budget: budgetOf(row.budget_limit, row.budget_period),
    createdAt: row.created_at,
  };
}

/** An account as the operator sees it. */
export interface Customer
  extends Row<
    "accounts",
    "id" | "name" | "provider" | "operator" | "created_at" | "suspended_at" | "closed_at" | "requests_per_minute"
  > {
  readonly balance: NanoCredits;
  /** In the last 30 days, as are its requests. */
  readonly spent: NanoCredits;
  readonly requests: bigint;
  readonly members: bigint;
  readonly owner: string | null;
  readonly models: bigint;
  /** The cluster where it spends. */
  readonly cluster: number;
}

/** What is not given stays. */
interface CustomerChange {
  readonly name?: string | undefined;
  readonly suspended?: boolean | undefined;
  /** null: what the service allows every account. */
  readonly requests_per_minute?: number | null | undefined;
}

interface CustomerFilter {
  /** Part of a name, of a provider's name or of a member's address, or an id. */
  readonly text?: string | undefined;
  readonly state?: "active" | "suspended" | undefined;
  readonly cluster?: number | undefined;
}

const CLUSTER_OF_ACCOUNT = `coalesce((SELECT w.cluster FROM placements w WHERE w.account_id = a.id), ${HOME})`;

const SELECT_CUSTOMER = `
  SELECT a.id, a.name, a.provider, a.operator, a.created_at, a.suspended_at, a.closed_at, a.requests_per_minute,
    coalesce((SELECT sum(balance) FROM ledger_accounts l WHERE l.account_id = a.id), 0)::bigint AS balance,
    coalesce(used.cost, 0)::bigint AS spent, coalesce(used.requests, 0)::bigint AS requests,
    (SELECT count(*) FROM members m WHERE m.account_id = a.id) AS members,
    (SELECT p.email FROM members m JOIN people p ON p.id = m.person_id
     WHERE m.account_id = a.id AND m.role = 'owner' ORDER BY m.created_at LIMIT 1) AS owner,
    (SELECT count(*) FROM models o WHERE o.account_id = a.id AND o.deleted_at IS NULL) AS models,
    ${CLUSTER_OF_ACCOUNT} AS cluster
  FROM accounts a LEFT JOIN LATERAL (
    SELECT sum(cost) AS cost, sum(requests) AS requests FROM usage_quarters u
    WHERE u.account_id = a.id AND u.quarter >= now() - interval '30 days'
  ) AS used ON true`;

/** All accounts, for the operator. */
export class PostgresCustomers {
  readonly #database: Database;
  readonly #elsewhere: AccountsElsewhere;

  constructor(database: Database, elsewhere = NOTHING_ELSEWHERE) {
    this.#database = database;
    this.#elsewhere = elsewhere;
  }

  async list({ text, state, cluster }: CustomerFilter, limit: number, cursor: string | undefined): Promise<Customer[]> {
    const rows = await readPage<Customer>(
      this.#database,
      `${SELECT_CUSTOMER}
       WHERE ($1::text IS NULL OR strpos(lower(a.name), $1) > 0 OR strpos(a.provider, $1) > 0 OR a.id::text = $1 OR EXISTS (
           SELECT 1 FROM members m JOIN people p ON p.id = m.person_id
           WHERE m.account_id = a.id AND strpos(lower(p.email), $1) > 0))
         AND ($2::boolean IS NULL OR (a.suspended_at IS NOT NULL) = $2)
         AND ($3::integer IS NULL OR ${CLUSTER_OF_ACCOUNT} = $3)`,
      [text?.toLowerCase() ?? null, state === undefined ? null : state === "suspended", cluster ?? null],
      { limit, cursor },
      "a.id",
    );
    return this.#withElsewhere(rows);
  }

  async find(id: string): Promise<Customer | undefined> {
    const rows = await this.#database.query<Customer>(`${SELECT_CUSTOMER} WHERE a.id = $1`, [id]);
    return (await this.#withElsewhere(rows))[0];
  }

  /** Adds what accounts have and have used on other clusters. */
  async #withElsewhere(customers: readonly Customer[]): Promise<Customer[]> {
    const balances = await this.#elsewhere.balancesOf(customers.map(({ id }) => id));
    if (balances.size === 0) return [...customers];
    const usage = new Map<string, { spent: bigint; requests: bigint }>();
    for (const other of this.#elsewhere.all()) {
      const rows = await other.query<{ id: string; spent: bigint; requests: bigint }>(
        `SELECT account_id AS id, sum(cost)::bigint AS spent, sum(requests)::bigint AS requests FROM usage_quarters
         WHERE account_id = ANY ($1::uuid[]) AND quarter >= now() - interval '30 days' GROUP BY 1`,
        [[...balances.keys()]],
      );
      for (const { id, spent, requests } of rows) {
        const known = usage.get(id) ?? { spent: 0n, requests: 0n };
        usage.set(id, { spent: known.spent + spent, requests: known.requests + requests });
      }
    }
    return customers.map((customer) => ({
      ...customer,
      balance: customer.balance + (balances.get(customer.id) ?? 0n),
      spent: customer.spent + (usage.get(customer.id)?.spent ?? 0n),
      requests: customer.requests + (usage.get(customer.id)?.requests ?? 0n),
    }));
  }

  async change(id: string, change: CustomerChange): Promise<void> {
    await this.#database.query(
      `UPDATE accounts SET name = coalesce($2::text, name),
         requests_per_minute = CASE WHEN $4 THEN $5::integer ELSE requests_per_minute END,
         suspended_at = CASE WHEN $3::boolean IS NULL THEN suspended_at WHEN $3 THEN coalesce(suspended_at, now()) END WHERE id = $1`,
      [
        id,
        change.name ?? null,
        change.suspended ?? null,
        change.requests_per_minute !== undefined,
        change.requests_per_minute ?? null,
      ],
    );
  }

  /** Raises an account's ceiling to `rate`, where it is lower. `accountRate` is that of accounts without their own. */
  async raiseRate(id: string, rate: number, accountRate: number): Promise<void> {
    await this.#database.query(
      `UPDATE accounts SET requests_per_minute = $2
       WHERE id = $1 AND NOT operator AND coalesce(requests_per_minute, $3::integer) < $2`,
      [id, rate, accountRate],
    );
  }
}
