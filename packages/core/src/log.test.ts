import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const CODE = `
  import { openLog } from ${JSON.stringify(new URL("./log.ts", import.meta.url).href)};
  const log = openLog("info");
  for (let line = 0; line < 2_000; line++) log.info({ line }, "x".repeat(1_000));
  process.stdout.write("lives\\n");
`;
const WORDS = ["--import", "tsx", "--input-type=module", "--eval", CODE];
const cwd = fileURLToPath(new URL(".", import.meta.url));

describe("the log", { timeout: 30_000 }, () => {
  it("is lines of JSON on standard error", async () => {
    const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, WORDS, options);
    expect(stdout).toBe("lives\n");
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 2_000 }, (_, line) => line));
  });

  it("that can't be written does not end the process", async () => {
    // Opened for reading alone, it refuses each line as a full disk would.
    const closed = openSync(fileURLToPath(import.meta.url), "r");
    const child = spawn(process.execPath, WORDS, { cwd, stdio: ["ignore", "pipe", closed] });
    closeSync(closed);
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await once(child, "close")).toEqual([0, null]);
    expect(said).toBe("lives\n");
  });
});
