import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binariesIn } from "./binaries.ts";
import { createLevelFilter, spawnServer } from "./server-process.ts";

describe("newLevelFilter", () => {
  it("passes warnings and worse with their continuation lines, and drops information", () => {
    const lines = [
      "postgres: error while loading shared libraries: libicuuc.so.60",
      "LOG:  starting PostgreSQL",
      "\ton this machine",
      "WARNING:  out of something",
      "HINT:  Get more.",
      "DEBUG1:  looking",
      "FATAL:  lock file exists",
      "LOG:  database system is shut down",
      "ERROR:  duplicate key",
    ];
    expect(lines.filter(createLevelFilter())).toEqual([
      "postgres: error while loading shared libraries: libicuuc.so.60",
      "WARNING:  out of something",
      "HINT:  Get more.",
      "FATAL:  lock file exists",
      "ERROR:  duplicate key",
    ]);
  });
});

describe("spawnServer", () => {
  let native: string;
  beforeAll(async () => {
    native = await mkdtemp("/tmp/trunkline-trial-");
    await mkdir(join(native, "bin"));
  });
  afterAll(() => rm(native, { recursive: true }));

  const spawn = () =>
    spawnServer({
      binaries: binariesIn(native, "18.0.0"),
      cluster: "/tmp",
      account: undefined,
      settings: {},
      log: () => undefined,
    });

  it("reports that the program is missing, without waiting", async () => {
    const server = spawn();
    await expect(server.spawnFailed).rejects.toThrow("Install the packages again");
    await server.stop();
  });

  it("reports that the program can't run where its loader is missing", async () => {
    await writeFile(join(native, "bin", "postgres"), "#!/nonexistent/loader\n", { mode: 0o755 });
    const server = spawn();
    await expect(server.spawnFailed).rejects.toThrow("does not run on this system");
    await server.stop();
  });
});
