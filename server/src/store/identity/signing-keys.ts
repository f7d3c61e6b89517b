import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { SigningKeyStore } from "../../identity/audit-signer.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

/** Signing keys in PostgreSQL, the private ones sealed. */
export class PostgresSigningKeys implements SigningKeyStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Of two instances that make a key at once, both get the first one. */
  async ensure(name: string, made: { readonly publicKey: string; readonly privateKey: Secret }) {
    await this.#database.query(
      "INSERT INTO signing_keys (name, public_key, sealed_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [name, made.publicKey, this.#sealer.seal(made.privateKey, signingKeyOwner(name))],
    );
    const found = await this.find(name);
    if (found === undefined) throw new Error("A signing key that was just stored is not there.");
    return found;
  }

  async find(name: string) {
    const [row] = await this.#database.query<Row<"signing_keys", "public_key" | "sealed_key">>(
      "SELECT public_key, sealed_key FROM signing_keys WHERE name = $1",
      [name],
    );
    return row && { publicKey: row.public_key, privateKey: this.#sealer.open(row.sealed_key, signingKeyOwner(name)) };
  }
}

/** What a key is sealed for. */
export function signingKeyOwner(name: string): string {
  return `signing key ${name}`;
}
