import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { EmbeddedPostgresError, errnoOf } from "./embedded-postgres-error.ts";
import { type Account, EXECUTE, findBarrier, READ } from "./find-barrier.ts";

/** Where the programs are, and which PostgreSQL they are. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  readonly majorVersion: string;
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));
const packageFile = z.object({ version: z.string() });

/** Finds PostgreSQL's programs in the npm package for this platform and makes them ready to run. */
export async function locateBinaries(home: string, account: Account | undefined): Promise<Binaries> {
  const { native, version } = await findPackage();
  const bin = join(await prepareBinaries(native, join(home, `binaries-${version}`), account), "bin");
  const suffix = process.platform === "win32" ? ".exe" : "";
  return {
    initdb: join(bin, `initdb${suffix}`),
    postgres: join(bin, `postgres${suffix}`),
    pgCtl: join(bin, `pg_ctl${suffix}`),
    majorVersion: version.slice(0, version.indexOf(".")),
  };
}

/** The folder itself, if the account can run programs in it and its links can be made; otherwise a copy in `target`. */
export async function prepareBinaries(
  native: string,
  target: string,
  account: Account | undefined,
): Promise<string> {
  const isUsable = (await canRun(native, account)) && (await makeLinks(native));
  return isUsable ? native : copyBinaries(native, target);
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of that one, and some package managers show it to nobody else.
    const parent = createRequire(import.meta.url).resolve("embedded-postgres");
    const root = dirname(dirname(createRequire(parent).resolve(`@embedded-postgres/${platform}`)));
    const { version } = packageFile.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
    return { native: join(root, "native"), version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package @embedded-postgres/${platform} is not installed. Install with optional dependencies, or set ` +
        "DATABASE_URL to a PostgreSQL of your own.",
      { cause: error },
    );
  }
}

/** One file of each kind stands for its folder: packages are unpacked with one umask. */
async function canRun(native: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  const barriers = await Promise.all([
    findBarrier(join(native, "bin", "initdb"), account, EXECUTE),
    findBarrier(join(native, "bin", "postgres"), account, EXECUTE),
    findBarrier(join(native, "lib", "postgresql"), account, EXECUTE),
    findBarrier(join(native, "share", "postgresql", "postgres.bki"), account, READ),
  ]);
  return barriers.every((barrier) => barrier === undefined);
}

/**
 * npm packages can't hold links, so this one lists them for an install script, which we do not run. False where the
 * folder can't be written to.
 */
async function makeLinks(native: string): Promise<boolean> {
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

async function copyBinaries(native: string, target: string): Promise<string> {
  const home = dirname(target);
  const siblings = (await readdir(home)).filter((name) => name.startsWith("binaries-"));
  if (siblings.includes(basename(target))) return join(target, "native");
  // Copies of other versions are only litter: one that another user made, and we can't remove, is no reason to fail.
  for (const name of siblings) {
    await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined);
  }

  // A copy that was cut short must not pass for a whole one, hence the name that changes only at the end.
  const unfinished = `${target}.unfinished-${randomBytes(4).toString("hex")}`;
  await mkdir(unfinished);
  await chmod(unfinished, 0o755);
  await copyTree(native, join(unfinished, "native"));
  await makeLinks(join(unfinished, "native"));
  await rename(unfinished, target);
  return join(target, "native");
}

/** Copies with modes that every account can use, whatever the original's modes and our umask are. */
async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) return copyTree(from, to);
      // Static libraries are for building C programs; links are made anew.
      if (!entry.isFile() || entry.name.endsWith(".a")) return;
      await copyFile(from, to);
      await chmod(to, 0o755);
      const file = await open(to, "r+");
      await file.sync().finally(() => file.close());
    }),
  );
}
