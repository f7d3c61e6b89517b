import type { AcmeState, AcmeStore } from "../tls/acme/acme-certificates.ts";
import type { Challenge } from "../tls/acme/acme-client.ts";
import { announceCertificates } from "./database/changes.ts";
import type { Database } from "./database/database.ts";
import type { Row } from "./database/rows.ts";

/** An instance that does not come back has its lease for this long. */
const LEASE = "interval '5 minutes'";
const CHALLENGE_LIFE = "interval '10 minutes'";

/** The certificate of one name, in PostgreSQL. */
export class PostgresAcmeCertificates implements AcmeStore {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #name: string;
  readonly #directory: string;

  constructor(database: Database, instanceId: string, name: string, directory: string) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#name = name;
    this.#directory = directory;
  }

  async read(): Promise<AcmeState> {
    const [[row], challenges] = await Promise.all([
      this.#database.query<Row<"acme_certificates", "chain" | "key_box">>(
        "SELECT chain, key_box FROM acme_certificates WHERE name = $1",
        [this.#name],
      ),
      this.#database.query<Row<"acme_challenges", "kind" | "domain" | "token" | "key_authorization">>(
        `SELECT kind, domain, token, key_authorization FROM acme_challenges
         WHERE certificate = $1 AND expires_at > now() ORDER BY token`,
        [this.#name],
      ),
    ]);
    const { chain = null, key_box: keyBox = null } = row ?? {};
    return {
      certificate: chain === null || keyBox === null ? undefined : { chain, keyBox },
      challenges: challenges.map(({ kind, domain, token, key_authorization: keyAuthorization }) => ({
        kind: kind === "http-01" ? kind : "tls-alpn-01",
        domain,
        token,
        keyAuthorization,
      })),
    };
  }

  async keyAuthorization(token: string): Promise<string | undefined> {
    const [row] = await this.#database.query<Row<"acme_challenges", "key_authorization">>(
      "SELECT key_authorization FROM acme_challenges WHERE token = $1 AND kind = 'http-01' AND expires_at > now()",
      [token],
    );
    return row?.key_authorization;
  }

  async ensureAccountKey(keyBox: Buffer): Promise<Buffer> {
    await this.#database.query(
      "INSERT INTO acme_accounts (directory, key_box) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [this.#directory, keyBox],
    );
    const [row] = await this.#database.query<Row<"acme_accounts", "key_box">>(
      "SELECT key_box FROM acme_accounts WHERE directory = $1",
      [this.#directory],
    );
    return row?.key_box ?? keyBox;
  }

  async takeLease(): Promise<number | undefined> {
    await this.#database.query("INSERT INTO acme_certificates (name) VALUES ($1) ON CONFLICT DO NOTHING", [this.#name]);
    const [row] = await this.#database.query<Row<"acme_certificates", "failures">>(
      `UPDATE acme_certificates SET leased_by = $2, leased_until = now() + ${LEASE}
       WHERE name = $1 AND next_order_at <= now() AND (leased_until IS NULL OR leased_until < now())
       RETURNING failures`,
      [this.#name, this.#instanceId],
    );
    return row?.failures;
  }

  async releaseLease(): Promise<void> {
    await this.#database.query(
      "UPDATE acme_certificates SET leased_by = NULL, leased_until = NULL WHERE name = $1 AND leased_by = $2",
      [this.#name, this.#instanceId],
    );
  }

  async addChallenges(challenges: readonly Challenge[]): Promise<void> {
    await this.#database.transaction(async (connection) => {
      for (const { token, kind, domain, keyAuthorization } of challenges)
        await connection.query(
          `INSERT INTO acme_challenges (token, certificate, kind, domain, key_authorization, expires_at)
           VALUES ($1, $2, $3, $4, $5, now() + ${CHALLENGE_LIFE})
           ON CONFLICT (token) DO UPDATE SET key_authorization = EXCLUDED.key_authorization, expires_at = EXCLUDED.expires_at`,
          [token, this.#name, kind, domain, keyAuthorization],
        );
      await announceCertificates(connection);
    });
  }

  async saveCertificate(chain: string, keyBox: Buffer): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query(
        `UPDATE acme_certificates SET chain = $2, key_box = $3, failures = 0, next_order_at = now(),
           leased_by = NULL, leased_until = NULL
         WHERE name = $1`,
        [this.#name, chain, keyBox],
      );
      await connection.query("DELETE FROM acme_challenges WHERE certificate = $1", [this.#name]);
      await announceCertificates(connection);
    });
  }

  async saveFailure(pauseMs: number): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query(
        `UPDATE acme_certificates SET failures = failures + 1, next_order_at = now() + $3 * interval '1 millisecond',
           leased_by = NULL, leased_until = NULL
         WHERE name = $1 AND leased_by = $2`,
        [this.#name, this.#instanceId, pauseMs],
      );
      await connection.query("DELETE FROM acme_challenges WHERE certificate = $1", [this.#name]);
      await announceCertificates(connection);
    });
  }
}
