import { StartupError } from "@trunkline/core/fault.ts";
import { EmbeddedPostgresError } from "@trunkline/local-postgres/errors.ts";

/** Why the service did not start or stop. A mistake of the person at the terminal is a sentence; a bug keeps its stack. */
export function explainError(error: unknown): string {
  if (error instanceof StartupError || error instanceof EmbeddedPostgresError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `The address is in use: ${error.message}. Stop what runs there, or set PORT to another number.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
