import { createHash, hkdfSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "@trunkline/core/fault.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { z } from "zod";

/** The file that describes a back-up. It is written last: a folder without it holds no whole back-up. */
const MANIFEST = "manifest.json";
/** The folder beside it with the data. */
export const CONTENT = "content";
const FORMAT = "trunkline-backup";
const VERSION = 1;

const file = { bytes: z.number().int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
/** No path leads out of the folder that is restored. */
const path = z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\\:]+$/);
const identifier = z.string().regex(/^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/);
const columns = z.string().regex(/^"?[a-z_][a-z0-9_]*"?(, "?[a-z_][a-z0-9_]*"?)*$/);

const common = {
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** The moment whose data it holds. */
  takenAt: z.iso.datetime().transform((text) => new Date(text)),
  migrations: z.array(z.number().int().positive()).min(1),
  /** Recognises the secret and says nothing about it; null: it was not known. */
  secret: z.string().nullable(),
};

const manifestSchema = z.discriminatedUnion("kind", [
  z.object({
    ...common,
    kind: z.literal("files"),
    postgres: z.string(),
    walStart: z.string(),
    walEnd: z.string(),
    folders: z.array(path),
    files: z.array(z.object({ path, ...file })).min(1),
  }),
  z.object({
    ...common,
    kind: z.literal("rows"),
    relations: z.array(z.object({ name: identifier, kind: z.string(), shape: z.string() })),
    tables: z
      .array(z.object({ name: identifier, columns, rows: z.number().int().nonnegative(), path, ...file }))
      .min(1),
    sequences: z.array(z.object({ name: identifier, last: z.string().regex(/^-?\d+$/), isCalled: z.boolean() })),
  }),
]);

export type BackupManifest = z.output<typeof manifestSchema>;
type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;

/** What recognises the secret that the encrypted columns need. */
export function fingerprintOf(secret: Secret): string {
  return Buffer.from(hkdfSync("sha256", secret.reveal(), "trunkline", "backup fingerprint", 16)).toString("hex");
}

export async function writeManifest(
  folder: string,
  manifest: DistributiveOmit<BackupManifest, "format" | "version">,
): Promise<void> {
  const body = { format: FORMAT, version: VERSION, ...manifest };
  const text = JSON.stringify({ ...body, sha256: digestOf(JSON.stringify(body)) });
  await writeFile(join(folder, MANIFEST), `${text}\n`, { flag: "wx", mode: 0o600, flush: true });
}

/** Reads the description of a back-up, or says why the folder holds none. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST), "utf8").catch((error: unknown) => {
    throw new StartupError(
      `${folder} holds no whole back-up: its ${MANIFEST} can't be read. Name the folder that \`trunkline backup\` made.`,
      { cause: error },
    );
  });
  const damaged = () =>
    new StartupError(`The back-up in ${folder} is damaged: its ${MANIFEST} was changed or cut off.`);
  let body: Record<string, unknown>;
  try {
    body = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw damaged();
  }
  if (body.format !== FORMAT) throw new StartupError(`${folder} holds no back-up of Trunkline.`);
  if (body.version !== VERSION) {
    throw new StartupError(
      `The back-up in ${folder} has the form ${String(body.version)}, and this version of Trunkline reads form ${VERSION}. Restore it with the version that made it.`,
    );
  }
  const { sha256, ...rest } = body;
  const parsed = manifestSchema.safeParse(rest);
  if (sha256 !== digestOf(JSON.stringify(rest)) || !parsed.success) throw damaged();
  return parsed.data;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The files that a back-up consists of. */
export function filesOf(manifest: BackupManifest): readonly { path: string; bytes: number; sha256: string }[] {
  return manifest.kind === "files" ? manifest.files : manifest.tables;
}

/** How large a back-up is once it is unpacked. */
export function unpackedBytes(manifest: BackupManifest): number {
  return filesOf(manifest).reduce((sum, { bytes }) => sum + bytes, 0);
}
