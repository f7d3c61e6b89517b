import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/app/config/config.ts";
import { blocksOf, type CodeBlock } from "./code-blocks.ts";
import { PageRunner } from "./page-runner.ts";
import { PageServices } from "./page-services.ts";
import { isRun, pages, RUN, readJson, runPages } from "./run-pages.ts";

const READ = ["json", "yaml", "text"];
const NOT_RUN_MAX = 40;

const all = pages.flatMap(({ blocks }) => blocks);

describe("the code blocks of the documentation", () => {
  it("have a language that a test runs or reads", () => {
    const others = all.filter(({ language }) => ![...RUN, ...READ].includes(language));
    expect(others.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
  });

  it(`are run, but for at most ${NOT_RUN_MAX} that say why not`, () => {
    const left = all.filter(({ notRun }) => notRun !== undefined);
    for (const { file, line, notRun } of left) expect(notRun, `${file}:${line}`).toMatch(/^\S.{9,}$/);
    const list = left.map(({ file, line, notRun }) => `${file}:${line} ${notRun}`).join("\n");
    expect(left.length, list).toBeLessThanOrEqual(NOT_RUN_MAX);
    expect(all.filter(isRun).length).toBeGreaterThan(120);
  });
});

runPages(pages.filter(({ file }) => !file.startsWith("docs/guides/")));

describe("the runner", () => {
  const block = (code: string, text = "") => blocksOf("page.md", `${text}\`\`\`sh\n${code}\n\`\`\`\n`);

  it("fails a block whose request is refused, or whose command fails, unless the page says so", async () => {
    const services = await PageServices.open();
    const runner = await PageRunner.start(services, []);
    const runAll = async (blocks: readonly CodeBlock[]) => {
      for (const each of blocks) await runner.run(each);
    };
    const unknown = 'curl "http://127.0.0.1:8080/v1/models/none" -H "Authorization: Bearer $TRUNKLINE_KEY"';
    await expect(runAll(block(unknown))).rejects.toThrow("404");
    await expect(runAll(block("false"))).rejects.toThrow("Command failed");
    await runAll(block(unknown, "<!-- answers: 404 -->\n\n"));
    await expect(runAll(block("true", "<!-- answers: 404 -->\n\n"))).rejects.toThrow();
    await runner.stop();
    await services.close();
  });
});

describe("blocks that are read", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "trunkline-blocks-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(all.filter(({ language }) => language === "json"))("$file, line $line is JSON", ({ code }) => {
    expect(readJson(code).length).toBeGreaterThan(0);
  });

  it.each(all.filter(({ language }) => language === "yaml"))(
    "$file, line $line is a configuration file that the service takes",
    ({ code, line }) => {
      const path = join(folder, `${line}.yaml`);
      writeFileSync(path, code);
      const names = Array.from(code.matchAll(/_env: (\w+)/g), ([, name = ""]) => [name, "a-key-of-a-provider"]);
      expect(() => readConfig({ TRUNKLINE_CONFIG: path, ...Object.fromEntries(names) })).not.toThrow();
    },
  );
});
