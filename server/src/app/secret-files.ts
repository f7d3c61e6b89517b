import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "@trunkline/core/secret.ts";
import type { Config } from "./config/config.ts";

/** The service's secret, and the one before it while values that it encrypted are left. */
export interface ServiceSecrets {
  readonly secret: Secret;
  readonly fallback: Secret | undefined;
}

type SecretSettings = Pick<Config, "secret" | "secretFallback" | "dataDir">;

/** Those of the settings, or of the data folder. The first start makes the secret there, readable by this user alone. */
export async function readSecrets({ secret, secretFallback, dataDir }: SecretSettings): Promise<ServiceSecrets> {
  if (secret !== undefined) return { secret, fallback: secretFallback };
  await mkdir(dataDir, { recursive: true });
  const { current } = pathsIn(dataDir);
  try {
    await writeFile(current, newSecret(), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await chmod(current, 0o600);
  return (await findSecrets(dataDir)) ?? { secret: new Secret(""), fallback: undefined };
}

/** The secrets in the data folder; undefined: no start has made one yet. */
export async function findSecrets(dataDir: string): Promise<ServiceSecrets | undefined> {
  const { current, fallback } = pathsIn(dataDir);
  const [secret, before] = await Promise.all([readSecret(current), readSecret(fallback)]);
  if (secret === undefined) return undefined;
  // Both are the same after a rotation that was killed between its two steps: it has not happened.
  return { secret, fallback: before?.reveal() === secret.reveal() ? undefined : before };
}

/** Puts a new secret into the data folder, and keeps the one before. Killed at any point, it leaves a secret that opens everything. */
export async function rotateSecretFile(dataDir: string): Promise<void> {
  const { current, fallback } = pathsIn(dataDir);
  await replaceFile(fallback, await readFile(current, "utf8"));
  await replaceFile(current, newSecret());
}

/** Ends a rotation: the secret before is deleted. */
export async function removeSecretFallback(dataDir: string): Promise<void> {
  await rm(pathsIn(dataDir).fallback);
}

export function pathsIn(dataDir: string): { readonly current: string; readonly fallback: string } {
  return { current: join(dataDir, "secret"), fallback: join(dataDir, "secret.fallback") };
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

async function readSecret(path: string): Promise<Secret | undefined> {
  try {
    return new Secret((await readFile(path, "utf8")).trim());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function newSecret(): string {
  return `${randomBytes(32).toString("hex")}\n`;
}
