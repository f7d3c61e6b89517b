import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { pick } from "./compose-rows.ts";
import { TRANSFORMATIONS } from "./evasion/transformations.ts";
import { SuffixGenerator } from "./fit-suffix-detector.ts";
import type { Row } from "./rows.ts";

// Derives more rows from existing ones: attacks embedded in harmless text, combined harmless texts, filled templates,
// typos and adversarial suffixes.

const TEMPLATE_GAP =
  /\[(?:QUESTION|REQUEST|TASK|GOAL|PROMPT|INSERT[^\]]{0,30}|HARMFUL[^\]]{0,30}|[A-Z ]{4,24})\]|\{(?:goal|request|question)\}/g;
const SEPARATORS = ["\n", "\n\n", " ", "\n---\n", ". "];
const TASKS = [
  "Translate this: ",
  "Summarise: ",
  "Proofread: ",
  "What is this about? ",
  "Rewrite in plain words: ",
  "",
  "",
  "",
];
const SUFFIXES = 500;
const MIXES = 900;
const PUBLIC_ATTACKS = 900;
const STRAY_TASKS = 700;
const DISGUISED_EACH = 36;
const FRAGMENTS = 5_000;
const FILLERS = 400;

export function augmentRows(rows: readonly Row[], seed: number): Row[] {
  const random = randomFromSeed(seed);
  const of = (test: (row: Row) => boolean) => rows.filter(test);
  const requests = of(
    ({ label, channel, category }) =>
      label === "unsafe" &&
      channel === "user" &&
      /advbench|harmfulqa|catqa_english|dangerousqa|weapons|cyber|fraud/.test(category),
  );
  const everyday = of(
    ({ label, channel, source, text }) =>
      label === "benign" &&
      channel === "user" &&
      text.length < 240 &&
      /clinc|natural-questions|xquad|self-instruct|T0|glaive|GPTeacher|ours: requests|dstc8/.test(source),
  );
  const attacks = of(
    ({ label, channel, source, text }) =>
      (label === "injection" || label === "jailbreak") &&
      channel === "user" &&
      text.length < 600 &&
      source === "ours: requests",
  );
  const publicAttacks = of(
    ({ label, channel, source, category, text }) =>
      label === "injection" &&
      channel === "user" &&
      text.length < 300 &&
      /DIRECT_INJECTION|OVERRIDE|EXTRACTION|sysprompt|giskard/.test(category) &&
      !source.startsWith("ours") &&
      /^[\x20-\x7e\n]*$/.test(text) &&
      !/[0-9]\w*[a-z]\w*[0-9]/.test(text),
  );
  const harmless = of(
    ({ label, channel, source, text }) =>
      label === "benign" && channel === "user" && source === "ours: requests" && text.length < 400,
  );
  const suffixes = new SuffixGenerator(harmless, random);
  return [
    ...attacks.flatMap((row) => [embedInText(row, everyday, random), withTypos(row, random)]),
    ...sampleRows(publicAttacks, PUBLIC_ATTACKS, random).map((row) => embedInText(row, everyday, random)),
    ...harmless.map((row) => withTypos(row, random)),
    ...Array.from({ length: MIXES }, () => {
      const row = pick(random() < 0.6 ? harmless : everyday, random);
      return embedInText(row, everyday, random);
    }),
    ...fillTemplates(attacks, requests, random),
    ...Array.from({ length: SUFFIXES }, (): Row => {
      const { text } = pick(requests, random);
      return {
        text: `${text} ${suffixes.generate()}`,
        label: "jailbreak",
        category: "suffix",
        source: "ours: requests",
        channel: "user",
      };
    }),
    ...rows.flatMap((row) =>
      row.category === "code_snippet" && random() < 0.4 ? [appendCode(row, everyday, random)] : [],
    ),
  ];
}

/** Harmless texts in every disguise: a disguise alone is no attack. */
export function disguiseBenignRows(rows: readonly Row[], seed: number): Row[] {
  const random = randomFromSeed(seed);
  const texts = rows.filter(
    ({ label, channel, source, text }) =>
      label === "benign" &&
      channel === "user" &&
      text.length > 24 &&
      text.length < 160 &&
      /clinc|natural-questions|GPTeacher|self-instruct|ours: requests/.test(source),
  );
  return TRANSFORMATIONS.flatMap(({ apply }) =>
    Array.from(
      { length: DISGUISED_EACH },
      (): Row => ({
        text: apply(pick(texts, random).text),
        label: "benign",
        category: "disguised",
        source: "ours: requests",
        channel: "user",
      }),
    ),
  );
}

/** Short fragments: the beginnings of harmless texts, and single words of attacks, which prove nothing. */
export function composeFragments(rows: readonly Row[], seed: number): Row[] {
  const random = randomFromSeed(seed);
  const harmless = rows.filter(({ label, channel }) => label === "benign" && channel !== "output");
  const attacks = rows.filter(
    ({ label, channel, source }) =>
      (label === "injection" || label === "jailbreak") && channel === "user" && source === "ours: requests",
  );
  return [
    ...sampleRows(harmless, FRAGMENTS, random).map(
      (row): Row => ({
        ...row,
        text: wordsOf(row.text)
          .slice(0, 1 + Math.floor(random() * 6))
          .join(" "),
        category: "beginning",
      }),
    ),
    ...sampleRows(attacks, FRAGMENTS / 5, random).map(
      (row): Row => ({
        ...row,
        text: pick(wordsOf(row.text), random),
        label: "benign",
        category: "beginning",
        channel: random() < 0.7 ? "user" : "document",
      }),
    ),
    // Repetition does not make it an attack either, as in tests and tables.
    ...sampleRows(harmless, FILLERS, random).map((row): Row => {
      const words = wordsOf(row.text).slice(0, 1 + Math.floor(random() * 5));
      return {
        ...row,
        text: `${words.join(" ")} `.repeat(8 + Math.floor(random() * 120)).slice(0, 2400),
        category: "beginning",
      };
    }),
  ].filter(({ text }) => text.trim() !== "");
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Puts a text after, before or between everyday ones. */
function embedInText(row: Row, everyday: readonly Row[], random: () => number): Row {
  const some = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(everyday, random).text);
  const separator = pick(SEPARATORS, random);
  const place = random();
  const before = place < 0.85 ? `${pick(TASKS, random)}${some().join(" ")}${separator}` : "";
  const after = place > 0.65 ? `${separator}${some().join(" ")}` : "";
  const focus = { start: before.length, end: before.length + row.text.length };
  return { ...row, text: before + row.text + after, focus };
}

/** Harmless requests also contain code that looks senseless. */
function appendCode(row: Row, everyday: readonly Row[], random: () => number): Row {
  const code = row.text.slice(0, 120 + Math.floor(random() * 300));
  return {
    ...row,
    text: `${pick(everyday, random).text}\n${code}`,
    channel: "user",
    category: "code_question",
  };
}

function fillTemplates(attacks: readonly Row[], requests: readonly Row[], random: () => number): Row[] {
  return attacks.flatMap((row) => {
    if (row.text.search(TEMPLATE_GAP) < 0) return [];
    return Array.from({ length: 2 }, () => {
      const { text } = pick(requests, random);
      return { ...row, text: row.text.replace(TEMPLATE_GAP, () => text) };
    });
  });
}

/** Swaps, drops or doubles a letter in a few words. */
function withTypos(row: Row, random: () => number): Row {
  const text = row.text.replace(/\p{L}{4,}/gu, (word) => {
    if (random() > 0.12) return word;
    const at = 1 + Math.floor(random() * (word.length - 2));
    const kind = random();
    const [one, two] = [word.charAt(at), word.charAt(at + 1)];
    if (kind < 0.4) return word.slice(0, at) + two + one + word.slice(at + 2);
    return kind < 0.7 ? word.slice(0, at) + word.slice(at + 1) : word.slice(0, at) + one + word.slice(at);
  });
  return { ...row, text };
}

/** About `count` of the rows. */
function sampleRows(rows: readonly Row[], count: number, random: () => number): Row[] {
  return rows.filter(() => random() < count / rows.length);
}

const TASK_LIKE =
  /^(?:please )?(?:write|create|generate|explain|summari[sz]e|translate|give|list|describe|compose|convert|calculate|provide|tell|suggest|recommend|draft|make|find|identify|compare|design|rewrite|answer|solve|what|how)\b/i;

/** A plain task of a user is an injection if it stands in a document. */
export function collectStrayTasks(rows: readonly Row[], seed: number): { text: string; lang: string }[] {
  const random = randomFromSeed(seed);
  const tasks = rows.filter(
    ({ label, channel, source, category, text }) =>
      label === "benign" &&
      channel === "user" &&
      text.length < 170 &&
      /GPTeacher|self-instruct|FuzzyAI|neuralchemy/.test(source) &&
      !/tool_prompt/.test(category) &&
      TASK_LIKE.test(text),
  );
  return sampleRows(tasks, STRAY_TASKS, random).map(({ text }) => ({ text, lang: "en" }));
}

/** Puts instructions to an assistant, and user tasks, into harmless documents. */
export function embedInDocuments(
  rows: readonly Row[],
  instructions: readonly { text: string; lang: string }[],
  seed: number,
): Row[] {
  const random = randomFromSeed(seed);
  const documents = rows.filter(
    ({ label, channel, category, text }) =>
      label === "benign" &&
      channel === "document" &&
      /indirect_clean|xquad_context|tool_output/.test(category) &&
      text.length > 60,
  );
  return instructions.flatMap(({ text: instruction, lang }) => {
    const alike = documents.filter(({ category }) =>
      category.startsWith("xquad") ? category.endsWith(`/${lang}`) : lang === "en",
    );
    if (alike.length === 0) return [];
    const document = pick(alike, random).text.slice(0, 1200);
    const ends = [...document.matchAll(/[.!?।。\n]\s*/g)].map((match) => match.index + match[0].length);
    const at = ends.length === 0 ? document.length : pick(ends, random);
    const text = `${document.slice(0, at)}${at > 0 ? " " : ""}${instruction} ${document.slice(at)}`;
    return [
      {
        text,
        label: "injection" as const,
        category: "composed",
        source: "ours: documents",
        channel: "document" as const,
        focus: { start: at, end: at + instruction.length + 1 },
      },
    ];
  });
}
