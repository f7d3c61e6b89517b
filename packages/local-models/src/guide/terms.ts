/** Words that carry no topic: they are neither indexed nor searched for. */
const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be because been but by can could did do does doing done for from get gets " +
    "give go going got had has have he her here hey hi hello his how i if in into is it its itself just know let like make me " +
    "more most much my no not now of off on one only onto or other our out over please s should show so some such t tell than " +
    "thank thanks that the their them then there these they this those thing to too up us use used using very want was we well " +
    "were what when where which while who whom whose why will with without would write you your yours explain mean means work works"
  ).split(" "),
);

/**
 * The topic words of a text, stemmed, in order. A compound such as `max_tokens` or `/v1/generate`
 * counts as itself and as its parts, since people type either.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [compound] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:[_\-./:][\p{L}\p{N}]+)*/gu)) {
    const parts = compound.split(/[_\-./:]/);
    if (parts.length > 1) terms.push(compound);
    for (const part of parts) {
      if (part.length > 1 && !STOP_WORDS.has(part)) terms.push(stemOf(part));
    }
  }
  return terms;
}

/** A word without its commonest English endings, so that "routing" finds "routes". Light: it never has to be a word. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutLastE(withoutSuffix(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.length > 4 && /ie[sd]$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^suia]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutSuffix(word: string): string {
  const match = /^(.*[aeiouy].*?)(ations?|ating|ated|ate|ing|ed|ment|ly)$/.exec(word);
  const rest = match?.[1];
  if (rest === undefined || rest.length < 3) return word;
  // "stopping" and "stop" meet; "calling" and "call" already do.
  return /([^aeioulsz])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}

function withoutLastE(word: string): string {
  return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
}
