import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { readSection, WIRES, writeSection } from "../agents/compatibility-table.ts";

export const CLASSES = ["ChatOpenAI, chat", "ChatOpenAI, responses", "ChatAnthropic"] as const;
export type ClassName = (typeof CLASSES)[number];

const PACKAGES: Readonly<Record<ClassName, string>> = {
  "ChatOpenAI, chat": "@langchain/openai",
  "ChatOpenAI, responses": "@langchain/openai",
  ChatAnthropic: "@langchain/anthropic",
};

/** The models behind the service. Another maker's model in Anthropic's format has fewer of its features. */
export const PLACES = [
  ...WIRES,
  { wire: "anthropic", name: "Anthropic, another maker", base: "", model: "kimi-k2" },
] as const;
export const DIRECT = "without Trunkline";

/** How LangChain's tests of a class ended, with or without the service before the model. */
export interface Outcome {
  readonly className: ClassName;
  readonly place: string;
  readonly total: number;
  /** The names of the tests that failed. */
  readonly failures: readonly string[];
}

/** The version of the package that a class is from. */
export async function packageVersionOf(className: ClassName): Promise<string> {
  const require = createRequire(import.meta.url);
  const main = require.resolve(PACKAGES[className]);
  const [folder = ""] = main.split(/(?<=node_modules\/@langchain\/\w+)\//);
  return JSON.parse(await readFile(`${folder}/package.json`, "utf8")).version;
}

/** Writes the table of the documentation. */
export async function writeStandardTests(testsVersion: string, outcomes: readonly Outcome[]): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const places = [DIRECT, ...PLACES.map(({ name }) => name)];
  const rows = await Promise.all(
    CLASSES.map(async (className) => {
      const cells = places.map((place) => {
        const found = outcomes.find((outcome) => outcome.className === className && outcome.place === place);
        return found === undefined ? "not run" : `${found.total - found.failures.length} of ${found.total}`;
      });
      return `| ${className} | ${await packageVersionOf(className)} | ${cells.join(" | ")} | ${testsVersion} | ${today} |`;
    }),
  );
  const head = `| class | version | ${places.join(" | ")} | their tests | tried on |`;
  const failing = outcomes
    .filter(({ place, failures }) => place === DIRECT && failures.length > 0)
    .map(({ className, failures }) => `- ${className}: ${failures.map((name) => `\`${name}\``).join(", ")}`);
  await writeSection(
    "langchain",
    [
      head,
      `|${" --- |".repeat(places.length + 4)}`,
      ...rows,
      "",
      "What fails fails without Trunkline as well, for reasons of the class or of the tests:",
      "",
      ...failing,
    ].join("\n"),
  );
}

export const readStandardTests = (): Promise<string> => readSection("langchain");
