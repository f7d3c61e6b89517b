import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { errnoOf } from "./errors.ts";

/** Where the programs are, and which PostgreSQL they are. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The folder with all that they need: bin, lib and share. */
  readonly native: string;
  readonly version: string;
  readonly majorVersion: string;
}

/** The programs in a folder of that layout. */
export function binariesIn(native: string, version: string): Binaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const programAt = (name: string) => join(native, "bin", `${name}${suffix}`);
  return {
    initdb: programAt("initdb"),
    postgres: programAt("postgres"),
    pgCtl: programAt("pg_ctl"),
    native,
    version,
    majorVersion: version.slice(0, version.indexOf(".")),
  };
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * npm packages can't hold links, so this one lists them for an install script, which we do not run. False where the
 * folder can't be written to.
 */
export async function ensureLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of linkList.parse(JSON.parse(list))) {
    const path = join(dirname(native), target);
    try {
      if (!existsSync(path)) await symlink(basename(source), path);
    } catch (error) {
      const code = errnoOf(error);
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}
