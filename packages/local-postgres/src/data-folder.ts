import { createHash, randomBytes, randomInt } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { type Account, findUnreadableFolder } from "./file-system.ts";
import { identifyProcess, UNKNOWN_START } from "./process.ts";

/** The folder with all of PostgreSQL's files. Only its account and root can enter it. */
export interface DataFolder {
  readonly home: string;
  /** The account that runs PostgreSQL; undefined: the current user. */
  readonly account: Account | undefined;
  readonly notes: readonly string[];
}

/** PostgreSQL refuses to run as root, so root runs it as the account that owns no files. */
const NOBODY: Account = { uid: 65534, gid: 65534 };

/** The data goes here when root's data folder is not accessible to other accounts. */
const FALLBACK_FOLDER = "/var/lib/trunkline";

/** Finds or creates the folder `postgres` in the data folder, owned by the account that runs PostgreSQL. */
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

/** The folder that an earlier start chose. It is kept even if another one would be chosen now. */
async function findExistingHome(wanted: string): Promise<string | undefined> {
  await rejectDanglingLink(wanted);
  const found = await lstat(wanted).catch(undefinedIfMissing);
  if (found === undefined) return undefined;
  const home = await realpath(wanted);
  // Root follows only links that root made. Otherwise the owner of the data folder could direct it to any files.
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
  // The link keeps working when the data folder is renamed, and shows people where the data is.
  await symlink(home, wanted).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error;
  });
  return home;
}

/** The account that owns the folder. An empty folder of root is given to the account; one with content keeps its owner. */
async function ensureOwner(home: string): Promise<Account> {
  // This order is safe if another start fills the folder and changes its owner at the same time.
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

/** Creates missing folders so that other accounts can enter them, independently of the umask. Existing folders keep their mode. */
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

/** The lock of a data folder. */
interface DataFolderLock {
  /**
   * Deletes the locks of dead processes. Call it only after a successful start: a process in another container looks
   * dead from here, and its lock must stay if our start is refused for another reason.
   */
  removeStale(): Promise<void>;
  release(): Promise<void>;
}

const LOCK_NAME = /^gateway-(\d+)-([0-9a-f]{16})-[0-9a-f]{8}\.lock$/;
const ATTEMPTS = 3;

/**
 * Makes this process the only gateway on a folder, or throws an error that names the other one.
 *
 * Each gateway first creates its own file and then looks for others. If two start together, the later one to look sees
 * both files, so they never both continue. The file's name holds the pid and the start, so a lock is never seen half
 * written. Names are never reused, so deleting the lock of a dead process can't delete one of a living process.
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
    // Two that started in the same instant both step back. A different pause for each lets one continue.
    await wait(randomInt(10, 60));
  }
}

/** The process that holds the lock of a folder; undefined: none. Changes nothing. */
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
    // In doubt it counts as alive: an unnecessary refusal is better than two gateways on one ledger.
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
