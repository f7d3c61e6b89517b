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

const PRIMARY: readonly ServerRole[] = ["read-write", "primary"];

/** The variables that say where the database is. */
export const databaseVariables = {
  DATABASE_URL: databaseUrl(PRIMARY).optional(),
  DATABASE_URLS: z
    .string()
    .transform((text) => text.split(/\s+/).filter((url) => url !== ""))
    .pipe(z.array(databaseUrl(PRIMARY)).min(1))
    .optional(),
  DATABASE_READ_URL: databaseUrl(["any", "read-write", "read-only", "primary", "standby", "prefer-standby"]).optional(),
};

/**
 * The environment with the first of DATABASE_URLS as DATABASE_URL: it has everything but the spending of accounts that were
 * placed on another one.
 */
export function withHomeDatabase(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const { DATABASE_URL: one, DATABASE_URLS: several } = environment;
  if (several === undefined) return environment;
  if (one !== undefined)
    throw new ConfigError(
      "Set DATABASE_URL or DATABASE_URLS, not both: the first of DATABASE_URLS is the home cluster.",
    );
  return { ...environment, DATABASE_URL: several.trim().split(/\s+/)[0] };
}

interface DatabaseVariables {
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_URLS?: readonly string[] | undefined;
  readonly DATABASE_READ_URL?: string | undefined;
  readonly TRUNKLINE_WAL_ARCHIVE?: string | undefined;
}

/** Where the databases are, and where past requests may be read from. */
export function readDatabases(variables: DatabaseVariables) {
  const { DATABASE_URL: databaseUrl, DATABASE_URLS: several = [], DATABASE_READ_URL: databaseReadUrl } = variables;
  const otherDatabaseUrls = several.slice(1);
  if (otherDatabaseUrls.length > 0 && databaseReadUrl !== undefined)
    throw new ConfigError("DATABASE_READ_URL can't be used with several databases: usage is read from each of them.");
  if (databaseReadUrl !== undefined && databaseUrl === undefined)
    throw new ConfigError("DATABASE_READ_URL needs DATABASE_URL: the embedded PostgreSQL has no replica.");
  if (databaseUrl !== undefined && variables.TRUNKLINE_WAL_ARCHIVE !== undefined)
    throw new ConfigError(
      "TRUNKLINE_WAL_ARCHIVE is for the embedded PostgreSQL. With DATABASE_URL, set archive_mode and archive_command of that server.",
    );
  return { databaseUrl, otherDatabaseUrls, databaseReadUrl };
}
