import { describe, expect, it } from "vitest";
import { newLevelFilter, spawnServer } from "./server-process.ts";

describe("newLevelFilter", () => {
  it("passes warnings and worse with their further lines, and drops chatter with its own", () => {
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
    expect(lines.filter(newLevelFilter())).toEqual([
      "postgres: error while loading shared libraries: libicuuc.so.60",
      "WARNING:  out of something",
      "HINT:  Get more.",
      "FATAL:  lock file exists",
      "ERROR:  duplicate key",
    ]);
  });
});

describe("spawnServer", () => {
  it("says that the program can't run here, rather than wait for it", async () => {
    const missing = "/nonexistent/postgres";
    const server = spawnServer({
      binaries: { postgres: missing, initdb: missing, pgCtl: missing, majorVersion: "18" },
      cluster: "/tmp",
      account: undefined,
      settings: {},
      log: () => undefined,
    });
    await expect(server.unstartable).rejects.toThrow("does not run on this system");
    await server.stop();
  });
});
