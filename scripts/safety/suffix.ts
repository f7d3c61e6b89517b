import { pick } from "./compose.ts";

/** Endings like those that a machine finds by trial: pieces of words, signs and capitals without any sense. Made up by chance. */

const SIGNS = '\\ + ]( ** -- " ! :: {\\ }} /* */ <- -> ?? ;) [[ ]] \\_ {{ "{ ~~ \'> </ == ... #! $$ |'.split(
  " ",
);
const GLUE = ["", "", "", " ", " ", " ", "_", ".", "-", "\\"];
const STEMS =
  "describ similar now write opposit giv one please revert two interface manual sure steps tutor formatt sentence begin reply here content response script table title bullet sorry list ann print html json const return output begins respond follow short poem latex python start answer surely follows texts beginning prefix instead version detail include above inverse sign three four anon ers ible mente ción lich keit ung able ment tion ization ed ing ly ously isch ando ería eux age tera aci ond uvre ilst alem chts ник ство ция 的 これ".split(
    " ",
  );

export function randomSuffix(random: () => number): string {
  const tokens = 12 + Math.floor(random() * 14);
  let text = "";
  for (let token = 0; token < tokens; token++) {
    const kind = random();
    if (kind < 0.3) text += pick(SIGNS, random);
    else text += shaped(kind < 0.6 ? pick(STEMS, random) + pick(STEMS, random) : pick(STEMS, random), random);
    text += pick(GLUE, random);
  }
  return text;
}

function shaped(piece: string, random: () => number): string {
  const chance = random();
  if (chance < 0.2) return piece.toUpperCase();
  return chance < 0.5 ? piece.charAt(0).toUpperCase() + piece.slice(1) : piece;
}
