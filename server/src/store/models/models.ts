import { StartupError } from "@trunkline/core/fault.ts";
import {
  AUTH_TYPES,
  DEFAULT_CALL_LIMITS,
  MODEL_STATES,
  MODEL_TYPES,
  type Model,
  type Price,
  type PricedModel,
  WIRES,
  weightOf,
} from "@trunkline/core/model.ts";
import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { ModelStore, RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import type { Database, Queryable } from "../database/database.ts";
import {
  findPrices,
  insertPrice,
  insertPriceIfChanged,
  listPrices,
  PRICE_COLUMNS,
  type PriceRow,
  type PriceVersion,
  priceOfRow,
  readOwnKeyPrices,
} from "./price-versions.ts";

/** Without a price where no version of it is there. */
interface ModelRow extends PriceRow {
  id: string;
  account_id: string;
  provider: string;
  name: string;
  type: string;
  description: string;
  endpoint: string;
  auth_type: string;
  sealed_credential: Buffer | null;
  may_dial_private: boolean;
  capabilities: string[];
  specialties: string[];
  avg_latency_ms: number | null;
  accuracy_score: number | null;
  cost_efficiency: string | null;
  streaming: boolean;
  context_window: number | null;
  max_output_tokens: number | null;
  backups: string[];
  limits: Partial<RegisteredModel["limits"]>;
  state: string;
  declared: boolean;
  wire: string;
  upstream_model: string | null;
  batch_discount: number;
  blocked_reason: string | null;
  created_at: Date;
  discovered: boolean;
  weight: number;
  canary_share: number | null;
}

/** What a provider says of its model, and what becomes of it. */
const MODEL_COLUMNS = [
  "id",
  "account_id",
  "provider",
  "name",
  "type",
  "description",
  "endpoint",
  "auth_type",
  "sealed_credential",
  "may_dial_private",
  "capabilities",
  "specialties",
  "avg_latency_ms",
  "accuracy_score",
  "cost_efficiency",
  "streaming",
  "context_window",
  "max_output_tokens",
  "backups",
  "limits",
  "state",
  "declared",
  "created_at",
  "wire",
  "upstream_model",
  "batch_discount",
  "discovered",
];
/** How much of the traffic it gets. Written apart, so that no change of the rest undoes it. */
const SHARE_COLUMNS = ["weight", "canary_share"];

/** Registered models and their price versions in PostgreSQL, credentials sealed. */
export class PostgresModels implements ModelStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async all(): Promise<RegisteredModel[]> {
    const rows = await this.#database.query<ModelRow>(
      `SELECT m.*, p.id AS price_version, ${PRICE_COLUMNS.map((column) => `p.${column}`).join(", ")}
       FROM models m LEFT JOIN LATERAL (SELECT * FROM price_versions v WHERE v.model_id = m.id AND NOT v.own_key ORDER BY v.id DESC LIMIT 1) p ON true
       WHERE m.deleted_at IS NULL ORDER BY m.created_at, m.id`,
    );
    const ownKeyPrices = await readOwnKeyPrices(this.#database);
    return rows.map((row) => ({ ...this.#modelOf(row), ownKeyPrice: ownKeyPrices.get(row.id) }));
  }

  async insert(model: RegisteredModel & PricedModel): Promise<boolean> {
    return this.#database.transaction((connection) => this.#insert(connection, model));
  }

  async #insert(connection: Queryable, model: RegisteredModel & PricedModel): Promise<boolean> {
    const columns = [...MODEL_COLUMNS, ...SHARE_COLUMNS];
    const places = columns.map((_, index) => `$${index + 1}`).join(", ");
    const rows = await connection.query(
      `INSERT INTO models (${columns.join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING RETURNING id`,
      [...this.#valuesOf(model), ...shareValuesOf(model)],
    );
    if (rows.length === 0) return false;
    await insertPrice(connection, model.id, model.price);
    if (model.ownKeyPrice !== undefined) await insertPriceIfChanged(connection, model.id, model.ownKeyPrice, "own-key");
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

  async update(model: RegisteredModel): Promise<void> {
    await this.#database.transaction((connection) => this.#update(connection, model));
  }

  async upsertAll(models: readonly (RegisteredModel & PricedModel)[]): Promise<void> {
    await this.#database.transaction(async (connection) => {
      for (const model of models) {
        if (!(await this.#update(connection, model))) await this.#insert(connection, model);
      }
    });
  }

  /** False where there is no such model. */
  async #update(connection: Queryable, model: RegisteredModel): Promise<boolean> {
    // A change of a model may be based on a state from before the operator blocked it.
    const places = MODEL_COLUMNS.map((column, index) =>
      column === "state"
        ? `state = CASE state WHEN 'blocked' THEN state ELSE $${index + 1} END`
        : `${column} = $${index + 1}`,
    )
      .slice(1)
      .join(", ");
    const rows = await connection.query(
      `UPDATE models SET ${places} WHERE id = $1 RETURNING id`,
      this.#valuesOf(model),
    );
    if (rows.length === 0) return false;
    if (model.price !== undefined) await insertPriceIfChanged(connection, model.id, model.price);
    if (model.ownKeyPrice !== undefined) await insertPriceIfChanged(connection, model.id, model.ownKeyPrice, "own-key");
    return true;
  }

  /** Every price that a model ever had, the newest first. */
  pricesOf(id: string, limit: number, before: string | undefined): Promise<PriceVersion[]> {
    return listPrices(this.#database, id, limit, before);
  }

  /** Prices by the numbers of their versions. */
  pricesBy(versions: readonly string[]): Promise<Map<string, Price>> {
    return findPrices(this.#database, versions);
  }

  saveCheck(id: string, check: ModelCheck): Promise<void> {
    return saveModelCheck(this.#database, id, check);
  }

  /** What the last conformance checks saw, by the models' ids. */
  checksOf(ids: readonly string[]): Promise<Map<string, ModelCheck>> {
    return findModelChecks(this.#database, ids);
  }

  async remove(id: string): Promise<void> {
    await this.#database.query("UPDATE models SET deleted_at = now() WHERE id = $1", [id]);
  }

  #valuesOf(model: RegisteredModel): unknown[] {
    return [
      model.id,
      model.accountId,
      model.provider,
      model.name,
      model.type,
      model.description,
      model.endpoint,
      model.authType,
      model.credential === undefined ? null : this.#sealer.seal(model.credential, model.id),
      model.mayDialPrivate,
      model.capabilities,
      model.specialties,
      model.avgLatencyMs ?? null,
      model.accuracyScore ?? null,
      model.costEfficiency ?? null,
      model.streaming,
      model.contextWindow ?? null,
      model.maxOutputTokens ?? null,
      model.backups,
      JSON.stringify(model.limits),
      model.state,
      model.declared,
      model.createdAt,
      model.wire,
      model.upstreamModel ?? null,
      model.batchDiscount ?? 0,
      model.discovered ?? false,
    ];
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

  #modelOf(row: ModelRow): RegisteredModel {
    return {
      id: row.id,
      accountId: row.account_id,
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
      weight: row.weight === 1 ? undefined : row.weight,
      canaryShare: row.canary_share ?? undefined,
      blockedReason: row.blocked_reason ?? undefined,
      createdAt: row.created_at,
    };
  }
}

function shareValuesOf(model: Pick<Model, "weight" | "canaryShare">): unknown[] {
  return [weightOf(model), model.canaryShare ?? null];
}

/** The store only holds what validation let in; anything else means that the database was changed by hand. */
function oneOf<Choice extends string>(choices: readonly Choice[], value: string): Choice {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw new Error(`The store holds "${value}" where one of ${choices.join(", ")} belongs.`);
  return choice;
}

/** What a conformance check of a model saw, and when. */
export interface ModelCheck {
  readonly passed: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly verdict: "pass" | "warn" | "fail";
    readonly message: string;
  }[];
  readonly checkedAt: Date;
}

interface CheckRow {
  model_id: string;
  passed: boolean;
  findings: ModelCheck["findings"];
  checked_at: Date;
}

/** Keeps a model's last check, in the place of the one before. */
async function saveModelCheck(connection: Queryable, modelId: string, check: ModelCheck): Promise<void> {
  await connection.query(
    `INSERT INTO model_checks AS c (model_id, passed, findings, checked_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (model_id) DO UPDATE SET passed = EXCLUDED.passed, findings = EXCLUDED.findings, checked_at = EXCLUDED.checked_at
     WHERE c.checked_at <= EXCLUDED.checked_at`,
    [modelId, check.passed, JSON.stringify(check.findings), check.checkedAt],
  );
}

/** The last checks of some models, by the models' ids. */
async function findModelChecks(connection: Queryable, modelIds: readonly string[]): Promise<Map<string, ModelCheck>> {
  const rows = await connection.query<CheckRow>("SELECT * FROM model_checks WHERE model_id = ANY ($1::uuid[])", [
    modelIds,
  ]);
  return new Map(
    rows.map((row) => [row.model_id, { passed: row.passed, findings: row.findings, checkedAt: row.checked_at }]),
  );
}
