/**
 * One spelling for the names under which one model goes: without its vendor, its date and words for its form.
 * What tells models apart stays: sizes, versions, and words such as mini, coder or vision.
 */
export function canonicalModelName(name: string): string {
  const path = name.toLowerCase().split("/");
  const last = path.at(-1) ?? "";
  const words = (last.split("@", 1)[0] ?? "")
    .replace(/:(free|latest|beta|nitro|extended|thinking)?$/, "")
    .replace(/^(us|eu|apac|global)\./, "")
    .replace(/^(anthropic|meta|amazon|mistral|cohere|ai21|deepseek|qwen|openai|google|nvidia|x-?ai)\./, "")
    .replace(/-v\d+:\d+$/, "")
    .replace(/[\s_:]+/g, "-")
    .replace(/^(meta|mistralai|nvidia|google|microsoft|openai|anthropic|databricks)-(?=[a-z])/, "")
    .replace(/^c4ai-/, "")
    // Twice: a name may end in a form and a date, or in a date and a form.
    .replace(NAME_SUFFIX, "")
    .replace(NAME_SUFFIX, "")
    .replace(NAME_SUFFIX, "");
  return words.replace(/(?<=[a-z])-(?=\d)/g, "").replace(/(?<=\d)-(?=\d)/g, ".");
}

/** A date, or a word that says how a model was finished and not which it is. */
const NAME_SUFFIX =
  /-(?:\d{4}-\d{2}-\d{2}|20\d{6}|instruct|chat|it|hf|latest|turbo-instruct|preview|exp|fp8|bf16|awq|gptq|gguf|int4|int8|v0\.1|v01|v1)$/;
