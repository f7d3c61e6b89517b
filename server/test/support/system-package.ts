import { execFileSync } from "node:child_process";

/** Makes sure of a program: out of the system's packages where it is not there. Fails loudly where that can't be. */
export function ensureProgram(program: string, systemPackage: string): void {
  if (isThere(program)) return;
  try {
    execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
    execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", systemPackage], { stdio: "inherit" });
  } catch (error) {
    throw new Error(
      `A test needs \`${program}\`, and it could not be installed from the system's package ${systemPackage}. Install it.`,
      { cause: error },
    );
  }
}

function isThere(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
