import { createHash, randomBytes, randomInt } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { type Account, findUnreadableFolder } from "./file-system.ts";
import { identifyProcess, UNKNOWN_START } from "./process.ts";

/** Where PostgreSQL keeps everything: a folder that only its account (and root) can enter. */
export interface DataFolder {
  readonly home: string;
  /** Whom to run PostgreSQL as; undefined is the current user. */
  readonly account: Account | undefined;
  readonly notes: readonly string[];
}

/** PostgreSQL refuses to run as root, so root lends it the account that owns nothing. */
const NOBODY: Account = { uid: 65534, gid: 65534 };

/** Where the data goes when root's data folder lies where no other account may look. */
const FALLBACK_FOLDER = "/var/lib/trunkline";

/** Finds or makes the folder `postgres` in the data folder, owned by the account that will use it. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  if (process.platform === "win32") return { home: await makeOwnHome(dataDir), account: undefined, notes: [] };
  const uid = process.getuid?.();
  if (uid === 0) return openAsRoot(dataDir);

  const home = await makeOwnHome(dataDir);
  const owner = (await stat(home)).uid;
  if (owner !== uid) {
    throw new EmbeddedPostgresError(
      `The data in ${home} belongs to another user (uid ${owner}). Start the gateway as that user` +
        `${owner === NOBODY.uid ? " or as root" : ""}, or choose another data folder.`,
    );
  }
  await chmod(home, 0o700);
  return { home, account: undefined, notes: [] };
}

async function makeOwnHome(dataDir: string): Promise<string> {
  const home = join(resolve(dataDir), "postgres");
  await rejectDanglingLink(home);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return realpath(home);
}

async function openAsRoot(dataDir: string): Promise<DataFolder> {
  await makePublicFolder(resolve(dataDir));
  const wanted = join(await realpath(dataDir), "postgres");
  const home = (await findExistingHome(wanted)) ?? (await makeHome(wanted));
  const account = await ensureOwner(home);

  const barrier = await findUnreadableFolder(home, account);
  if (barrier !== undefined) {
    throw new EmbeddedPostgresError(
      `The data in ${home} can't be reached by PostgreSQL's account (uid ${account.uid}), because ${barrier} is ` +
        `private. Open the way with \`chmod o+x ${barrier}\`, or choose another data folder. The data is untouched.`,
    );
  }
  await chmod(home, 0o700);
  if (home === wanted) return { home, account, notes: [] };
  const note =
    `The data is kept in ${home} (${wanted} links to it), because PostgreSQL does not run as root and no other ` +
    `account could enter ${dirname(wanted)}.`;
  return { home, account, notes: [note] };
}

/** The home that an earlier start chose. It stays where it is even if today another place would be chosen. */
async function findExistingHome(wanted: string): Promise<string | undefined> {
  await rejectDanglingLink(wanted);
  const found = await lstat(wanted).catch(undefinedIfMissing);
  if (found === undefined) return undefined;
  const home = await realpath(wanted);
  // Root follows only the links it made, or the owner of the data folder could point it at anyone's files.
  if (found.isSymbolicLink() && dirname(home) !== FALLBACK_FOLDER) {
    throw new EmbeddedPostgresError(
      `${wanted} is a link to ${home}. As root the gateway follows such links only into ${FALLBACK_FOLDER}; ` +
        "set the data folder itself to where the data is.",
    );
  }
  return home;
}

async function makeHome(wanted: string): Promise<string> {
  const dataDir = dirname(wanted);
  if ((await findUnreadableFolder(dataDir, NOBODY)) === undefined) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  }
  await makePublicFolder(FALLBACK_FOLDER);
  const home = join(FALLBACK_FOLDER, createHash("sha256").update(dataDir).digest("hex").slice(0, 16));
  await mkdir(home, { recursive: true, mode: 0o700 });
  // The link lets the data follow when the data folder is renamed, and shows people where it went.
  await symlink(home, wanted).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error;
  });
  return home;
}

/** The account that owns the home. A fresh one is root's and is given away; one with content never changes hands. */
async function ensureOwner(home: string): Promise<Account> {
  // In this order, a folder that another start fills and gives away meanwhile is not taken for root's.
  const entries = await readdir(home);
  const { uid, gid } = await stat(home);
  if (uid !== 0) return { uid, gid };
  if (entries.length > 0) {
    throw new EmbeddedPostgresError(
      `The data in ${home} belongs to root, and PostgreSQL does not run as root. Give it away with ` +
        `\`chown -R ${NOBODY.uid}:${NOBODY.gid} ${home}\` and start again.`,
    );
  }
  try {
    await chown(home, NOBODY.uid, NOBODY.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and ${home} can't be given to uid ${NOBODY.uid}. Start the gateway as an ` +
        "ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
      { cause: error },
    );
  }
  return NOBODY;
}

/** Makes missing folders passable whatever the umask says; folders that exist keep the mode their owner chose. */
async function makePublicFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755);
}

async function rejectDanglingLink(path: string): Promise<void> {
  const link = await lstat(path).catch(undefinedIfMissing);
  if (link?.isSymbolicLink() !== true) return;
  if ((await stat(path).catch(undefinedIfMissing)) !== undefined) return;
  throw new EmbeddedPostgresError(
    `${path} is a link to a folder that does not exist. Bring that folder back, or delete the link to start empty.`,
  );
}

function undefinedIfMissing(error: unknown): undefined {
  if (errnoOf(error) === "ENOENT") return undefined;
  throw error;
}

/** A hold on a data folder. */
interface DataFolderLock {
  /**
   * Clears away the locks of dead processes. Wait with it until the start has succeeded: a process of another
   * container looks dead from here, and its lock must outlive our being refused for another reason.
   */
  removeStale(): Promise<void>;
  release(): Promise<void>;
}

const LOCK_NAME = /^gateway-(\d+)-([0-9a-f]{16})-[0-9a-f]{8}\.lock$/;
const ATTEMPTS = 3;

/**
 * Makes this process the only gateway on a folder, or throws a sentence that names the other one.
 *
 * Each gateway first puts down a file of its own and only then looks for others: of two that start together, the later
 * one to look sees both files, so never do both go on. The file's name carries pid and start, so a lock can't be seen
 * half written; and as names are never used twice, clearing away a dead one can't hit a living one.
 */
export async function acquireLock(folder: string): Promise<DataFolderLock> {
  for (let attempt = 1; ; attempt++) {
    const mine = await lockNameOf(process.pid);
    const path = join(folder, mine);
    await writeFile(path, `The gateway with pid ${process.pid} uses this folder.\n`, {
      flag: "wx",
      mode: 0o600,
    });
    const { holder, dead } = await scanLocks(folder, mine);
    if (holder === undefined) {
      return {
        removeStale: () => removeAll(dead),
        release: () => removeAll([path]),
      };
    }

    await rm(path, { force: true });
    if (attempt === ATTEMPTS) {
      throw new EmbeddedPostgresError(
        `Another gateway (process ${holder.pid}) already uses the data in ${folder}. Stop it first, or give this one ` +
          `a folder of its own. (If process ${holder.pid} is no gateway, delete ${join(folder, holder.name)}.)`,
      );
    }
    // Two that started in the same instant have both stepped back; a different pause for each lets one through.
    await wait(randomInt(10, 60));
  }
}

/** The process that holds a folder, or undefined where none does. Leaves everything as it is. */
export async function findLockHolder(folder: string): Promise<{ pid: number } | undefined> {
  return (await scanLocks(folder, "")).holder;
}

async function lockNameOf(pid: number): Promise<string> {
  const started = (await identifyProcess(pid)) ?? UNKNOWN_START;
  return `gateway-${pid}-${hashOfStart(started)}-${randomBytes(4).toString("hex")}.lock`;
}

async function scanLocks(
  folder: string,
  mine: string,
): Promise<{ holder: { pid: number; name: string } | undefined; dead: string[] }> {
  const dead: string[] = [];
  for (const name of await readdir(folder)) {
    const [, pidText, mark] = LOCK_NAME.exec(name) ?? [];
    if (pidText === undefined || name === mine) continue;
    const pid = Number(pidText);
    const started = await identifyProcess(pid);
    // In doubt it lives: a needless refusal is better than two gateways on one ledger.
    const lives =
      started !== undefined &&
      (started === UNKNOWN_START || mark === hashOfStart(UNKNOWN_START) || mark === hashOfStart(started));
    if (lives) return { holder: { pid, name }, dead };
    dead.push(join(folder, name));
  }
  return { holder: undefined, dead };
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

function hashOfStart(started: string): string {
  return createHash("sha256").update(started).digest("hex").slice(0, 16);
}
