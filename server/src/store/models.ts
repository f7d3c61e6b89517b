import { AUTH_TYPES, DEFAULT_CALL_LIMITS, MODEL_STATES, MODEL_TYPES, type Price } from "../domain/model.ts";
import { Mistake } from "../kit/mistake.ts";
import type { Sealer } from "../kit/sealed.ts";
import type { Secret } from "../kit/secret.ts";
import type { ModelStore, RegisteredModel } from "../providers/model-store.ts";
import type { Database, Queryable } from "./database.ts";

interface ModelRow {
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
  created_at: Date;
  price_version: bigint;
  input_per_million: bigint;
  output_per_million: bigint;
  per_image: bigint;
  per_request: bigint;
}

const COLUMNS = [
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
];

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
      `SELECT m.*, p.id AS price_version, p.input_per_million, p.output_per_million, p.per_image, p.per_request
       FROM models m JOIN LATERAL (SELECT * FROM price_versions v WHERE v.model_id = m.id ORDER BY v.id DESC LIMIT 1) p ON true
       WHERE m.deleted_at IS NULL ORDER BY m.created_at, m.id`,
    );
    return rows.map((row) => this.#modelOf(row));
  }

  async insert(model: RegisteredModel): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const places = COLUMNS.map((_, index) => `$${index + 1}`).join(", ");
      const rows = await connection.query(
        `INSERT INTO models (${COLUMNS.join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING RETURNING id`,
        this.#valuesOf(model),
      );
      if (rows.length === 0) return false;
      await insertPrice(connection, model);
      return true;
    });
  }

  async update(model: RegisteredModel): Promise<void> {
    await this.#database.transaction(async (connection) => {
      const places = COLUMNS.map((column, index) => `${column} = $${index + 1}`)
        .slice(1)
        .join(", ");
      await connection.query(`UPDATE models SET ${places} WHERE id = $1`, this.#valuesOf(model));
      const current = await connection.query<ModelRow>(
        "SELECT * FROM price_versions WHERE model_id = $1 ORDER BY id DESC LIMIT 1",
        [model.id],
      );
      if (current[0] === undefined || !isSamePrice(current[0], model.price))
        await insertPrice(connection, model);
    });
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
    ];
  }

  #open(box: Buffer, { id, provider, name }: ModelRow): Secret {
    try {
      return this.#sealer.open(box, id);
    } catch (error) {
      throw new Mistake(
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
      wire: "trunkline",
      endpoint: row.endpoint,
      authType: oneOf(AUTH_TYPES, row.auth_type),
      credential: row.sealed_credential === null ? undefined : this.#open(row.sealed_credential, row),
      mayDialPrivate: row.may_dial_private,
      price: {
        version: String(row.price_version),
        inputPerMillion: row.input_per_million,
        outputPerMillion: row.output_per_million,
        perImage: row.per_image,
        perRequest: row.per_request,
      },
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
      createdAt: row.created_at,
    };
  }
}

async function insertPrice(connection: Queryable, model: RegisteredModel): Promise<void> {
  const { inputPerMillion, outputPerMillion, perImage, perRequest } = model.price;
  await connection.query(
    "INSERT INTO price_versions (model_id, input_per_million, output_per_million, per_image, per_request) VALUES ($1, $2, $3, $4, $5)",
    [model.id, inputPerMillion, outputPerMillion, perImage, perRequest],
  );
}

function isSamePrice(row: ModelRow, price: Price): boolean {
  return (
    row.input_per_million === price.inputPerMillion &&
    row.output_per_million === price.outputPerMillion &&
    row.per_image === price.perImage &&
    row.per_request === price.perRequest
  );
}

/** The store only holds what validation let in; anything else means that the database was changed by hand. */
function oneOf<Choice extends string>(choices: readonly Choice[], value: string): Choice {
  const choice = choices.find((known) => known === value);
  if (choice === undefined)
    throw new Error(`The store holds "${value}" where one of ${choices.join(", ")} belongs.`);
  return choice;
}
