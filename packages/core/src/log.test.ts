import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const CODE = `
  import { createLogger } from ${JSON.stringify(new URL("./log.ts", import.meta.url).href)};
  const log = createLogger("info");
  for (let line = 0; line < 2_000; line++) log.info({ line }, "x".repeat(1_000));
  process.stdout.write("lives\\n");
`;
const ARGUMENTS = ["--import", "tsx", "--input-type=module", "--eval", CODE];
const cwd = fileURLToPath(new URL(".", import.meta.url));

describe("createLogger", () => {
  it("writes JSON lines to standard error", async () => {
    const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ARGUMENTS, options);
    expect(stdout).toBe("lives\n");
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 2_000 }, (_, line) => line));
  });

  it("does not end the process when the log can't be written", async () => {
    // A file opened only for reading refuses each line, as a full disk would.
    const closed = openSync(fileURLToPath(import.meta.url), "r");
    const child = spawn(process.execPath, ARGUMENTS, { cwd, stdio: ["ignore", "pipe", closed] });
    closeSync(closed);
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await once(child, "close")).toEqual([0, null]);
    expect(said).toBe("lives\n");
  });
});
