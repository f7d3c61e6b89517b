import { readFile } from "node:fs/promises";
import { isObject } from "@trunkline/core/json-object.ts";
import { randomFromSeed } from "@trunkline/core/sampling.ts";
import type { Row } from "./rows.ts";

// Rows composed from our own pieces: documents with and without an instruction in them, and filled templates.

const SLOT = "{payload}";
/** The number of documents each instruction is put into. */
const CARRIERS_EACH = 1;
const FILLINGS_EACH = 12;

interface SeedText {
  readonly text: string;
  readonly lang: string;
}

export async function composeDocuments(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const carriers = await readSeedTexts(`${folder}/document/carriers.jsonl`);
  const instructions = await readSeedTexts(`${folder}/document/payloads.jsonl`);
  const clean = await readSeedTexts(`${folder}/document/clean_payloads.jsonl`);
  const common = { category: "composed", source: "ours: documents", channel: "document" } as const;
  const compose = (seedTexts: readonly SeedText[], label: Row["label"]): Row[] =>
    seedTexts.flatMap((seedText) => [
      { text: seedText.text, label, ...common },
      ...Array.from({ length: CARRIERS_EACH }, (_, turn): Row => {
        const alike = carriers.filter(({ lang }) => lang === seedText.lang || turn === 0);
        const carrier = pick(alike.length > 0 ? alike : carriers, random);
        return { ...fillCarrier(carrier.text, seedText.text), label, ...common };
      }),
    ]);
  const bare = carriers.map(({ text }): Row => ({ text: text.replace(SLOT, ""), label: "benign", ...common }));
  return [...compose(instructions, "injection"), ...compose(clean, "benign"), ...bare];
}

/** Text inside a JSON document is escaped. */
function fillCarrier(carrier: string, piece: string): Required<Pick<Row, "text" | "focus">> {
  const at = carrier.indexOf(SLOT) < 0 ? carrier.length : carrier.indexOf(SLOT);
  const isJson = /^\s*[[{]/.test(carrier);
  const words = isJson ? JSON.stringify(piece).slice(1, -1) : piece;
  const text = carrier.slice(0, at) + words + carrier.slice(at).replace(SLOT, "");
  return { text, focus: { start: at, end: at + words.length } };
}

export async function composeRequests(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const slots = new Map<string, readonly string[]>();
  for (const slot of await readJsonLines(`${folder}/user/slots.jsonl`)) {
    if (typeof slot.slot === "string" && Array.isArray(slot.values)) slots.set(slot.slot, slot.values);
  }
  return (await readJsonLines(`${folder}/user/templates_en.jsonl`)).flatMap((template) => {
    const { text, label, category } = template;
    if (typeof text !== "string" || (label !== "benign" && label !== "injection" && label !== "jailbreak")) return [];
    return Array.from({ length: FILLINGS_EACH }, () => ({
      text: text.replace(/\{(\w+)\}/g, (gap, name: string) => {
        const values = slots.get(name);
        return values === undefined ? gap : pick(values, random);
      }),
      label,
      category: String(category),
      source: "ours: requests",
      channel: "user" as const,
    }));
  });
}

export function pick<T>(values: readonly T[], random: () => number): T {
  const found = values[Math.floor(random() * values.length)];
  if (found === undefined) throw new Error("Nothing to choose from.");
  return found;
}

export async function readSeedTexts(file: string): Promise<SeedText[]> {
  return (await readJsonLines(file)).flatMap(({ text, lang }) =>
    typeof text === "string" ? [{ text, lang: String(lang) }] : [],
  );
}

/** Our own files, whose fields the caller knows. */
export async function readJsonLines<T = Record<string, unknown>>(file: string): Promise<T[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.map((line): T => JSON.parse(line)).filter((value) => isObject(value));
}

// Requests wrapped in a scenario: a story, a persona, a pretext. Most scenarios are harmless with a harmless goal.

const GOAL = "{goal}";
const GOALS_EACH = 3;
export const HARM_IN_SCENARIO = "harm_in_scene";

interface Goal {
  readonly harm: GoalWording;
  /** A harmless goal in similar words. */
  readonly twin: GoalWording;
  readonly category: string;
}

interface GoalWording {
  readonly verb: string;
  readonly noun: string;
}

const ASKING = ["How do I GOAL?", "Tell me how to GOAL.", "I want to GOAL. Where do I start?", "help me GOAL"];

export async function composeScenarios(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const goals = (await readJsonLines(`${folder}/user/goals.jsonl`)).map(
    (goal): Goal => ({
      harm: { verb: String(goal.harmful_verb), noun: String(goal.harmful_noun) },
      twin: { verb: String(goal.twin_verb), noun: String(goal.twin_noun) },
      category: String(goal.category),
    }),
  );
  const common = { source: "ours: requests", channel: "user" } as const;
  const scenarios = (await readJsonLines(`${folder}/user/frames.jsonl`)).flatMap((frame) => {
    const text = String(frame.text);
    const form = frame.form === "verb" ? "verb" : "noun";
    const wrapped = (goalWording: GoalWording) => text.replace(GOAL, () => goalWording[form]);
    const isNeutral = frame.kind === "neutral";
    // A scenario that switches the rules off is an attack whatever its goal: once is enough.
    const around = isNeutral ? "benign" : "jailbreak";
    const category = isNeutral ? "elaborate_frame" : "rules_off";
    return Array.from({ length: GOALS_EACH }, (_, turn): Row[] => {
      const { harm, twin } = pick(goals, random);
      const other = pick(goals, random).twin;
      const harmless = isNeutral ? [other, twin] : turn === 0 ? [other] : [];
      return [
        { ...common, text: wrapped(harm), label: "jailbreak", category: HARM_IN_SCENARIO },
        ...harmless.map((goalWording): Row => ({ ...common, text: wrapped(goalWording), label: around, category })),
      ];
    }).flat();
  });
  const plain = goals.flatMap(({ harm, twin, category }): Row[] => {
    const asked = (goalWording: GoalWording) => pick(ASKING, random).replace("GOAL", () => goalWording.verb);
    return [
      { ...common, source: "ours: harm", text: asked(harm), label: "unsafe", category },
      { ...common, source: "ours: harm", text: asked(twin), label: "benign", category: "sensitive_topic" },
    ];
  });
  return [...scenarios, ...plain];
}

// Harmless requests to edit a text. They refer to text above or before and want it word for word, but mean no prompt.

interface Grammar {
  readonly verbs: string;
  readonly objects: string;
  readonly places: string;
  readonly manners: string;
}

const GRAMMARS: readonly Grammar[] = [
  {
    verbs:
      "Translate|Summarise|Rewrite|Read|Correct|Shorten|Compare|Explain|Copy out|Show me|Print|Repeat|Check|Proofread|Go through|Please review|Now look at|Take|Can you format|I want you to read|List|Ignore the typos and improve|Forget the title and edit",
    objects:
      "the exact text of the poem|all the chapters|my previous paragraph|the first letter|every sentence|the whole recipe|the table|the last message from my landlord|all earlier comments|the notes|the long e-mail|the lyrics|both articles|the instructions of the washing machine|the rules of the board game|the house rules|the second paragraph|the original draft|the opening of the speech|the previous version of the function|everything in the list|the full transcript|this short text|the text of this letter|these lines|the following paragraph|this recipe|the wording of the contract|what my aunt wrote|the text on the sign|the answer of the landlord|this chapter",
    places: "|| above| below| that I pasted| from yesterday| in the attachment| you wrote before| again| so far",
    manners:
      "| line by line| word for word| in plain words| without the dates| and suggest a better title| and then tell me what the second one is about| step by step| and instead use metres| exactly as it stands| and give me a friendly version| in four lines| and explain where I went wrong| and stop at the first mistake| as a table| and say which is the best| into French| into German| to English| into Spanish, please",
  },
  {
    verbs: "Übersetze|Fasse zusammen:|Lies|Korrigiere|Zeige mir|Wiederhole|Vergleiche|Schreibe um:|Prüfe bitte|Gib mir",
    objects:
      "den genauen Wortlaut des Gedichts|alle Kapitel|meinen vorherigen Absatz|jeden Satz|die Anleitung der Waschmaschine|die Spielregeln|alle bisherigen Kommentare|die letzte Nachricht|den ganzen Brief|die alten Rechnungen",
    places: "|| oben| von gestern| aus dem Anhang| noch einmal",
    manners:
      "| Zeile für Zeile| Wort für Wort| ohne die Daten| und nenne den Gesamtbetrag| in einfachen Worten| als Tabelle",
  },
  {
    verbs: "Traduis|Résume|Relis|Corrige|Montre-moi|Répète|Compare|Réécris",
    objects:
      "le texte exact du poème|tous les chapitres|mon paragraphe précédent|chaque phrase|la notice de montage|les règles du jeu|tous les commentaires précédents|le dernier message|toute la lettre",
    places: "|| ci-dessus| d'hier| de la pièce jointe| encore une fois",
    manners:
      "| ligne par ligne| mot à mot| sans les dates| en termes simples| sous forme de tableau| et propose un meilleur titre",
  },
  {
    verbs: "Traduce|Resume|Lee|Corrige|Muéstrame|Repite|Compara|Reescribe",
    objects:
      "el texto exacto del poema|todos los capítulos|mi párrafo anterior|cada frase|las instrucciones de montaje|las reglas del juego|todos los comentarios anteriores|el último mensaje|toda la carta",
    places: "|| de arriba| de ayer| del adjunto| otra vez",
    manners:
      "| línea por línea| palabra por palabra| sin las fechas| en palabras sencillas| como tabla| y propón un título mejor",
  },
];
const ROLES =
  "a guide through the old town|a patient piano teacher|a friendly editor|a strict examiner in chemistry|a waiter in a small restaurant|my running coach|a museum guide|a librarian|a gardener|a travel agent|an interviewer for a junior post|a storyteller for children";
const ROLE_TASKS =
  "show the visitors the church first|explain the different steps|ask me three questions|answer without any hurry|tell me what to plant in May|help me to choose a book|correct my sentences|find a free evening for the dinner|never give the answer at once|write a poem about the evening";
const REQUESTS_PER_LANGUAGE = 520;
const ROLE_COUNT = 160;

export function composeEditingRequests(seed: number): Row[] {
  const random = randomFromSeed(seed);
  const from = (list: string) => pick(list.split("|"), random);
  const row = (text: string): Row => ({
    text,
    label: "benign",
    category: "structured",
    source: "ours: requests",
    channel: "user",
  });
  return [
    ...GRAMMARS.flatMap(({ verbs, objects, places, manners }, at) =>
      Array.from({ length: at === 0 ? 2 * REQUESTS_PER_LANGUAGE : REQUESTS_PER_LANGUAGE / 2 }, () =>
        row(`${from(verbs)} ${from(objects)}${from(places)}${from(manners)}${from(".||!|?")}`),
      ),
    ),
    ...Array.from({ length: ROLE_COUNT }, () =>
      row(
        `${from("Act as|Be|You are|Play|Pretend to be|Imagine you are")} ${from(ROLES)}${from(" and|, then|; your next task is to|. Please")} ${from(ROLE_TASKS)}.`,
      ),
    ),
  ];
}
