import { newId } from "../kit/id.ts";
import { hashOfToken, newToken } from "../kit/token.ts";
import type { Newcomers, Seat } from "../organisations/newcomers.ts";
import type { Database } from "./database.ts";

/** Those who come in by an invitation. `hashPassword` judges and hashes, this only remembers. */
export function newcomersIn(database: Database, hashPassword: Newcomers["hashPassword"]): Newcomers {
  return {
    hashPassword,
    async openSession(personId: string, accountId: string, { address, agent }: Seat) {
      const token = newToken();
      await database.query(
        `INSERT INTO sessions (id, hash, person_id, account_id, address, agent, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + interval '30 days')`,
        [newId(), hashOfToken(token), personId, accountId, address, agent],
      );
      return token;
    },
  };
}
