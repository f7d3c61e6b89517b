import { randomFromSeed } from "@trunkline/core/seeded.ts";
import { pick } from "./compose.ts";
import type { Row } from "./rows.ts";

/** Harmless requests to do something with a text. They point above and before, want it word for word, and mean no prompt. */

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
      "the exact text of the poem|all the chapters|my previous paragraph|the first letter|every sentence|the whole recipe|the table|the last message from my landlord|all earlier comments|the notes|the long e-mail|the lyrics|both articles|the instructions of the washing machine|the rules of the board game|the house rules|the second paragraph|the original draft|the opening of the speech|the previous version of the function|everything in the list|the full transcript",
    places:
      "|| above| below| that I pasted| from yesterday| in the attachment| you wrote before| again| so far",
    manners:
      "| line by line| word for word| in plain words| without the dates| and suggest a better title| and then tell me what the second one is about| step by step| and instead use metres| exactly as it stands| and give me a friendly version| in four lines| and explain where I went wrong| and stop at the first mistake| as a table| and say which is the best",
  },
  {
    verbs:
      "Übersetze|Fasse zusammen:|Lies|Korrigiere|Zeige mir|Wiederhole|Vergleiche|Schreibe um:|Prüfe bitte|Gib mir",
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
const REQUESTS_PER_LANGUAGE = 260;
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
    ...GRAMMARS.flatMap(({ verbs: deeds, objects: things, places, manners }, at) =>
      Array.from({ length: at === 0 ? 2 * REQUESTS_PER_LANGUAGE : REQUESTS_PER_LANGUAGE / 2 }, () =>
        row(`${from(deeds)} ${from(things)}${from(places)}${from(manners)}${from(".||!|?")}`),
      ),
    ),
    ...Array.from({ length: ROLE_COUNT }, () =>
      row(
        `${from("Act as|Be|You are|Play|Pretend to be|Imagine you are")} ${from(ROLES)}${from(" and|, then|; your next task is to|. Please")} ${from(ROLE_TASKS)}.`,
      ),
    ),
  ];
}
