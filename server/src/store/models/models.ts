import { isDeepStrictEqual } from "node:util";
import { parseStoredDataClaim, toStoredDataClaim } from "@trunkline/core/data-rules.ts";
import { StartupError } from "@trunkline/core/fault.ts";
import {
  AUTH_TYPES,
  DEFAULT_CALL_LIMITS,
  MODEL_STATES,
  MODEL_TYPES,
  type Model,
  type NextPrice,
  type Price,
  type PricedModel,
  WIRES,
  weightOf,
} from "@trunkline/core/model.ts";
import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import {
  ModelNameTaken,
  type ModelStore,
  type NewModel,
  type RegisteredModel,
} from "@trunkline/providers/catalogue/model-catalogue.ts";
import type { WebhookEvent } from "../../notify/webhooks/deliver.ts";
import { NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns, placeholders } from "../database/sql.ts";
import { enqueueEvent } from "../notify/outbox.ts";
import {
  announcePrice,
  findPrices,
  insertPrice,
  insertPriceIfChanged,
  listPrices,
  PRICE_COLUMNS,
  type PriceRow,
  type PriceVersion,
  priceOfRow,
  readNextPrices,
  readOwnKeyPrices,
  readPrice,
} from "./price-versions.ts";

/** A model with its price, if it has one. */
type ModelRow = PriceRow &
  Row<"models"> & { readonly limits: Partial<RegisteredModel["limits"]>; readonly third_party: boolean };

/** All that is read of a model. */
interface StoredModel {
  readonly row: ModelRow;
  readonly nextPrice: NextPrice | undefined;
  readonly ownKeyPrice: Price | undefined;
}

/** The columns that a registration sets, but for the sealed credential, each with its value. */
const MODEL_COLUMNS: readonly (readonly [keyof Row<"models">, (model: RegisteredModel) => unknown])[] = [
  ["account_id", ({ accountId }) => accountId],
  ["provider", ({ provider }) => provider],
  ["name", ({ name }) => name],
  ["type", ({ type }) => type],
  ["description", ({ description }) => description],
  ["endpoint", ({ endpoint }) => endpoint],
  ["auth_type", ({ authType }) => authType],
  ["may_dial_private", ({ mayDialPrivate }) => mayDialPrivate],
  ["capabilities", ({ capabilities }) => capabilities],
  ["specialties", ({ specialties }) => specialties],
  ["avg_latency_ms", ({ avgLatencyMs }) => avgLatencyMs ?? null],
  ["accuracy_score", ({ accuracyScore }) => accuracyScore ?? null],
  ["cost_efficiency", ({ costEfficiency }) => costEfficiency ?? null],
  ["streaming", ({ streaming }) => streaming],
  ["context_window", ({ contextWindow }) => contextWindow ?? null],
  ["max_output_tokens", ({ maxOutputTokens }) => maxOutputTokens ?? null],
  ["backups", ({ backups }) => backups],
  ["limits", ({ limits }) => JSON.stringify(limits)],
  ["state", ({ state }) => state],
  ["declared", ({ declared }) => declared],
  ["created_at", ({ createdAt }) => createdAt],
  ["wire", ({ wire }) => wire],
  ["upstream_model", ({ upstreamModel }) => upstreamModel ?? null],
  ["batch_discount", ({ batchDiscount }) => batchDiscount ?? 0],
  ["discovered", ({ discovered }) => discovered ?? false],
  ["data_claim", ({ dataClaim }) => (dataClaim === undefined ? null : JSON.stringify(toStoredDataClaim(dataClaim)))],
];
const WRITTEN_COLUMNS = ["id", "sealed_credential", ...MODEL_COLUMNS.map(([name]) => name)];
/** A model's share of the traffic. Written apart, so that no other change undoes it. */
const SHARE_COLUMNS = ["weight", "canary_share"];

/** The accounts but the owner's that used a model in the last 30 days. */
const MODEL_USERS = `SELECT DISTINCT account_id FROM usage_quarters
  WHERE provider = $1 AND model = $2 AND quarter > $3::timestamptz - interval '30 days' AND account_id <> $4
  ORDER BY account_id`;

/** Registered models and their price versions in PostgreSQL, credentials sealed. */
export class PostgresModels implements ModelStore {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #now: () => Date;
  readonly #others: OtherDatabases;
  /** The models as they were last read. */
  #read: ReadonlyMap<string, { readonly stored: StoredModel; readonly model: RegisteredModel }> = new Map();

  constructor(database: Database, sealer: Sealer, now: () => number = Date.now, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
    this.#sealer = sealer;
    this.#now = () => new Date(now());
  }

  /** A model is the same object as long as nothing of it changes. */
  async all(): Promise<RegisteredModel[]> {
    const rows = await this.#database.query<ModelRow>(
      `SELECT m.*, NOT a.operator AS third_party, p.id AS price_version, ${listColumns(PRICE_COLUMNS, "p")}
       FROM models m JOIN accounts a ON a.id = m.account_id LEFT JOIN LATERAL (SELECT * FROM price_versions v WHERE v.model_id = m.id AND NOT v.own_key AND (v.effective_at IS NULL OR v.effective_at <= $1) ORDER BY v.id DESC LIMIT 1) p ON true
       WHERE m.deleted_at IS NULL ORDER BY m.created_at, m.id`,
      [this.#now()],
    );
    const ownKeyPrices = await readOwnKeyPrices(this.#database);
    const nextPrices = await readNextPrices(this.#database, this.#now());
    const read = rows.map((row) => {
      const stored = { row, nextPrice: nextPrices.get(row.id), ownKeyPrice: ownKeyPrices.get(row.id) };
      const known = this.#read.get(row.id);
      return known !== undefined && isDeepStrictEqual(known.stored, stored)
        ? known
        : { stored, model: this.#modelOf(stored) };
    });
    this.#read = new Map(read.map((item) => [item.stored.row.id, item]));
    return read.map(({ model }) => model);
  }

  async insert(model: RegisteredModel & PricedModel, next?: NextPrice): Promise<boolean> {
    return this.#database.transaction((connection) => this.#insertAnnounced(connection, model, next));
  }

  async insertAll(entries: readonly NewModel[]): Promise<void> {
    await this.#database.transaction(async (connection) => {
      for (const { model, next } of entries)
        if (!(await this.#insertAnnounced(connection, model, next))) throw new ModelNameTaken(model.name);
    });
  }

  async #insertAnnounced(
    connection: Queryable,
    model: RegisteredModel & PricedModel,
    next: NextPrice | undefined,
  ): Promise<boolean> {
    if (!(await this.#insert(connection, model))) return false;
    if (next !== undefined) await insertPrice(connection, model.id, next.price, "model", next.effectiveAt);
    return true;
  }

  async withdrawnPrice({ provider, name }: Pick<Model, "provider" | "name">, since: Date): Promise<Price | undefined> {
    const [model] = await this.#database.query<Row<"models", "id">>(
      "SELECT id FROM models WHERE provider = $1 AND name = $2 AND deleted_at > $3 ORDER BY deleted_at DESC LIMIT 1",
      [provider, name, since],
    );
    return model && readPrice(this.#database, model.id, this.#now());
  }

  /** Queues an event for every account but the owner's that used a model in the last 30 days. */
  async notifyUsers(model: RegisteredModel, createEvent: () => WebhookEvent): Promise<void> {
    await this.#database.transaction(async (connection) => {
      const values = [model.provider, model.name, this.#now(), model.accountId];
      const users = await connection.query<Row<"usage_quarters", "account_id">>(MODEL_USERS, values);
      const ids = new Set(users.map(({ account_id: id }) => id));
      for (const other of this.#others.all())
        for (const { account_id: id } of await other.query<Row<"usage_quarters", "account_id">>(MODEL_USERS, values))
          ids.add(id);
      for (const id of ids) await enqueueEvent(connection, id, createEvent(), undefined);
    });
  }

  async #insert(connection: Queryable, model: RegisteredModel & PricedModel): Promise<boolean> {
    const values = [...this.#valuesOf(model), ...shareValuesOf(model)];
    const rows = await connection.query(
      `INSERT INTO models (${listColumns([...WRITTEN_COLUMNS, ...SHARE_COLUMNS])}) VALUES (${placeholders(values.length)})
       ON CONFLICT DO NOTHING RETURNING id`,
      values,
    );
    if (rows.length === 0) return false;
    await insertPrice(connection, model.id, model.price);
    if (model.ownKeyPrice !== undefined)
      await insertPriceIfChanged(connection, model.id, model.ownKeyPrice, this.#now(), "own-key");
    return true;
  }

  async setState(
    id: string,
    { state, blockedReason }: Pick<RegisteredModel, "state" | "blockedReason">,
  ): Promise<void> {
    await this.#database.query("UPDATE models SET state = $2, blocked_reason = $3 WHERE id = $1", [
      id,
      state,
      blockedReason ?? null,
    ]);
  }

  async setTrafficShare(id: string, share: Pick<Model, "weight" | "canaryShare">): Promise<void> {
    await this.#database.query("UPDATE models SET weight = $2, canary_share = $3 WHERE id = $1", [
      id,
      ...shareValuesOf(share),
    ]);
  }

  async update(model: RegisteredModel, next?: NextPrice): Promise<void> {
    await this.#database.transaction((connection) => this.#update(connection, model, next));
  }

  async upsertAll(models: readonly (RegisteredModel & PricedModel)[]): Promise<void> {
    await this.#database.transaction(async (connection) => {
      for (const model of models) {
        if (!(await this.#update(connection, model))) await this.#insert(connection, model);
      }
    });
  }

  /** False where there is no such model. */
  async #update(connection: Queryable, model: RegisteredModel, next?: NextPrice): Promise<boolean> {
    // A change of a model may be based on a state from before the operator blocked it.
    const changes = WRITTEN_COLUMNS.slice(1).map((column, index) =>
      column === "state"
        ? `state = CASE state WHEN 'blocked' THEN state ELSE $${index + 2} END`
        : `${column} = $${index + 2}`,
    );
    const rows = await connection.query(
      `UPDATE models SET ${changes.join(", ")} WHERE id = $1 RETURNING id`,
      this.#valuesOf(model),
    );
    if (rows.length === 0) return false;
    if (model.price !== undefined) await announcePrice(connection, model.id, model.price, next, this.#now());
    if (model.ownKeyPrice !== undefined)
      await insertPriceIfChanged(connection, model.id, model.ownKeyPrice, this.#now(), "own-key");
    return true;
  }

  /** One page of all prices that a model ever had, newest first. */
  pricesOf(id: string, limit: number, cursor: string | undefined): Promise<PriceVersion[]> {
    return listPrices(this.#database, id, limit, cursor);
  }

  /** Prices by the numbers of their versions. */
  pricesBy(versions: readonly string[]): Promise<Map<string, Price>> {
    return findPrices(this.#database, versions);
  }

  /** Keeps a model's last check, in the place of the one before. */
  async saveCheck(id: string, check: ModelCheck): Promise<void> {
    await this.#database.query(
      `INSERT INTO model_checks AS c (model_id, passed, findings, checked_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (model_id) DO UPDATE SET passed = EXCLUDED.passed, findings = EXCLUDED.findings, checked_at = EXCLUDED.checked_at
       WHERE c.checked_at <= EXCLUDED.checked_at`,
      [id, check.passed, JSON.stringify(check.findings), check.checkedAt],
    );
  }

  /** The last conformance checks of some models, by the models' ids. */
  async checksOf(ids: readonly string[]): Promise<Map<string, ModelCheck>> {
    const rows = await this.#database.query<Row<"model_checks"> & Pick<ModelCheck, "findings">>(
      "SELECT * FROM model_checks WHERE model_id = ANY ($1::uuid[])",
      [ids],
    );
    return new Map(
      rows.map((row) => [row.model_id, { passed: row.passed, findings: row.findings, checkedAt: row.checked_at }]),
    );
  }

  async remove(id: string): Promise<void> {
    await this.#database.query("UPDATE models SET deleted_at = $2 WHERE id = $1", [id, this.#now()]);
  }

  #valuesOf(model: RegisteredModel): unknown[] {
    const credential = model.credential && this.#sealer.seal(model.credential, model.id);
    return [model.id, credential ?? null, ...MODEL_COLUMNS.map(([, read]) => read(model))];
  }

  #openCredential(box: Buffer, { id, provider, name }: ModelRow): Secret {
    try {
      return this.#sealer.open(box, id);
    } catch (error) {
      throw new StartupError(
        `The credential of ${provider}/${name} can't be decrypted. It was encrypted under another secret: start with the TRUNKLINE_SECRET (or the data folder's file \`secret\`) that was used before.`,
        { cause: error },
      );
    }
  }

  #modelOf({ row, nextPrice, ownKeyPrice }: StoredModel): RegisteredModel {
    return {
      id: row.id,
      accountId: row.account_id,
      thirdParty: row.third_party || undefined,
      provider: row.provider,
      name: row.name,
      type: oneOf(MODEL_TYPES, row.type),
      description: row.description,
      wire: oneOf(WIRES, row.wire),
      upstreamModel: row.upstream_model ?? undefined,
      batchDiscount: row.batch_discount === 0 ? undefined : row.batch_discount,
      endpoint: row.endpoint,
      authType: oneOf(AUTH_TYPES, row.auth_type),
      credential: row.sealed_credential === null ? undefined : this.#openCredential(row.sealed_credential, row),
      mayDialPrivate: row.may_dial_private,
      price: priceOfRow(row),
      capabilities: row.capabilities,
      specialties: row.specialties,
      avgLatencyMs: row.avg_latency_ms ?? undefined,
      accuracyScore: row.accuracy_score ?? undefined,
      costEfficiency: row.cost_efficiency ?? undefined,
      streaming: row.streaming,
      contextWindow: row.context_window ?? undefined,
      maxOutputTokens: row.max_output_tokens ?? undefined,
      backups: row.backups,
      limits: { ...DEFAULT_CALL_LIMITS, ...row.limits },
      state: oneOf(MODEL_STATES, row.state),
      declared: row.declared,
      discovered: row.discovered || undefined,
      dataClaim: parseStoredDataClaim(row.data_claim),
      weight: row.weight === 1 ? undefined : row.weight,
      canaryShare: row.canary_share ?? undefined,
      blockedReason: row.blocked_reason ?? undefined,
      createdAt: row.created_at,
      nextPrice,
      ownKeyPrice,
    };
  }
}

function shareValuesOf(model: Pick<Model, "weight" | "canaryShare">): unknown[] {
  return [weightOf(model), model.canaryShare ?? null];
}

/** Validation admits no other values: anything else means that the table was changed outside the service. */
function oneOf<Choice extends string>(choices: readonly Choice[], value: string): Choice {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw new Error(`The store holds "${value}" where one of ${choices.join(", ")} belongs.`);
  return choice;
}

/** The findings of a conformance check of a model. */
export interface ModelCheck {
  readonly passed: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly verdict: "pass" | "warn" | "fail";
    readonly message: string;
  }[];
  readonly checkedAt: Date;
}
