import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { PersonRecord } from "../../identity/people/person.ts";
import type { EmailDomain, EmailDomainStore } from "../../identity/sso/email-domains.ts";
import type {
  ExternalIdentity,
  ExternalIdentityStore,
  GivenRole,
  IdentityProvider,
  IdentityProviderSettings,
  IdentityProviderStore,
  RoleRule,
} from "../../identity/sso/identity-provider.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import type { PostgresPeople } from "./people.ts";

type ProviderRow = Omit<Row<"identity_providers">, "role_rules" | "default_role" | "created_at"> & {
  role_rules: readonly RoleRule[];
  default_role: GivenRole | null;
  organisation: string;
};

const SELECT_PROVIDER = `
  SELECT i.id, i.account_id, i.name, i.issuer, i.client_id, i.sealed_secret, i.scopes, i.groups_claim, i.role_rules, i.default_role,
    a.name AS organisation
  FROM identity_providers i JOIN accounts a ON a.id = i.account_id`;

/** Organisations' identity providers, in PostgreSQL. */
export class PostgresIdentityProviders implements IdentityProviderStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  find(id: string): Promise<IdentityProvider | undefined> {
    return this.#one(`${SELECT_PROVIDER} WHERE i.id::text = $1`, id);
  }

  findByAccount(accountId: string): Promise<IdentityProvider | undefined> {
    return this.#one(`${SELECT_PROVIDER} WHERE i.account_id = $1`, accountId);
  }

  findByName(name: string): Promise<IdentityProvider | undefined> {
    return this.#one(`${SELECT_PROVIDER} WHERE lower(i.name) = lower($1)`, name);
  }

  findByDomain(domain: string): Promise<IdentityProvider | undefined> {
    return this.#one(
      `${SELECT_PROVIDER} JOIN email_domains d ON d.account_id = i.account_id AND d.verified_at IS NOT NULL WHERE d.domain = $1`,
      domain,
    );
  }

  async save(id: string, accountId: string, settings: IdentityProviderSettings): Promise<boolean> {
    const { name, issuer, clientId, clientSecret, scopes, groupsClaim, roleRules, defaultRole } = settings;
    const sealed =
      clientSecret === undefined ? null : this.#sealer.seal(clientSecret, identityProviderOwner(accountId));
    try {
      await this.#database.query(
        `INSERT INTO identity_providers (id, account_id, name, issuer, client_id, sealed_secret, scopes, groups_claim, role_rules, default_role)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (account_id) DO UPDATE SET name = $3, issuer = $4, client_id = $5, sealed_secret = $6, scopes = $7,
           groups_claim = $8, role_rules = $9, default_role = $10`,
        [
          id,
          accountId,
          name,
          issuer,
          clientId,
          sealed,
          scopes,
          groupsClaim,
          JSON.stringify(roleRules),
          defaultRole ?? null,
        ],
      );
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "23505") return false;
      throw error;
    }
  }

  async remove(accountId: string): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query("UPDATE accounts SET sso_enforced = false WHERE id = $1", [accountId]);
      await connection.query("DELETE FROM identity_providers WHERE account_id = $1", [accountId]);
      await connection.query("DELETE FROM external_identities WHERE account_id = $1", [accountId]);
    });
  }

  async isEnforced(accountId: string): Promise<boolean> {
    const rows = await this.#database.query("SELECT 1 FROM accounts WHERE id = $1 AND sso_enforced", [accountId]);
    return rows.length > 0;
  }

  async setEnforced(accountId: string, enforced: boolean): Promise<void> {
    await this.#database.query("UPDATE accounts SET sso_enforced = $2 WHERE id = $1", [accountId, enforced]);
  }

  async #one(text: string, value: string): Promise<IdentityProvider | undefined> {
    const [row] = await this.#database.query<ProviderRow>(text, [value]);
    if (row === undefined) return undefined;
    return {
      id: row.id,
      accountId: row.account_id,
      organisation: row.organisation,
      name: row.name,
      issuer: row.issuer,
      clientId: row.client_id,
      clientSecret: row.sealed_secret === null ? undefined : this.#open(row.sealed_secret, row.account_id),
      scopes: row.scopes,
      groupsClaim: row.groups_claim,
      roleRules: row.role_rules,
      defaultRole: row.default_role ?? undefined,
    };
  }

  #open(sealed: Buffer, accountId: string): Secret {
    return this.#sealer.open(sealed, identityProviderOwner(accountId));
  }
}

/** What the secret of an identity provider is sealed for. */
export function identityProviderOwner(accountId: string): string {
  return `identity provider of ${accountId}`;
}

/** The people behind the subjects of identity providers, in PostgreSQL. */
export class PostgresExternalIdentities implements ExternalIdentityStore {
  readonly #database: Database;
  readonly #people: PostgresPeople;

  constructor(database: Database, people: PostgresPeople) {
    this.#database = database;
    this.#people = people;
  }

  async findPerson({ accountId, issuer, subject }: ExternalIdentity): Promise<PersonRecord | undefined> {
    const [row] = await this.#database.query<Row<"external_identities", "person_id">>(
      "SELECT person_id FROM external_identities WHERE account_id = $1 AND issuer = $2 AND subject = $3",
      [accountId, issuer, subject],
    );
    return row && this.#people.find(row.person_id);
  }

  async link({ accountId, issuer, subject }: ExternalIdentity, personId: string): Promise<void> {
    await this.#database.query(
      "INSERT INTO external_identities (account_id, issuer, subject, person_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      [accountId, issuer, subject, personId],
    );
  }

  async resetUnverifiedPerson(personId: string): Promise<void> {
    await this.#people.removeSignInMethods(personId);
    await this.#database.transaction(async (connection) => {
      await connection.query("UPDATE people SET password_hash = NULL, email_verified_at = now() WHERE id = $1", [
        personId,
      ]);
      await connection.query("DELETE FROM one_time_tokens WHERE person_id = $1", [personId]);
      await connection.query("DELETE FROM sessions WHERE person_id = $1", [personId]);
    });
  }
}

type DomainRow = Row<"email_domains", "domain" | "token" | "verified_at" | "verified_by" | "created_at">;
const DOMAIN_COLUMNS = "domain, token, verified_at, verified_by, created_at";

/** The domains of organisations' e-mail addresses, in PostgreSQL. */
export class PostgresEmailDomains implements EmailDomainStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(accountId: string): Promise<EmailDomain[]> {
    const rows = await this.#database.query<DomainRow>(
      `SELECT ${DOMAIN_COLUMNS} FROM email_domains WHERE account_id = $1 ORDER BY domain`,
      [accountId],
    );
    return rows.map(domainOf);
  }

  async find(accountId: string, domain: string): Promise<EmailDomain | undefined> {
    const rows = await this.#database.query<DomainRow>(
      `SELECT ${DOMAIN_COLUMNS} FROM email_domains WHERE account_id = $1 AND domain = $2`,
      [accountId, domain],
    );
    return rows[0] && domainOf(rows[0]);
  }

  async add(accountId: string, domain: string, token: string): Promise<void> {
    await this.#database.query(
      "INSERT INTO email_domains (account_id, domain, token) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [accountId, domain, token],
    );
  }

  async verify(accountId: string, domain: string, by: "dns" | "operator"): Promise<boolean> {
    try {
      await this.#database.query(
        `UPDATE email_domains SET verified_at = coalesce(verified_at, now()), verified_by = coalesce(verified_by, $3)
         WHERE account_id = $1 AND domain = $2`,
        [accountId, domain, by],
      );
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "23505") return false;
      throw error;
    }
  }

  async remove(accountId: string, domain: string): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM email_domains WHERE account_id = $1 AND domain = $2 RETURNING 1",
      [accountId, domain],
    );
    return rows.length > 0;
  }
}

function domainOf(row: DomainRow): EmailDomain {
  return {
    domain: row.domain,
    token: row.token,
    verifiedAt: row.verified_at ?? undefined,
    verifiedBy: row.verified_by === "dns" || row.verified_by === "operator" ? row.verified_by : undefined,
    createdAt: row.created_at,
  };
}
