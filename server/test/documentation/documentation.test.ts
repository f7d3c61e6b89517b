import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/app/config/config.ts";
import { blocksOf, type CodeBlock, documentedPages } from "./code-blocks.ts";
import { PageRunner } from "./page-runner.ts";

const RUN = ["sh", "js", "ts", "python"];
const READ = ["json", "yaml", "text"];
/** The libraries' own tests run the examples of their readmes, as installed packages. */
const OWN_TESTS = new Set(["sdk/README.md ts", "sdk-python/README.md python", "ai-sdk-provider/README.md ts"]);
const NOT_RUN_MAX = 20;

const pages = documentedPages().map((file) => ({ file, blocks: blocksOf(file) }));
const all = pages.flatMap(({ blocks }) => blocks);
const isRun = ({ file, language, notRun }: CodeBlock) =>
  RUN.includes(language) && notRun === undefined && !OWN_TESTS.has(`${file} ${language}`);

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

describe.each(pages.filter(({ blocks }) => blocks.some(isRun)))("$file", ({ blocks }) => {
  let runner: PageRunner;
  beforeAll(async () => {
    runner = await PageRunner.start(blocks);
  });
  afterAll(() => runner.stop());

  it.each(
    blocks.filter((block) => isRun(block) || (["json", "yaml"].includes(block.language) && block.notRun === undefined)),
  )("line $line, $language", async (block) => {
    if (block.language !== "json") return runner.run(block);
    const shown = readJson(block.code);
    // A JSON block after a command shows its answer.
    const previous = blocks[blocks.indexOf(block) - 1];
    if (previous?.language === "sh" && isRun(previous) && previous.keepsRunning === undefined)
      expect(missingFields(shown.at(-1), readJson(runner.printed).at(-1), "answer")).toEqual([]);
  });
});

describe("the runner", () => {
  const block = (code: string, text = "") => blocksOf("page.md", `${text}\`\`\`sh\n${code}\n\`\`\`\n`);

  it("fails a block whose request is refused, or whose command fails, unless the page says so", async () => {
    const runner = await PageRunner.start([]);
    const runAll = async (blocks: readonly CodeBlock[]) => {
      for (const each of blocks) await runner.run(each);
    };
    const unknown = 'curl "http://127.0.0.1:8080/v1/models/none" -H "Authorization: Bearer $TRUNKLINE_KEY"';
    await expect(runAll(block(unknown))).rejects.toThrow("404");
    await expect(runAll(block("false"))).rejects.toThrow("Command failed");
    await runAll(block(unknown, "<!-- answers: 404 -->\n\n"));
    await expect(runAll(block("true", "<!-- answers: 404 -->\n\n"))).rejects.toThrow();
    await runner.stop();
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

/** One JSON value, or one on each line. */
function readJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

/** Fields that the page shows and the answer lacks. */
function missingFields(shown: unknown, answer: unknown, path: string): string[] {
  if (typeof shown !== "object" || shown === null) return [];
  if (typeof answer !== "object" || answer === null) return [path];
  const fields = answer as Readonly<Record<string, unknown>>;
  return Object.entries(shown).flatMap(([name, value]) =>
    name in fields ? missingFields(value, fields[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}
