import { isObject } from "@trunkline/core/json-object.ts";
import { parse } from "yaml";
import type { CollectedRow, Repositories } from "./collected-row.ts";

const JADE = "whitzard-ai/jade-db";
const PROMPTFOO = "promptfoo/promptfoo";
const PROMPTFOO_EXAMPLES = ["medical-agent", "foundation-model", "rag", "travel-agent"];
/** The harm class of promptfoo's plugins. Others are of harm in general, and some are no harm to people. */
const HARM_OF_PLUGIN: readonly (readonly [RegExp, string])[] = [
  [/copyright|intellectual-property|specialized-advice|profanity|insults|overreliance/, ""],
  [/self-harm/, "self_harm"],
  [/child/, "sexual_minors"],
  [/sex/, "sexual"],
  [/hate/, "hate"],
  [/harassment/, "harassment"],
  [/weapons|chemical|ied/, "weapons"],
  [/cybercrime|malicious-code/, "cyber"],
  [/privacy/, "privacy"],
  [/crime|illegal|drugs|radicalization|violent/, "crime"],
];

/** Requests for harm: in Chinese, and against four applications. */
export async function collectHarmfulRequests(repositories: Repositories): Promise<CollectedRow[]> {
  const rows: CollectedRow[] = [];
  for (const path of ["v1.0/jade_benchmark_zh", "v2.0/jade_benchmark_easy_zh", "v2.0/jade_benchmark_medium_zh"])
    for (const record of await repositories.records(JADE, `jade-db-${path}.csv`)) {
      const { 问题: text = "", 违规类型: kind = "" } = record;
      if (text !== "")
        rows.push({ text, label: "unsafe", category: kind === "违法犯罪" ? "crime" : "other", source: JADE });
    }
  const seen = new Set<string>();
  for (const example of PROMPTFOO_EXAMPLES) {
    const file: unknown = parse(await repositories.text(PROMPTFOO, `examples/redteam-${example}/redteam.yaml`));
    const tests = isObject(file) && Array.isArray(file.tests) ? file.tests : [];
    for (const test of tests) {
      const { prompt, plugin } = promptOf(test);
      const harm = HARM_OF_PLUGIN.find(([pattern]) => pattern.test(plugin))?.[1] ?? "other";
      if (!plugin.startsWith("harmful:") || harm === "" || prompt === "" || seen.has(prompt)) continue;
      seen.add(prompt);
      rows.push({ text: prompt, label: "unsafe", category: harm, source: `${PROMPTFOO} red team` });
    }
  }
  return rows;
}

/** Tests that a strategy rewrites are listed with the plain request, once for each strategy. */
function promptOf(test: unknown): { prompt: string; plugin: string } {
  const vars = isObject(test) && isObject(test.vars) ? test.vars : {};
  const metadata = isObject(test) && isObject(test.metadata) ? test.metadata : {};
  const textIn = (value: unknown) => (typeof value === "string" ? value : "");
  return { prompt: textIn(vars.prompt).trim(), plugin: textIn(metadata.pluginId) };
}

/** The prompts in the source code of clients. */
const CLIENTS: readonly (readonly [repository: string, paths: readonly string[]])[] = [
  [
    "Aider-AI/aider",
    [
      ..."architect ask base context editblock_fenced editblock_func editblock help patch udiff udiff_simple wholefile wholefile_func"
        .split(" ")
        .map((name) => `aider/coders/${name}_prompts.py`),
      "aider/prompts.py",
      "aider/watch_prompts.py",
      "benchmark/prompts.py",
    ],
  ],
  [
    "cline/cline",
    [
      "apps/vscode/src/core/prompts/responses.ts",
      "sdk/packages/core/src/extensions/tools/team/subagent-prompts.ts",
      "sdk/packages/shared/src/prompt/cline.ts",
      "sdk/packages/shared/src/prompt/system.ts",
    ],
  ],
  [
    "danny-avila/LibreChat",
    [
      "api/app/clients/prompts/artifacts.js",
      "api/app/clients/prompts/createVisionPrompt.js",
      "api/app/clients/prompts/summaryPrompts.js",
      "packages/api/src/prompts/artifacts/index.ts",
    ],
  ],
];
const STRING_LITERAL = /"""([\s\S]{60,}?)"""|'''([\s\S]{60,}?)'''|`((?:[^`\\]|\\.){60,}?)`|"((?:[^"\\\n]|\\.){60,}?)"/g;
const PROSE = /[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}/;

/** The prompts of popular clients, which send them as the words of the user. */
export async function collectClientPrompts(repositories: Repositories): Promise<CollectedRow[]> {
  const rows: CollectedRow[] = [];
  for (const [repository, paths] of CLIENTS)
    for (const path of paths) {
      const code = await repositories.text(repository, path);
      for (const literal of code.matchAll(STRING_LITERAL)) {
        const text = (literal.slice(1).find((part) => part !== undefined) ?? "").replaceAll("\\n", "\n").trim();
        if (PROSE.test(text)) rows.push({ text, label: "benign", category: "application prompt", source: repository });
      }
    }
  return rows;
}
