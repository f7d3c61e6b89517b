import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Terminal, UsageError } from "./command.ts";

/** Where `npm start` listens. */
export const DEFAULT_URL = "http://127.0.0.1:8080";

export interface Credentials {
  readonly url: string;
  readonly key: string;
}

type Environment = Terminal["env"];

/** The file of `trunkline login`, in the place that the XDG base directories have for it. */
export function credentialsFile(environment: Environment): string {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
  return join(folder, "trunkline", "credentials.json");
}

/**
 * The service and the key to use: the variables TRUNKLINE_URL and TRUNKLINE_KEY come before the file. The file's key is
 * sent to the file's service alone.
 */
export async function findCredentials(environment: Environment): Promise<Credentials> {
  const kept = await readCredentials(environment);
  const url = readUrl(environment.TRUNKLINE_URL || kept?.url || DEFAULT_URL);
  const key = environment.TRUNKLINE_KEY || (kept?.url === url ? kept.key : undefined);
  if (key === undefined) {
    throw new UsageError(`You are not logged in to ${url}. Run: trunkline login, or set TRUNKLINE_KEY.`);
  }
  return { url, key };
}

/** What `trunkline login` kept; undefined: nothing. */
async function readCredentials(environment: Environment): Promise<Credentials | undefined> {
  const file = credentialsFile(environment);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    const { url, key } = JSON.parse(text) as Record<string, unknown>;
    if (typeof url === "string" && typeof key === "string") return { url, key };
  } catch {
    // Told below, like a file without its fields.
  }
  throw new UsageError(`${file} has no log-in. Run: trunkline login`);
}

/** Keeps a log-in where only this user can read it. The file is never there in part, nor readable for a moment. */
export async function keepCredentials(environment: Environment, credentials: Credentials): Promise<string> {
  const file = credentialsFile(environment);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
  return file;
}

/** Forgets the log-in. Says whether there was one. */
export async function forgetCredentials(environment: Environment): Promise<boolean> {
  try {
    await rm(credentialsFile(environment));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

/** The address of a service, in one spelling. */
export function readUrl(text: string): string {
  const address = /^\w+:\/\//.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "") {
    throw new UsageError(`${text} is no address of a service, such as ${DEFAULT_URL}.`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
