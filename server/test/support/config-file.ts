import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Config, readConfig } from "../../src/app/config/config.ts";
import { ConfigError } from "../../src/app/config/config-file.ts";

/** The lines of a file that declares one plain model. */
export const PLAIN_MODEL: readonly string[] = [
  "models:",
  "  - name: small",
  "    type: text",
  "    endpoint: https://example.test/generate",
  "    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 }",
];

/** Lets the tests of a file write configuration files, into a folder that is gone after them. */
export function useConfigFiles() {
  let folder = "";
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "config-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const fileWith = (lines: readonly string[]): string => {
    const path = join(folder, `${count++}.yaml`);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  };
  const read = (lines: readonly string[], environment: Readonly<Record<string, string>> = {}): Config =>
    readConfig({ TRUNKLINE_CONFIG: fileWith(lines), ...environment });
  return { fileWith, read };
}

/** What is said of a mistake; a configuration without one fails the test. */
export function mistakeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("No mistake was found.");
}
