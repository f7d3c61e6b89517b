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

/** Policies, contracts and terms, in the requests of people who read them. */
const POLICIES: readonly (readonly [repository: string, paths: readonly string[]])[] = [
  [
    "github/site-policy",
    [
      ..."github-corporate-terms-of-service github-terms-of-service github-sponsors-additional-terms github-marketplace-developer-agreement github-registered-developer-agreement github-secret-scanning-partner-program-agreement github-educational-use-agreement github-terms-for-additional-products-and-features github-copilot-extension-developer-policy"
        .split(" ")
        .map((name) => `Policies/github-terms/${name}.md`),
      ..."github-general-privacy-statement github-candidate-privacy-policy"
        .split(" ")
        .map((name) => `Policies/privacy-policies/${name}.md`),
      "Policies/content-removal-policies/dmca-takedown-policy.md",
    ],
  ],
  [
    "basecamp/policies",
    ["privacy/index.md", "terms/index.md", "abuse/how-we-handle/index.md", "taxes/index.md", "cancellation/index.md"],
  ],
];
const QUESTIONS = [
  (clause: string) => `Is this clause enforceable? "${clause}"`,
  (clause: string) => `What does this mean in plain words?\n\n${clause}`,
  (clause: string) => `${clause}\n\nCan I still publish my side project if I sign this?`,
  (clause: string) => `Rewrite this paragraph of our contract so that a customer understands it: ${clause}`,
  (clause: string) => `My new employer wants me to accept this: "${clause}" Should I ask for a change?`,
  (clause: string) => clause,
];

/** Paragraphs of policies in the requests of people who read them. */
export async function collectPolicies(repositories: Repositories): Promise<CollectedRow[]> {
  const rows: CollectedRow[] = [];
  for (const [repository, paths] of POLICIES)
    for (const path of paths) {
      const paragraphs = (await repositories.text(repository, path))
        .replace(/^---[\s\S]*?\n---\n/, "")
        .split(/\n\s*\n/)
        .map((paragraph) =>
          paragraph
            .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
            .replace(/\s+/g, " ")
            .trim(),
        )
        .filter((paragraph) => paragraph.length > 120 && paragraph.length < 2_500 && !paragraph.startsWith("|"));
      for (const [at, paragraph] of paragraphs.entries()) {
        const ask = QUESTIONS[at % QUESTIONS.length];
        if (ask !== undefined)
          rows.push({ text: ask(paragraph), label: "benign", category: "contract", source: repository });
      }
    }
  return rows;
}

const DEEPEVAL = "confident-ai/deepeval";
const ALPACA_EVAL = "tatsu-lab/alpaca_eval";
const ALPACA_EVALUATORS =
  "alpaca_eval_clf_cot_gpt4_turbo/alpaca_eval_clf_cot alpaca_eval_cot_gpt4_turbo_fn/alpaca_eval_fn alpaca_eval_gpt4/alpaca_eval alpaca_farm/chatml_b1_chat_v0_without_inputs alpaca_farm/chatml_b1_cot_json_without_inputs alpaca_farm/chatml_b5_diana_without_inputs alpaca_farm/chatml_b5_joe_without_inputs alpaca_farm/text_b1_v0_without_inputs alpaca_farm/text_b4_reasoning_without_inputs aviary_gpt4/aviary_prompt chatgpt/basic_prompt claude_ranking/ranking_prompt gpt4_turbo_cot_clf/basic_clf_cot_prompt guanaco_33b/basic_prompt lmsys_gpt4/lmsys_prompt";
const EVALS = "openai/evals";
const EVALS_GRADERS =
  "battle best closedqa diversity fact humor possible research-question-extraction security sql translation";
const BIGGEN = "prometheus-eval/prometheus-eval";

/** Prompts that have a model judge the answers of another: what to ignore and what to answer is said as in attacks. */
export async function collectJudgePrompts(repositories: Repositories): Promise<CollectedRow[]> {
  const texts: [source: string, text: string][] = [];
  const templates = await repositories.json(DEEPEVAL, "deepeval/templates/metrics/templates.json");
  const walk = (value: unknown): void => {
    if (typeof value === "string")
      texts.push([DEEPEVAL, value.replace(/\{%[^%]*%\}/g, "").replace(/\{\{[^}]*\}\}/g, "…")]);
    else if (isObject(value)) for (const inner of Object.values(value)) walk(inner);
  };
  walk(templates);
  for (const name of ALPACA_EVALUATORS.split(" "))
    texts.push([ALPACA_EVAL, await repositories.text(ALPACA_EVAL, `src/alpaca_eval/evaluators_configs/${name}.txt`)]);
  for (const name of EVALS_GRADERS.split(" "))
    for (const spec of Object.values(
      parse(await repositories.text(EVALS, `evals/registry/modelgraded/${name}.yaml`)) as object,
    ))
      if (isObject(spec) && typeof spec.prompt === "string") texts.push([EVALS, spec.prompt]);
  const samples = await repositories.json(BIGGEN, "BiGGen-Bench/sample_evals.json");
  // Some of the tasks on safety ask for harm.
  for (const one of isObject(samples) ? Object.values(samples) : [])
    if (isObject(one) && one.capability !== "safety")
      texts.push([BIGGEN, `${String(one.system_prompt)}\n\n${String(one.input)}`]);
  const seen = new Set<string>();
  return texts.flatMap(([source, given]): CollectedRow[] => {
    const text = given.trim();
    if (text.length < 80 || text.length > 12_000 || seen.has(text)) return [];
    seen.add(text);
    return [{ text, label: "benign", category: "application prompt", source }];
  });
}
