import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, realpath, stat, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { type Account, findUnreadableFolder } from "./find-barrier.ts";

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
  if (process.platform === "win32")
    return { home: await makeOwnHome(dataDir), account: undefined, notes: [] };
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
