import { chmod, chown, mkdir, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EmbeddedPostgresError } from "./errors.ts";
import { type Account, EXECUTE, findUnreadableFolder } from "./file-system.ts";

/** How old the newest archived change is at most, while something changes. */
const ARCHIVE_SECONDS = 60;

/** In single quotes for the shell; PostgreSQL itself reads a `%`. */
const quote = (path: string) => `'${path.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;

/**
 * Settings with which the server copies each complete segment of its log into a folder, compressed. A segment has its
 * final name only when it is complete and on the disk. One that is there already, as after a crash, must be the same: the
 * log of another history is never overwritten, as it may be needed to restore that one.
 */
export async function walArchiveSettings(
  archive: string | undefined,
  account: Account | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (archive === undefined) return {};
  const folder = await prepareArchive(resolve(archive), account);
  const [unfinished, final] = [quote(join(folder, "unfinished")), `${quote(folder)}/%f.gz`];
  const write = `gzip -1 < "%p" > ${unfinished} && sync ${unfinished} && mv -f ${unfinished} ${final}`;
  return {
    archive_mode: "on",
    archive_timeout: `${ARCHIVE_SECONDS}s`,
    archive_command: `if [ -e ${final} ]; then gzip -dc ${final} | cmp -s - "%p"; else ${write}; fi`,
  };
}

async function prepareArchive(folder: string, account: Account | undefined): Promise<string> {
  if (process.platform === "win32") {
    throw new EmbeddedPostgresError(
      "On Windows the embedded PostgreSQL can't archive its log: unset TRUNKLINE_WAL_ARCHIVE.",
    );
  }
  const made = await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new EmbeddedPostgresError(`The folder for the archived log can't be made: ${error.message}`);
  });
  if (account !== undefined) {
    if (made !== undefined) {
      await chown(folder, account.uid, account.gid);
      await chmod(folder, 0o700);
    }
    const barrier = await findUnreadableFolder(folder, account, EXECUTE | 0o2);
    if (barrier !== undefined) {
      throw new EmbeddedPostgresError(
        `PostgreSQL's account (uid ${account.uid}) can't write its log to ${folder}: ${barrier} is closed to it. ` +
          `Give it the folder with \`chown ${account.uid}:${account.gid} ${folder}\`, and the way to it with \`chmod o+x\`.`,
      );
    }
  }
  return folder;
}

/** Settings with which a server replays an archived log: to its end, or to a moment. */
export async function recoverySettings(archive: string, until: Date | undefined): Promise<Record<string, string>> {
  const folder = resolve(archive);
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere || !(await readdir(folder)).some((name) => /^[0-9A-F]{24}\.gz$/.test(name))) {
    throw new EmbeddedPostgresError(`${folder} is no folder with an archived log of the embedded PostgreSQL.`);
  }
  return {
    restore_command: `gzip -dc ${quote(folder)}/%f.gz > "%p" 2>/dev/null`,
    ...(until === undefined
      ? {}
      : {
          recovery_target_time: until.toISOString().replace("Z", "+00"),
          recovery_target_action: "promote",
          recovery_target_inclusive: "on",
        }),
  };
}

/**
 * Settings with which a restored server ends its recovery at the end of the back-up, on a new timeline: what it will archive then
 * has other names than the log of the history that was backed up. Only the list of timelines is read from the archive.
 */
export function newTimelineSettings(archive: string | undefined): Record<string, string> {
  const list = archive === undefined ? "false" : `gzip -dc ${quote(resolve(archive))}/%f.gz > "%p" 2>/dev/null`;
  return {
    restore_command: `case "%f" in *.history) ${list} ;; *) false ;; esac`,
    recovery_target_timeline: "current",
  };
}
