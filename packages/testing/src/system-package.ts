import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Test files run at the same time, and `apt-get` refuses to run twice: a lock makes the others wait. */
const LOCK = "/tmp/trunkline-system-packages.lock";
const WAIT = ["-o", "DPkg::Lock::Timeout=600"];

/** The programs that tests need from the system, by their Debian packages. */
const PROGRAMS = {
  "/usr/bin/chromium-headless-shell": "chromium-headless-shell",
  "/usr/bin/pebble": "pebble",
  "/usr/bin/pg_ctlcluster": "postgresql",
  "/usr/sbin/haproxy": "haproxy",
  amtool: "prometheus-alertmanager",
  etcd: "etcd-server",
  patroni: "patroni",
  pgbouncer: "pgbouncer",
  prometheus: "prometheus",
  promtool: "prometheus",
  "systemd-notify": "systemd",
} as const;

export type SystemProgram = keyof typeof PROGRAMS;

/**
 * Installs a program's Debian package unless the program is there already. Waits for other installations, and throws where the
 * program is missing afterwards.
 */
export function ensureProgram(program: SystemProgram): void {
  if (isThere(program)) return;
  const { command, args, env } = installation([program]);
  try {
    execFileSync(command, args, { env, stdio: "inherit" });
  } catch (error) {
    throw new Error(
      `A test needs \`${program}\`, and it could not be installed from the system's package ${PROGRAMS[program]}. Install it.`,
      { cause: error },
    );
  }
}

/**
 * Begins to install whatever any test needs, in the background, for a run of all tests: one installation of all packages takes
 * a quarter of the time of one for each. Who needs a program meanwhile waits for it in `ensureProgram`.
 */
export function beginInstallingPrograms(isNeeded: (program: SystemProgram) => boolean): void {
  const programs = Object.keys(PROGRAMS) as SystemProgram[];
  const missing = programs.filter((program) => isNeeded(program) && !isThere(program));
  if (process.platform !== "linux" || missing.length === 0) return;
  const { command, args, env } = installation(missing);
  // Where it can't be done, `ensureProgram` says so in the test that needs the program.
  spawn(command, args, { env, stdio: "ignore" })
    .on("error", () => undefined)
    .unref();
}

function installation(programs: readonly SystemProgram[]) {
  const isMissing = programs.map((program) => `[ -z "$(command -v "${program}")" ]`).join(" || ");
  const packages = [...new Set(programs.map((program) => PROGRAMS[program]))].join(" ");
  const install = `apt-get ${WAIT.join(" ")} install -y -qq --no-install-recommends ${packages}`;
  // The lists that are there mostly do, and to fetch and read new ones takes as long as a package.
  const script = `
    { ${isMissing}; } || exit 0
    ${install} && exit 0
    for attempt in 1 2 3 4 5 6; do
      apt-get update -qq && break
      sleep 10
    done
    exec ${install}`;
  // At this run level a package does not start a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  return { command: "flock", args: [LOCK, "sh", "-c", script], env };
}

/** Where packages of other Debian versions are unpacked, for all runs. */
const UNPACKED = "/var/tmp/trunkline-packages";

/**
 * A program of a Debian package in another version of Debian than the system's, unpacked beside it: nothing is installed. It comes from the
 * system's own archive and is checked by its keys. Throws where it can't be had. `path` is that in the package.
 */
export function unpackProgram(path: string, systemPackage: string, release: string): string {
  const folder = join(UNPACKED, `${release}-${systemPackage}`);
  const program = join(folder, path);
  if (existsSync(program)) return program;
  const script = `
    set -e
    [ -e "${program}" ] && exit 0
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -1)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive ${release} main" > "$work/sources.list"
    options="-qq -o Dir::Etc::SourceList=$work/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$work/lists -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
    apt-get $options update
    cd "$work"
    apt-get $options download "${systemPackage}"
    dpkg-deb -x ./*.deb "$work/unpacked"
    mkdir -p "${UNPACKED}"
    mv "$work/unpacked" "${folder}"`;
  try {
    execFileSync("flock", [LOCK, "sh", "-c", script], { stdio: "inherit" });
  } catch (error) {
    throw new Error(
      `A test needs \`${path}\` of the package ${systemPackage} of Debian ${release}, and it could not be had.`,
      { cause: error },
    );
  }
  return program;
}

/** A program by its path, or by its name in PATH. */
function isThere(program: SystemProgram): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
