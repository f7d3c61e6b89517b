import { Fault, StartupError } from "@trunkline/core/fault.ts";
import { EmbeddedPostgresError } from "@trunkline/local-postgres/errors.ts";

/** Why the service did not start or stop. A mistake of the person at the terminal is a sentence; a bug keeps its stack. */
export function explainError(error: unknown): string {
  if (error instanceof StartupError || error instanceof EmbeddedPostgresError) return error.message;
  const cause = error instanceof Fault && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(error);
  return explainCode(cause) ?? cause.stack ?? cause.message;
}

/** What `pg`, the file system and the network say by codes; undefined: it is a bug. */
function explainCode(error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }) {
  // Where a host has several addresses, each of them failed.
  const { code = "", syscall, path } = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const isDatabase = syscall !== "listen" && syscall !== "bind" && path === undefined;
  switch (code) {
    case "EADDRINUSE":
      return `The address is in use: ${error.message}. Stop what runs there, or set PORT to another number.`;
    case "EADDRNOTAVAIL":
      if (!isDatabase) return "HOST is not an address of this machine. Set HOST to one, or to 0.0.0.0 for all of them.";
      break;
    case "ENOTFOUND":
    case "EAI_AGAIN": {
      const name = "hostname" in error ? String(error.hostname) : "a host";
      return `The name ${name} can't be resolved. Check HOST and DATABASE_URL.`;
    }
    case "ECONNREFUSED":
    case "ECONNRESET":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return `The database can't be reached (${code}). Start PostgreSQL, or check host and port in DATABASE_URL.`;
    case "25006":
      return `The database takes no writes: ${error.message} Check the servers in DATABASE_URL, and that one of them is the primary.`;
    case "3D000":
      return `The database of DATABASE_URL does not exist: ${error.message}. Create it (CREATE DATABASE), or name another.`;
    case "28P01":
    case "28000":
      return `The database refuses the log-in: ${error.message}. Check user and password in DATABASE_URL.`;
    case "42501":
      return `The database user may not create tables: ${error.message}. Grant it all rights on the database and its schema.`;
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOSPC":
    case "ENOTDIR":
      if (syscall === "listen") return `The port may not be opened: ${error.message}. Set PORT to a number above 1023.`;
      return `${error.message}. Give this user the right to write there, or set TRUNKLINE_DATA_DIR to another folder.`;
  }
  if (/timeout expired|timeout exceeded when trying to connect|Connection terminated/.test(error.message))
    return `The database does not answer (${error.message}). Check host and port in DATABASE_URL, and that PostgreSQL runs.`;
  if (/does not support SSL|self.signed certificate|certificate|SASL|password must be a string/i.test(error.message))
    return `The database can't be connected to: ${error.message}. Check DATABASE_URL.`;
  return undefined;
}
