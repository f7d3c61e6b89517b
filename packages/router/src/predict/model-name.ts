/**
 * One spelling for all names of a model: without its vendor, its date and words for its form. Sizes, versions and words
 * such as mini, coder or vision stay, because they distinguish models.
 */
export function canonicalModelName(name: string): string {
  return plainModelName(name)
    .replace(/(?<=[a-z])-(?=\d)/g, "")
    .replace(/(?<=\d)-(?=\d)/g, ".");
}

/** The same with the words of the name apart, as it spells them. */
export function plainModelName(name: string): string {
  const path = name.toLowerCase().split("/");
  const last = path.at(-1) ?? "";
  return (
    (last.split("@", 1)[0] ?? "")
      .replace(/:(free|latest|beta|nitro|extended|thinking)?$/, "")
      .replace(/^(us|eu|apac|global)\./, "")
      .replace(/^(anthropic|meta|amazon|mistral|cohere|ai21|deepseek|qwen|openai|google|nvidia|x-?ai)\./, "")
      .replace(/-v\d+:\d+$/, "")
      .replace(/[\s_:]+/g, "-")
      .replace(/^(meta|mistralai|nvidia|google|microsoft|openai|anthropic|databricks)-(?=[a-z])/, "")
      .replace(/^c4ai-/, "")
      // Three times: a name may end in a form and a date, or in a date and a form.
      .replace(NAME_SUFFIX, "")
      .replace(NAME_SUFFIX, "")
      .replace(NAME_SUFFIX, "")
  );
}

/** A date, or a word for the form of a release that does not identify the model. */
const NAME_SUFFIX =
  /-(?:\d{4}-\d{2}-\d{2}|20\d{6}|instruct|chat|it|hf|latest|turbo-instruct|preview|exp|fp8|bf16|awq|gptq|gguf|int4|int8|v0\.1|v01|v1)$/;
