import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Test files run at the same time, and `apt-get` refuses to run twice: a lock makes the others wait. */
const LOCK = "/tmp/trunkline-system-packages.lock";
const WAIT = ["-o", "DPkg::Lock::Timeout=600"];

/**
 * Installs a Debian package unless its program is there already. Waits for other installations, and throws where the
 * program is missing afterwards.
 */
export function ensureProgram(program: string, systemPackage: string): void {
  if (isThere(program)) return;
  const script = `
    [ -n "$(command -v "${program}")" ] && exit 0
    for attempt in 1 2 3 4 5 6; do
      apt-get update -qq && break
      sleep 10
    done
    exec apt-get ${WAIT.join(" ")} install -y -qq --no-install-recommends "${systemPackage}"`;
  // At this run level a package does not start a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  try {
    execFileSync("flock", [LOCK, "sh", "-c", script], { env, stdio: "inherit" });
  } catch (error) {
    throw new Error(
      `A test needs \`${program}\`, and it could not be installed from the system's package ${systemPackage}. Install it.`,
      { cause: error },
    );
  }
}

/** A program by its path, or by its name in PATH. */
function isThere(program: string): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
