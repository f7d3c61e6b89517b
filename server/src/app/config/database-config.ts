import { z } from "zod";
import { readServerList, type ServerRole } from "../../store/database/server-list.ts";
import { ConfigError } from "./config-file.ts";

/** A connection string of one or several servers, of which one with such a role is sought. */
function databaseUrl(roles: readonly ServerRole[]) {
  return z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .superRefine((url, context) => {
      try {
        const role = readServerList(url)?.role;
        if (role === undefined || roles.includes(role)) return;
        context.addIssue({
          code: "custom",
          message: `must have one of these as its target_session_attrs: ${roles.join(", ")}`,
        });
      } catch (error) {
        context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
      }
    });
}

/** The variables that say where the database is. */
export const databaseVariables = {
  DATABASE_URL: databaseUrl(["read-write", "primary"]).optional(),
  DATABASE_READ_URL: databaseUrl(["any", "read-write", "read-only", "primary", "standby", "prefer-standby"]).optional(),
};

/** Where past requests may be read from; undefined: from the database itself. */
export function readReplicaUrl(variables: {
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_READ_URL?: string | undefined;
}): string | undefined {
  if (variables.DATABASE_READ_URL !== undefined && variables.DATABASE_URL === undefined)
    throw new ConfigError("DATABASE_READ_URL needs DATABASE_URL: the embedded PostgreSQL has no replica.");
  return variables.DATABASE_READ_URL;
}
