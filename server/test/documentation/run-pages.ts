import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, type CodeBlock, documentedPages } from "./code-blocks.ts";
import { PageRunner } from "./page-runner.ts";
import { PageServices } from "./page-services.ts";

/** The languages of blocks that are run. */
export const RUN = ["sh", "js", "ts", "python"];
/** The libraries' own tests run the examples of their readmes, as installed packages. */
const OWN_TESTS = new Set(["sdk/README.md ts", "sdk-python/README.md python", "ai-sdk-provider/README.md ts"]);

export const pages = documentedPages().map((file) => ({ file, blocks: blocksOf(file) }));

export const isRun = ({ file, language, notRun }: CodeBlock) =>
  RUN.includes(language) && notRun === undefined && !OWN_TESTS.has(`${file} ${language}`);

/** Runs the blocks of each page, from its top to its end. */
export function runPages(chosen: typeof pages): void {
  let services: PageServices;
  beforeAll(async () => {
    services = await PageServices.open();
  });
  afterAll(() => services.close());

  describe.each(chosen.filter(({ blocks }) => blocks.some(isRun)))("$file", ({ blocks }) => {
    let runner: PageRunner;
    beforeAll(async () => {
      runner = await PageRunner.start(services, blocks);
    });
    afterAll(() => runner.stop());

    it.each(
      blocks.filter(
        (block) => isRun(block) || (["json", "yaml"].includes(block.language) && block.notRun === undefined),
      ),
    )("line $line, $language", async (block) => {
      if (block.language !== "json") return runner.run(block);
      const shown = readJson(block.code);
      // A JSON block after a command shows its answer.
      const previous = blocks[blocks.indexOf(block) - 1];
      if (previous?.language === "sh" && isRun(previous) && previous.keepsRunning === undefined)
        expect(missingFields(shown.at(-1), readJson(runner.printed).at(-1), "answer")).toEqual([]);
    });
  });
}

/** One JSON value, or one on each line. */
export function readJson(text: string): unknown[] {
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
