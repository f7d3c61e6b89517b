import { pick } from "./compose.ts";

/** Endings like those that a machine finds by trial: pieces of words, signs and capitals without any sense. Made up by chance. */

const SIGNS =
  '\\ + ** -- " ! :: }} /* */ <- -> ?? ;) [[ ]] \\_ {{ ~~ </ == ... #! $$ | )] <% %> @@ ^^ && =( +) `` ;; ,,'.split(
    " ",
  );
const WORDS =
  "kitchen orange window teams river yellow doctor market quickly bridge summer coffee engine paper silver garden museum winter pocket signal camera velvet ticket copper lesson forest butter dinner planet rocket harbor singer bottle candle mirror ladder pepper tunnel wagon basket lemon button carpet table column header index value import return while public string object bitte luego quand sobre unter zwischen tengo avec deze voor dalla".split(
    " ",
  );
const GLUE = ["", "", "", " ", " ", " ", "_", ".", "-", "\\"];
const STEMS =
  "sand melt ward craft trans inter multi graph photo micro hydro auto semi pre sub ultra list node item data char void null span view grid link text form page user root path init load ible mente ción lich keit ung able ment tion ization ed ing ly ously isch ando ería eux age tera aci ond uvre ilst alem chts ник ство ция 的 これ".split(
    " ",
  );

export function randomSuffix(random: () => number): string {
  const tokens = 12 + Math.floor(random() * 14);
  // Some are made of pieces, some of whole words that have nothing to do with each other.
  const sense = random() * 0.6;
  let text = "";
  for (let token = 0; token < tokens; token++) {
    const kind = random();
    if (kind < 0.3) text += pick(SIGNS, random);
    else if (kind < 0.3 + sense) text += shaped(pick(WORDS, random), random);
    else
      text += shaped(kind < 0.75 ? pick(STEMS, random) + pick(STEMS, random) : pick(STEMS, random), random);
    text += pick(GLUE, random);
  }
  return text;
}

function shaped(piece: string, random: () => number): string {
  const chance = random();
  if (chance < 0.2) return piece.toUpperCase();
  return chance < 0.5 ? piece.charAt(0).toUpperCase() + piece.slice(1) : piece;
}
