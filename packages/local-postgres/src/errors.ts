/** The embedded PostgreSQL can't be used. The message is a sentence for the person at the terminal. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
}

/** The code of a failed system call, such as ENOENT; undefined for any other thrown value. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
