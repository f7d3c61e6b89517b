/**
 * Lower-case Greek and Cyrillic letters that pass for Latin ones. Some only do so as capitals (В for B),
 * but words are lower-cased before they get here.
 */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аα",
    b: "вβ",
    c: "сϲ",
    d: "ԁ",
    e: "еεё",
    g: "ԍ",
    h: "һн",
    i: "іιї",
    j: "јϳ",
    k: "кκ",
    l: "ӏ",
    m: "мμ",
    n: "ηп",
    o: "оοσ",
    p: "рρ",
    q: "ԛ",
    r: "г",
    s: "ѕ",
    t: "тτ",
    u: "υ",
    v: "νѵ",
    w: "ԝω",
    x: "хχ",
    y: "уγ",
    z: "ζ",
  }).flatMap(([latin, others]) => [...others].map((other): [string, string] => [other, latin])),
);

/** A word mixes scripts exactly where a Latin letter touches a Greek or Cyrillic one. */
const MIXED = /[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]/;
const WORD = /[a-z\u0370-\u052f]+/g;
const FOREIGN = /[\u0370-\u052f]/g;

/**
 * Writes words that mix scripts in Latin letters. Words of one script are left alone: they are simply Greek or Russian.
 * Every letter stays one letter, so offsets stay as they are.
 */
export function latinise(text: string): string {
  if (!MIXED.test(text)) return text;
  return text.replace(WORD, (word) =>
    MIXED.test(word) ? word.replace(FOREIGN, (letter) => LOOK_ALIKES.get(letter) ?? letter) : word,
  );
}
