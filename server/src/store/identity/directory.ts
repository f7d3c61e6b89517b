import type {
  DirectoryGroup,
  DirectoryPage,
  DirectoryQuery,
  DirectoryStore,
  DirectoryUser,
} from "../../identity/directory/directory.ts";
import type { DirectoryGroupDraft, DirectoryUserDraft } from "../../identity/directory/directory-resources.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { type FilterColumn, filterToSql } from "./directory-filter.ts";

type UserRow = Row<"directory_users"> & { groups: readonly { id: string; displayName: string }[] };
type GroupRow = Row<"directory_groups"> & { member_ids: readonly string[] };

const SELECT_USER = `SELECT r.*, coalesce((SELECT jsonb_agg(jsonb_build_object('id', g.id, 'displayName', g.display_name) ORDER BY g.id)
    FROM directory_group_members m JOIN directory_groups g ON g.id = m.group_id WHERE m.user_id = r.id), '[]') AS groups
  FROM directory_users r`;
const SELECT_GROUP = `SELECT r.*, ARRAY(SELECT m.user_id::text FROM directory_group_members m WHERE m.group_id = r.id ORDER BY m.user_id) AS member_ids
  FROM directory_groups r`;

const COMMON_COLUMNS: Readonly<Record<string, FilterColumn>> = {
  id: { sql: "r.id::text", type: "exact text" },
  externalid: { sql: "r.external_id", type: "exact text" },
  displayname: { sql: "r.display_name", type: "text" },
  "meta.created": { sql: "r.created_at", type: "time" },
  "meta.lastmodified": { sql: "r.changed_at", type: "time" },
};
const USER_COLUMNS: Readonly<Record<string, FilterColumn>> = {
  ...COMMON_COLUMNS,
  username: { sql: "r.user_name", type: "text" },
  emails: { sql: "r.email", type: "text" },
  "emails.value": { sql: "r.email", type: "text" },
  "name.givenname": { sql: "r.given_name", type: "text" },
  "name.familyname": { sql: "r.family_name", type: "text" },
  "name.formatted": { sql: "r.display_name", type: "text" },
  active: { sql: "r.active", type: "boolean" },
};

/** What organisations' directories have sent, in PostgreSQL. */
export class PostgresDirectory implements DirectoryStore {
  readonly #database: Database;
  readonly #refuseFilter: () => Error;

  /** `refuseFilter` makes the fault for a filter by attributes that can't be filtered by. */
  constructor(database: Database, refuseFilter: () => Error) {
    this.#database = database;
    this.#refuseFilter = refuseFilter;
  }

  async listUsers(accountId: string, query: DirectoryQuery): Promise<DirectoryPage<DirectoryUser>> {
    const { total, rows } = await this.#page<UserRow>(SELECT_USER, "directory_users", USER_COLUMNS, accountId, query);
    return { total, resources: rows.map(userOf) };
  }

  async findUser(accountId: string, id: string): Promise<DirectoryUser | undefined> {
    const rows = await this.#database.query<UserRow>(`${SELECT_USER} WHERE r.account_id = $1 AND r.id = $2`, [
      accountId,
      id,
    ]);
    return rows[0] && userOf(rows[0]);
  }

  saveUser(accountId: string, id: string, draft: DirectoryUserDraft): Promise<boolean> {
    return unlessTaken(writeUser(this.#database, accountId, id, draft));
  }

  async changeUser(
    accountId: string,
    id: string,
    change: (user: DirectoryUser) => DirectoryUserDraft,
  ): Promise<boolean> {
    return unlessTaken(
      this.#database.transaction(async (connection) => {
        const rows = await connection.query<UserRow>(
          `${SELECT_USER} WHERE r.account_id = $1 AND r.id = $2 FOR UPDATE OF r`,
          [accountId, id],
        );
        if (rows[0] !== undefined) await writeUser(connection, accountId, id, change(userOf(rows[0])));
      }),
    );
  }

  async setPerson(accountId: string, id: string, personId: string): Promise<void> {
    await this.#database.query("UPDATE directory_users SET person_id = $3 WHERE account_id = $1 AND id = $2", [
      accountId,
      id,
      personId,
    ]);
  }

  async removeUser(accountId: string, id: string): Promise<void> {
    await this.#database.query("DELETE FROM directory_users WHERE account_id = $1 AND id = $2", [accountId, id]);
  }

  async listGroups(accountId: string, query: DirectoryQuery): Promise<DirectoryPage<DirectoryGroup>> {
    const select = [SELECT_GROUP, "directory_groups", COMMON_COLUMNS] as const;
    const { total, rows } = await this.#page<GroupRow>(...select, accountId, query);
    return { total, resources: rows.map(groupOf) };
  }

  async findGroup(accountId: string, id: string): Promise<DirectoryGroup | undefined> {
    const rows = await this.#database.query<GroupRow>(`${SELECT_GROUP} WHERE r.account_id = $1 AND r.id = $2`, [
      accountId,
      id,
    ]);
    return rows[0] && groupOf(rows[0]);
  }

  saveGroup(accountId: string, id: string, draft: DirectoryGroupDraft): Promise<boolean> {
    return unlessTaken(this.#database.transaction((connection) => writeGroup(connection, accountId, id, draft)));
  }

  async changeGroup(
    accountId: string,
    id: string,
    change: (group: DirectoryGroup) => DirectoryGroupDraft,
  ): Promise<boolean> {
    return unlessTaken(
      this.#database.transaction(async (connection) => {
        // The members are read by a statement of its own: one that waits for a lock sees them as they were before.
        await connection.query("SELECT FROM directory_groups WHERE account_id = $1 AND id = $2 FOR UPDATE", [
          accountId,
          id,
        ]);
        const rows = await connection.query<GroupRow>(`${SELECT_GROUP} WHERE r.account_id = $1 AND r.id = $2`, [
          accountId,
          id,
        ]);
        if (rows[0] !== undefined) await writeGroup(connection, accountId, id, change(groupOf(rows[0])));
      }),
    );
  }

  async existingUsers(accountId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<Row<"directory_users", "id">>(
      "SELECT id FROM directory_users WHERE account_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id",
      [accountId, ids],
    );
    return rows.map(({ id }) => id);
  }

  async removeGroup(accountId: string, id: string): Promise<void> {
    await this.#database.query("DELETE FROM directory_groups WHERE account_id = $1 AND id = $2", [accountId, id]);
  }

  /** What the directory says of a person who logs in: their groups, and whether they were switched off. */
  async readStanding(
    accountId: string,
    email: string,
    personId: string | undefined,
  ): Promise<{ isActive: boolean; groups: readonly string[] } | undefined> {
    const rows = await this.#database.query<UserRow>(
      `${SELECT_USER} WHERE r.account_id = $1 AND (lower(r.email) = lower($2) OR r.person_id = $3) ORDER BY r.active LIMIT 1`,
      [accountId, email, personId ?? null],
    );
    const [row] = rows;
    return row && { isActive: row.active, groups: row.groups.map(({ displayName }) => displayName) };
  }

  async #page<Found extends object>(
    select: string,
    table: string,
    columns: Readonly<Record<string, FilterColumn>>,
    accountId: string,
    { filter, startIndex, count }: DirectoryQuery,
  ): Promise<{ total: number; rows: Found[] }> {
    const values: unknown[] = [accountId];
    const condition = filter === undefined ? "true" : filterToSql(filter, columns, values);
    if (condition === undefined) throw this.#refuseFilter();
    const where = `WHERE r.account_id = $1 AND (${condition})`;
    const [counted] = await this.#database.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM ${table} r ${where}`,
      values,
    );
    const rows = await this.#database.query<Found>(
      `${select} ${where} ORDER BY r.id LIMIT ${count} OFFSET ${startIndex - 1}`,
      values,
    );
    return { total: counted?.total ?? 0, rows };
  }
}

async function writeUser(
  database: Pick<Database, "query">,
  accountId: string,
  id: string,
  { userName, externalId, email, displayName, givenName, familyName, active }: DirectoryUserDraft,
): Promise<void> {
  await database.query(
    `INSERT INTO directory_users (id, account_id, user_name, external_id, email, display_name, given_name, family_name, active)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (id) DO UPDATE SET user_name = $3, external_id = $4, email = $5, display_name = $6, given_name = $7,
       family_name = $8, active = $9, changed_at = now() WHERE directory_users.account_id = $2`,
    [
      id,
      accountId,
      userName,
      externalId ?? null,
      email,
      displayName ?? null,
      givenName ?? null,
      familyName ?? null,
      active,
    ],
  );
}

async function writeGroup(
  connection: Pick<Database, "query">,
  accountId: string,
  id: string,
  { displayName, externalId, memberIds }: DirectoryGroupDraft,
): Promise<void> {
  await connection.query(
    `INSERT INTO directory_groups (id, account_id, display_name, external_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET display_name = $3, external_id = $4, changed_at = now()
     WHERE directory_groups.account_id = $2`,
    [id, accountId, displayName, externalId ?? null],
  );
  await connection.query("DELETE FROM directory_group_members WHERE group_id = $1 AND user_id <> ALL ($2::uuid[])", [
    id,
    memberIds,
  ]);
  await connection.query(
    `INSERT INTO directory_group_members (group_id, user_id)
     SELECT $1, u.id FROM directory_users u WHERE u.account_id = $2 AND u.id = ANY ($3::uuid[]) ON CONFLICT DO NOTHING`,
    [id, accountId, memberIds],
  );
}

async function unlessTaken(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "23505") return false;
    throw error;
  }
}

function userOf(row: UserRow): DirectoryUser {
  return {
    id: row.id,
    personId: row.person_id ?? undefined,
    userName: row.user_name,
    externalId: row.external_id ?? undefined,
    email: row.email,
    displayName: row.display_name ?? undefined,
    givenName: row.given_name ?? undefined,
    familyName: row.family_name ?? undefined,
    active: row.active,
    groups: row.groups,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function groupOf(row: GroupRow): DirectoryGroup {
  return {
    id: row.id,
    displayName: row.display_name,
    externalId: row.external_id ?? undefined,
    memberIds: row.member_ids,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
