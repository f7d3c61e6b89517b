import type { Level } from "./template-phrases.ts";

/** Long texts with a short request before or after them: the request says how hard it is, and not the text. */

const SENTENCES =
  "{name} opens the meeting at {small}.15 pm; {number} of {number} members are present.|The {plainthing} from {city} costs {number} euros and is paid in {small} parts.|Please return the keys by {number} May and close the gate behind you.|The boiler on floor {small} is repaired next week, so there is no heating from {small} to {number} o'clock.|{name} asks who pays for the {plainthing}. It was agreed to vote in June.|Parking in front of house {number} is not allowed on {small} March.|The accounts show {number} in and {number} out, with {small} open invoices.|All posts in {city} are to be filled before winter; {name} reports in {small} weeks.|1. Opening. The minutes of the last meeting are accepted without changes.|2. Reports. {name} thanks the helpers of the summer party.|If the alarm goes off, call {number}-{number} and wait at the gate.|- Stop the service before you touch the disk.|- Never delete the folder data, whatever the tool says.|The lift is out of order until further notice.|Elections: {name} steps down, and the post stays empty.|The order of {number} {goods}s arrives late, because the lorry broke down near {city}.|Children under {number} travel free, dogs pay {small} euros.|Tell your neighbours, and take the old {plainthing} away.".split(
    "|",
  );

const REQUESTS: readonly (readonly [domain: string, level: Level, requests: string])[] = [
  [
    "summarising",
    1,
    "Summarise this|Summarise the text below in three sentences|Give me the main points|TL;DR|Sum this up in one line|Summarise the minutes|Summarise in two lines|Shorten this to a paragraph|Fasse das kurz zusammen|Fasse den Text in zwei Sätzen zusammen|Résume ce texte en deux phrases|Resume el texto en dos frases|Кратко перескажи текст|用三句话总结|この文章を要約してください",
  ],
  [
    "extraction",
    1,
    "When is the meeting?|Who paid for it?|Which day is the gate closed?|What time does it start?|How much does it cost?|List all names and dates|Which date is named for the repair?|Wann ist der Termin?|Wer ist gewählt worden?|Who is responsible according to this?|Where do I return the keys?|Turn this into JSON|Convert this to a table|Reformat this as YAML",
  ],
  ["translation", 1, "Translate this into French|Translate the text below into German|Übersetze das ins Englische"],
  ["writing", 1, "Proofread this|Correct the spelling|Make this sound friendlier|Write a short reply to this"],
  [
    "software work",
    3,
    "Find each step of this procedure that can lose data, and say in which order of events|Which of these instructions contradict each other under a crash in between? Prove it|Where does this procedure race with a second operator?",
  ],
  [
    "law",
    3,
    "Which of these clauses can be challenged, on what ground, and what would a court say?|Analyse the liability of each party under this text and cite the law",
  ],
  ["philosophy", 3, "Find the hidden premise of each argument here and give the strongest objection"],
];

type Pick = <Thing>(things: readonly Thing[]) => Thing;

/** A request with a text of this many sentences, and with spaces of several kinds in between. */
export function longPrompt(pick: Pick, sentences: number, fill: (template: string) => string) {
  const [domain, level, requests] = pick(REQUESTS);
  const request = pick(requests.split("|"));
  // The router reads such a request beside the whole as well.
  if (pick([true, false, false])) return { domain, level, prompt: `${request}${pick([":", ""])}` };
  const text = Array.from({ length: sentences }, () => fill(pick(SENTENCES)) + pick([" ", " ", "\n", "\n\n"])).join("");
  return { domain, level, prompt: pick([`${request}:\n\n${text}`, `${request}\n\n${text}`, `${text}\n\n${request}`]) };
}
