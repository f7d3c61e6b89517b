/** Words that are in every English text of some length, none longer than five letters; and some in other languages. */
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

/** Words written as numbers, five bits a letter, in a table that one multiplication finds them in. */
class PackedWordTable {
  readonly lettersMax = LETTERS_MAX;
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

/** The letters of the radio alphabet that are spelt with at most five of them: more than half of it. */
export const RADIO_ALPHABET_WORDS = new PackedWordTable(
  "alpha alfa bravo delta echo golf hotel india kilo lima mike oscar papa romeo tango xray zulu".split(" "),
);

/** Of a word of at most five letters, its number as it reads backwards. */
export function reversePackedWord(word: number): number {
  let rest = word;
  let turned = 0;
  while (rest > 0) {
    turned = (turned << 5) | (rest & 31);
    rest >>= 5;
  }
  return turned;
}
