/**
 * How often one letter follows another in natural words, counted over many prompts. One hex digit each: ten for "as
 * often as by chance", one more for twice as often. Rows and columns are the word boundary, then a to z.
 */
const BIGRAM_ROWS = [
  "0cabaaa9ab789aaaa7abc98a595",
  "b59aa5896a59bac593bbc897696",
  "ab766d455b82c65c53b98b541b4",
  "bc394c22cb0aa45c54a8ca21082",
  "ea658c575b55867b53995975280",
  "da6ab9886835a9b787cba698985",
  "db344ba43c23934d30b6ab14382",
  "db545c59bb3395aa90b97a33183",
  "cc434d423c12767b4196a824081",
  "b98baa9a4538aadb86abc5a2648",
  "ac846d545a55756c846a5d55345",
  "da657d789c2686b9627b8937283",
  "cb66ac863c17c76b815a99770b3",
  "cca65d743b137a6bb0595a341a2",
  "da4acb8c7a57868a735bc885394",
  "c78997b86858abc992c9ac9a564",
  "bb466c65aa12c64ca1c9bb38381",
  "a75454344645934445645f26545",
  "db689d785b18899b729aa9751a3",
  "da495c65ab18777aa55aca38081",
  "da475c56dc12864b71aa9937393",
  "ca9a9a795a36bab6a2ccc454575",
  "ab434e243d22523a41552842163",
  "cc456c54cc2483ac52a96526140",
  "cb5a6b657b246756d445d934786",
  "e8776a553924888d906a9636546",
  "cc676d567c46876b54577b58499",
];
const CHANCE_SCORE = 10;

/** The index of a letter, 1 to 26 for either case; 0 for anything else. */
const LETTER_INDEXES = new Uint8Array(128);
for (let letter = 1; letter <= 26; letter += 1) {
  LETTER_INDEXES[64 + letter] = letter;
  LETTER_INDEXES[96 + letter] = letter;
}

/** Indexed by the first letter times 32 plus the second. */
const BIGRAM_SCORES = new Int8Array(32 * 32);
for (const [first, row] of BIGRAM_ROWS.entries()) {
  for (let second = 0; second < row.length; second += 1)
    BIGRAM_SCORES[first * 32 + second] = Number.parseInt(row.charAt(second), 16) - CHANCE_SCORE;
}

export function letterIndex(code: number): number {
  return code < 128 ? (LETTER_INDEXES[code] ?? 0) : 0;
}

/** How often `second` follows `first`: 0 as often as by chance, 1 twice as often, -1 half as often. */
export function bigramScore(first: number, second: number): number {
  return BIGRAM_SCORES[(first << 5) | second] ?? 0;
}

/** How natural the words of a text are. */
export interface FluencyStats {
  readonly letters: number;
  readonly words: number;
  /** The average bigram score. Prose has about 1.3, random letters less than -2. */
  readonly fluency: number;
  /** The share of words that occur in every text: "the", "you", "and". */
  readonly commonShare: number;
}

let scratch = new Uint8Array(1024);

/** Measures the fluency in one pass. */
export function measureFluency(text: string): FluencyStats {
  if (text.length > scratch.length) scratch = new Uint8Array(2 * text.length);
  const letters = scratch;
  for (let at = 0; at < text.length; at += 1) letters[at] = letterIndex(text.charCodeAt(at));
  return measureLetters(letters, text.length);
}

/** The same for letters as indexes, 0 for anything else. */
export function measureLetters(indexes: Uint8Array, size: number): FluencyStats {
  const scores = BIGRAM_SCORES;
  let letters = 0;
  let words = 0;
  let common = 0;
  let sum = 0;
  let before = 0;
  let length = 0;
  let packed = 0;
  for (let at = 0; at <= size; at += 1) {
    const letter = at < size ? (indexes[at] ?? 0) : 0;
    if (letter > 0) {
      sum += scores[(before << 5) | letter] ?? 0;
      length += 1;
      packed = length <= LETTERS_MAX ? (packed << 5) | letter : 0;
    } else if (length > 0) {
      sum += scores[before << 5] ?? 0;
      letters += length;
      words += 1;
      if (COMMON_WORDS.has(packed)) common += 1;
      length = 0;
      packed = 0;
    }
    before = letter;
  }
  return {
    letters,
    words,
    fluency: letters === 0 ? 0 : sum / (letters + words),
    commonShare: words === 0 ? 0 : common / words,
  };
}

/** Words of at most five letters that occur in every longer English text, and some of other languages. */
const COMMON_WORD_LIST = `
a i the of and to in is it you that he was for on are with as his they be at one have this from or had by but not what
all were we when your can said there use an each which she do how their if will up other about out many then them these
so some her would make like him into time has look two more write go see no way could my than first been call who its
now find down did get come made may over any new take only know live give me our just let why off say tell must after
also am us here very want even most where does every don under above below never still show need help please
der die das und ist nicht ein eine mir dir du ich sie wir von mit auf den dem zu im auch alle wie wenn oder nur
les des est pas que le la et vous je ne dans pour sur un une ce il los las el de una por con para en se lo es como tu mi
di che non per sono gli nel da do em um uma os het een van niet ik je dat
`
  .trim()
  .split(/\s+/)
  .filter((word) => word.length <= 5);

const SLOTS = 2048;
const LETTERS_MAX = 5;

/** A hash set of words packed into integers, five bits per letter. */
class PackedWordTable {
  readonly #slots = new Int32Array(SLOTS);

  constructor(words: readonly string[]) {
    for (const word of words) this.#add(packWord(word));
  }

  has(word: number): boolean {
    if (word === 0) return false;
    for (let slot = slotOf(word); ; slot = (slot + 1) % SLOTS) {
      const here = this.#slots[slot];
      if (here === word) return true;
      if (here === 0) return false;
    }
  }

  #add(word: number): void {
    let slot = slotOf(word);
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== word) slot = (slot + 1) % SLOTS;
    this.#slots[slot] = word;
  }
}

function slotOf(word: number): number {
  return (Math.imul(word, 0x9e3779b1) >>> 21) % SLOTS;
}

function packWord(word: string): number {
  let number = 0;
  for (let at = 0; at < word.length; at += 1) number = (number << 5) | (word.charCodeAt(at) - 96);
  return number;
}

export const COMMON_WORDS = new PackedWordTable(COMMON_WORD_LIST);

/** The words of the radio alphabet with at most five letters, which is more than half of it. */
export const RADIO_ALPHABET_WORDS = new PackedWordTable(
  "alpha alfa bravo delta echo golf hotel india kilo lima mike oscar papa romeo tango xray zulu".split(" "),
);

/** Reverses a packed word of at most five letters. */
export function reversePackedWord(word: number): number {
  let rest = word;
  let turned = 0;
  while (rest > 0) {
    turned = (turned << 5) | (rest & 31);
    rest >>= 5;
  }
  return turned;
}
