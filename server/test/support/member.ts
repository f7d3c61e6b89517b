import type { Role } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import { addMember } from "../../src/store/identity/members.ts";
import { type Answer, call, type StartedService } from "./started-service.ts";

/** A person who is logged in to the dashboard. */
export interface TestMember {
  readonly personId: string;
  readonly accountId: string;
  readonly email: string;
  readonly cookie: string;
  /** Sends what the dashboard's own page would send. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Adds a member to an organisation, or to a new one, and logs them in. */
export async function openMember(
  service: StartedService,
  role: Role = "owner",
  accountId?: string,
): Promise<TestMember> {
  const organisation = accountId ?? (await openOrganisation(service));
  const person = { id: newId(), email: `${role}-${newId().slice(-12)}@example.test` };
  const token = newToken();
  await service.database.transaction(async (connection) => {
    await connection.query("INSERT INTO people (id, email, name, email_verified_at) VALUES ($1, $2, $3, now())", [
      person.id,
      person.email,
      `The ${role}`,
    ]);
    await addMember(connection, organisation, person, role);
    await connection.query(
      `INSERT INTO sessions (id, hash, person_id, account_id, address, agent, expires_at)
       VALUES ($1, $2, $3, $4, '127.0.0.1', 'a test', now() + interval '1 day')`,
      [newId(), hashOfToken(token), person.id, organisation],
    );
  });
  const cookie = `trunkline_session=${token}`;
  return {
    personId: person.id,
    accountId: organisation,
    email: person.email,
    cookie,
    call: (method, path, body, headers) =>
      call(service.url, method, path, body, {
        key: null,
        headers: { cookie, origin: service.url, ...headers },
      }),
  };
}

async function openOrganisation(service: StartedService): Promise<string> {
  const { json } = await service.call("POST", "/v1/admin/accounts", { name: "An organisation" });
  return json.id;
}
