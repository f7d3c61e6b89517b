import { newId } from "@trunkline/core/id.ts";
import type { Role } from "@trunkline/core/role.ts";
import type { Queryable } from "../database/database.ts";

/** How often somebody may do something in the dashboard, whose pages ask for several things at once. */
const REQUESTS_PER_MINUTE = 1_200;

/** Makes somebody a member of an organisation, with the key by which they act in it. It has no secret: only a session uses it. */
export async function addMember(
  connection: Queryable,
  accountId: string,
  { id: personId, email }: { readonly id: string; readonly email: string },
  role: Role,
): Promise<void> {
  const rows = await connection.query<{ id: string }>(
    `INSERT INTO api_keys (id, account_id, name, scopes, requests_per_minute, dashboard, made_by)
     VALUES ($1, $2, $3, '{}', $4, true, $5) RETURNING id`,
    [newId(), accountId, `Dashboard (${email})`, REQUESTS_PER_MINUTE, personId],
  );
  await connection.query(
    "INSERT INTO members (account_id, person_id, role, key_id) VALUES ($1, $2, $3, $4)",
    [accountId, personId, role, rows[0]?.id],
  );
}
