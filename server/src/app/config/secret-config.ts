import { ConfigError } from "./config-file.ts";

/** Refuses an old secret without a new one, or one that is not old. */
export function requireNewSecret(secret: string | undefined, fallback: string | undefined): void {
  if (fallback === undefined) return;
  if (secret === undefined)
    throw new ConfigError(
      "TRUNKLINE_SECRET_FALLBACK is the secret before TRUNKLINE_SECRET, which is not set. The secret in the data folder is changed by: trunkline rotate-secret",
    );
  if (secret === fallback)
    throw new ConfigError(
      "TRUNKLINE_SECRET_FALLBACK is the same as TRUNKLINE_SECRET. Set TRUNKLINE_SECRET to the new secret, or remove the other.",
    );
}
