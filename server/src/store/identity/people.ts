import { ROLES } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type {
  FirstOrganisation,
  JoinedOrganisation,
  NewPerson,
  PeopleStore,
  PersonChange,
  PersonRecord,
} from "../../identity/people/person.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { creditAccount } from "../ledger/ledger.ts";
import { addMember } from "./members.ts";

type PersonRow = Row<"people", "id" | "email" | "name" | "password_hash" | "created_at"> & {
  verified: boolean;
  has_totp: boolean;
  passkeys: number;
};

const PERSON_COLUMNS = `p.id, p.email, p.name, p.password_hash, p.email_verified_at IS NOT NULL AS verified,
  p.totp_confirmed_at IS NOT NULL AS has_totp, (SELECT count(*)::int FROM passkeys k WHERE k.person_id = p.id) AS passkeys, p.created_at`;

/** People and their organisations in PostgreSQL. */
export class PostgresPeople implements PeopleStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<PersonRecord | undefined> {
    const rows = await this.#database.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM people p WHERE p.id = $1`, [id]);
    return rows[0] && personOf(rows[0]);
  }

  async findByEmail(email: string): Promise<PersonRecord | undefined> {
    const rows = await this.#database.query<PersonRow>(
      `SELECT ${PERSON_COLUMNS} FROM people p WHERE lower(p.email) = lower($1)`,
      [email],
    );
    return rows[0] && personOf(rows[0]);
  }

  async create(person: NewPerson, place: FirstOrganisation): Promise<PersonRecord | undefined> {
    const isMade = await this.#database.transaction(async (connection) => {
      if (!(await insertPerson(connection, person))) return false;
      if ("organisation" in place) {
        const accountId = newId();
        await connection.query("INSERT INTO accounts (id, name, provider, operator) VALUES ($1, $2, $3, false)", [
          accountId,
          place.organisation,
          `account-${accountId.slice(-12)}`,
        ]);
        await addMember(connection, accountId, person, "owner");
        if (place.credits > 0n) await grantSignUpCredits(connection, accountId, place.credits, person.email);
      } else {
        await addMember(connection, place.accountId, person, place.role);
      }
      return true;
    });
    return isMade ? this.find(person.id) : undefined;
  }

  /** Locks the operator's row: of two concurrent requests, one creates the first owner. */
  async createFirstOwner(person: NewPerson): Promise<PersonRecord | undefined> {
    const isMade = await this.#database.transaction(async (connection) => {
      const [operator] = await connection.query<Row<"accounts", "id">>(
        "SELECT id FROM accounts a WHERE operator FOR UPDATE",
      );
      if (operator === undefined) return false;
      const members = await connection.query("SELECT 1 FROM members WHERE account_id = $1 LIMIT 1", [operator.id]);
      if (members.length > 0) return false;
      if (!(await insertPerson(connection, person))) return false;
      await addMember(connection, operator.id, person, "owner");
      return true;
    });
    return isMade ? this.find(person.id) : undefined;
  }

  /** Whether the operator's organisation has members yet. */
  async operatorHasMembers(): Promise<boolean> {
    const rows = await this.#database.query(
      "SELECT 1 FROM members m JOIN accounts a ON a.id = m.account_id WHERE a.operator LIMIT 1",
    );
    return rows.length > 0;
  }

  async change(id: string, { name, email, passwordHash }: PersonChange): Promise<boolean> {
    const work = this.#database.transaction(async (connection) => {
      await connection.query(
        `UPDATE people SET name = coalesce($2, name), email = coalesce($3, email), password_hash = coalesce($4, password_hash),
           email_verified_at = CASE WHEN $3::text IS NULL THEN email_verified_at ELSE now() END WHERE id = $1`,
        [id, name ?? null, email ?? null, passwordHash ?? null],
      );
      if (email === undefined) return true;
      // Who gives an address up does not get sign-up credits with it once more.
      await takeSignUpCredits(connection, email);
      await connection.query(
        "UPDATE api_keys k SET name = $2 FROM members m WHERE m.key_id = k.id AND m.person_id = $1",
        [id, `Dashboard (${email})`],
      );
      return true;
    });
    return work.catch((error: unknown) => {
      if (isUniqueViolation(error)) return false;
      throw error;
    });
  }

  async removeSignInMethods(id: string): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query(
        "UPDATE people SET sealed_totp = NULL, totp_confirmed_at = NULL, totp_last_step = NULL WHERE id = $1",
        [id],
      );
      await connection.query("DELETE FROM recovery_codes WHERE person_id = $1", [id]);
      await connection.query("DELETE FROM passkeys WHERE person_id = $1", [id]);
      await connection.query("UPDATE wallets SET person_id = NULL WHERE person_id = $1", [id]);
    });
  }

  /** The organisations that a person belongs to, by name. */
  async membershipsOf(personId: string): Promise<JoinedOrganisation[]> {
    const rows = await this.#database.query<
      Row<"accounts", "id" | "name" | "operator" | "sso_enforced"> & Row<"members", "role">
    >(
      `SELECT a.id, a.name, m.role, a.operator, a.sso_enforced FROM members m JOIN accounts a ON a.id = m.account_id
       WHERE m.person_id = $1 ORDER BY a.name, a.id`,
      [personId],
    );
    return rows.flatMap(({ id, name, role, operator, sso_enforced: ssoEnforced }) => {
      const known = ROLES.find((one) => one === role);
      return known === undefined ? [] : [{ accountId: id, name, role: known, operator, ssoEnforced }];
    });
  }

  /** The organisation that a person opened last, or else their first, of those that they reach without single sign-on. */
  async homeOf(personId: string): Promise<string | undefined> {
    const rows = await this.#database.query<Row<"members", "account_id">>(
      `SELECT m.account_id FROM members m JOIN accounts a ON a.id = m.account_id AND NOT a.sso_enforced LEFT JOIN LATERAL (
         SELECT max(s.last_seen_at) AS seen FROM sessions s WHERE s.person_id = m.person_id AND s.account_id = m.account_id
       ) last ON true
       WHERE m.person_id = $1 ORDER BY last.seen DESC NULLS LAST, m.created_at, m.account_id LIMIT 1`,
      [personId],
    );
    return rows[0]?.account_id;
  }
}

/** Grants them once for each address, also after the account or the person is gone. The primary key decides. */
async function grantSignUpCredits(
  connection: Queryable,
  accountId: string,
  credits: NanoCredits,
  email: string,
): Promise<void> {
  if (!(await takeSignUpCredits(connection, email))) return;
  const transferId = await creditAccount(connection, "grant", accountId, credits, "sign-up credits");
  await connection.query(
    "UPDATE sign_up_credits SET transfer_id = $2 WHERE address_hash = sha256(convert_to(lower($1), 'UTF8'))",
    [email, transferId],
  );
}

/** False where the address had them already. */
async function takeSignUpCredits(connection: Queryable, email: string): Promise<boolean> {
  const rows = await connection.query(
    `INSERT INTO sign_up_credits (address_hash) VALUES (sha256(convert_to(lower($1), 'UTF8')))
     ON CONFLICT DO NOTHING RETURNING 1`,
    [email],
  );
  return rows.length > 0;
}

async function insertPerson(connection: Queryable, person: NewPerson): Promise<boolean> {
  const rows = await connection.query(
    `INSERT INTO people (id, email, name, password_hash, email_verified_at) VALUES ($1, $2, $3, $4, CASE WHEN $5::boolean THEN now() END)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [person.id, person.email, person.name, person.passwordHash ?? null, person.emailVerified],
  );
  return rows.length === 1;
}

/** Another person has the address: the unique index decides. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23505";
}

function personOf(row: PersonRow): PersonRecord {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash ?? undefined,
    emailVerified: row.verified,
    hasTotp: row.has_totp,
    passkeys: row.passkeys,
    createdAt: row.created_at,
  };
}
