/**
 * A text is split into runs of characters of one kind; a run's tokens follow from its kind and length. The tables below
 * turn that into a state machine: the next state for each character, and the tokens that the character adds. A state is
 * a kind and a position in the run; after a run's beginning, positions repeat.
 */
const LETTER = 0;
const DIGIT = 1;
const SPACE = 2;
const LINE_BREAK = 3;
const PUNCTUATION = 4;
const OTHER_ALPHABET = 5;
const IDEOGRAPH = 6;
const SURROGATE = 7;
const KINDS = 8;

/** How many bytes are processed at once; a run may continue in the next window. */
const WINDOW = 16_384;
/** For texts up to this length, setting up the fast paths costs more than it saves. */
const SHORT_TEXT_MAX = 384;

/** The kind of a character by its UTF-16 code. */
export function characterKind(code: number): number {
  if (code < 0x80) {
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return LETTER;
    if (code >= 48 && code <= 57) return DIGIT;
    if (code === 32 || code === 9) return SPACE;
    return code === 10 || code === 13 ? LINE_BREAK : PUNCTUATION;
  }
  if (code < 0x250) return LETTER;
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE;
  if (code >= 0x2000 && code <= 0x2bff) return PUNCTUATION;
  return code >= 0x2e80 && code <= 0xfaff ? IDEOGRAPH : OTHER_ALPHABET;
}

/** The kind of every UTF-16 code unit. */
const CHARACTER_KINDS = Uint8Array.from({ length: 0x10000 }, (_, code) => characterKind(code));

/** How many tokens a run of one kind has. */
export function tokensOfRun(kind: number, length: number): number {
  switch (kind) {
    case LETTER:
      // A usual word is one token; a long one is split about every five letters.
      return length <= 8 ? 1 : Math.ceil(length / 5);
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      // A single space belongs to the word after it; indentation is packed.
      return length === 1 ? 0 : Math.ceil(length / 8);
    case LINE_BREAK:
      return Math.ceil(length / 2);
    case OTHER_ALPHABET:
      return Math.ceil(length / 3);
    case SURROGATE:
      return length;
    case IDEOGRAPH:
      return length;
    default:
      return Math.ceil(length / 2);
  }
}

/** For each kind: how many positions at the start of a run are unique, and how many then repeat. */
const BEGINNING = [9, 0, 2, 0, 0, 0, 0, 0] as const;
const REPEATED = [5, 3, 8, 2, 2, 3, 1, 1] as const;

const lengthsOf = (kind: number) => (BEGINNING[kind] ?? 0) + (REPEATED[kind] ?? 0);
/** The first state of each kind, and at the end the number of states. */
const firstState = [1];
for (let kind = 0; kind < KINDS; kind++) firstState.push((firstState[kind] ?? 0) + lengthsOf(kind));
const states = firstState[KINDS] ?? 0;

/**
 * Next state by state × 8 + kind; states are stored × 8 so that a kind can be added. State 0 is the start of the text.
 */
const NEXT_STATE = new Uint16Array(states * KINDS);
/** By state × 8: the tokens that the character adds that led to this state. */
const STATE_TOKENS = new Uint8Array(states * KINDS);
for (let next = 0; next < KINDS; next++) NEXT_STATE[next] = (firstState[next] ?? 0) * KINDS;
for (let kind = 0; kind < KINDS; kind++) {
  for (let length = 1; length <= lengthsOf(kind); length++) {
    const state = (firstState[kind] ?? 0) + length - 1;
    STATE_TOKENS[state * KINDS] = tokensOfRun(kind, length) - (length === 1 ? 0 : tokensOfRun(kind, length - 1));
    const longer = length < lengthsOf(kind) ? state + 1 : (firstState[kind] ?? 0) + (BEGINNING[kind] ?? 0);
    for (let next = 0; next < KINDS; next++) {
      NEXT_STATE[state * KINDS + next] = (next === kind ? longer : (firstState[next] ?? 0)) * KINDS;
    }
  }
}

/** The kinds of two ASCII characters (first × 8 + second), by the 16-bit number that they form in memory. */
const PAIR_KINDS = new Uint8Array(128 * 256);
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
for (let one = 0; one < 128; one++) {
  for (let other = 0; other < 128; other++) {
    const pair = isLittleEndian ? other * 256 + one : one * 256 + other;
    PAIR_KINDS[pair] = characterKind(one) * KINDS + characterKind(other);
  }
}

/**
 * `NEXT_STATE` and `STATE_TOKENS` for two characters at once: states are stored × 64 so that the kinds of a pair can be
 * added.
 */
const PAIR_NEXT_STATE = new Uint16Array(states * KINDS * KINDS);
const PAIR_TOKENS = new Uint8Array(states * KINDS * KINDS);
for (let state = 0; state < states; state++) {
  for (let kinds = 0; kinds < KINDS * KINDS; kinds++) {
    const between = NEXT_STATE[state * KINDS + (kinds >> 3)] ?? 0;
    const after = NEXT_STATE[between + (kinds & 7)] ?? 0;
    PAIR_NEXT_STATE[state * KINDS * KINDS + kinds] = after * KINDS;
    PAIR_TOKENS[state * KINDS * KINDS + kinds] = (STATE_TOKENS[between] ?? 0) + (STATE_TOKENS[after] ?? 0);
  }
}

const bytes = Buffer.alloc(WINDOW);
/** The window as pairs of ASCII characters, or as single characters of any kind. */
const pairs = new Uint16Array(bytes.buffer, bytes.byteOffset, WINDOW / 2);

/**
 * Our own token count: fast, the same on every machine, and within about 10% of exact tokenizers for prose and code. It
 * sizes holds, and is charged when a provider's count is missing or implausible.
 */
export function countTokens(text: string): number {
  const counter = new TokenCounter();
  counter.add(text);
  return counter.tokens;
}

/** Counts a text that comes in pieces. The count is that of the whole text: a run may continue in the next piece. */
export class TokenCounter {
  tokens = 0;
  /** × 8 */
  private state = 0;

  add(text: string): void {
    const { length } = text;
    if (length <= SHORT_TEXT_MAX) this.addShort(text);
    // As many bytes as characters means ASCII only, as most text is; that can be read two characters at a time.
    else if (Buffer.byteLength(text) === length) this.addAscii(text);
    else this.addAny(text);
  }

  private addShort(text: string): void {
    let { state, tokens } = this;
    for (let index = 0; index < text.length; index++) {
      state = NEXT_STATE[state + (CHARACTER_KINDS[text.charCodeAt(index)] ?? 0)] ?? 0;
      tokens += STATE_TOKENS[state] ?? 0;
    }
    this.state = state;
    this.tokens = tokens;
  }

  private addAscii(text: string): void {
    for (let from = 0; from < text.length; from += WINDOW) {
      const length = bytes.write(from === 0 ? text : text.slice(from, from + WINDOW), "latin1");
      const whole = length >> 1;
      const second = pairBoundaryBefore(whole >> 2);
      if (second === 0) this.addPairs(0, whole);
      else this.addQuarters(second, whole);
      if (length % 2 === 1) {
        this.state = NEXT_STATE[this.state + (CHARACTER_KINDS[bytes[length - 1] ?? 0] ?? 0)] ?? 0;
        this.tokens += STATE_TOKENS[this.state] ?? 0;
      }
    }
  }

  /**
   * Adds the pairs of the window in four parts that are read in one loop, as each pair waits for the state after the one
   * before. All parts but the first start at a run boundary, so they need no earlier state. `second`: where the second
   * begins.
   */
  private addQuarters(second: number, whole: number): void {
    // Inside of a loop, local names are faster than those of the module.
    const codes = pairs;
    const kinds = PAIR_KINDS;
    const next = PAIR_NEXT_STATE;
    const added = PAIR_TOKENS;
    const third = Math.max(second, pairBoundaryBefore(whole >> 1));
    const fourth = Math.max(third, pairBoundaryBefore((3 * whole) >> 2));
    const together = Math.min(second, third - second, fourth - third, whole - fourth);
    let { tokens } = this;
    let one = this.state * KINDS;
    let two = 0;
    let three = 0;
    let four = 0;
    for (let index = 0; index < together; index++) {
      one += kinds[codes[index] ?? 0] ?? 0;
      two += kinds[codes[second + index] ?? 0] ?? 0;
      three += kinds[codes[third + index] ?? 0] ?? 0;
      four += kinds[codes[fourth + index] ?? 0] ?? 0;
      tokens += (added[one] ?? 0) + (added[two] ?? 0) + (added[three] ?? 0) + (added[four] ?? 0);
      one = next[one] ?? 0;
      two = next[two] ?? 0;
      three = next[three] ?? 0;
      four = next[four] ?? 0;
    }
    this.tokens = tokens;
    this.addRest(one, together, second);
    if (third > second) this.addRest(two, second + together, third);
    if (fourth > third) this.addRest(three, third + together, fourth);
    this.addRest(four, fourth + together, whole);
  }

  /** Adds what is left of a part, which has the state × 64. */
  private addRest(state: number, from: number, to: number): void {
    this.state = state >> 3;
    this.addPairs(from, to);
  }

  private addPairs(from: number, to: number): void {
    const codes = pairs;
    let { tokens } = this;
    let state = this.state * KINDS;
    for (let index = from; index < to; index++) {
      state += PAIR_KINDS[codes[index] ?? 0] ?? 0;
      tokens += PAIR_TOKENS[state] ?? 0;
      state = PAIR_NEXT_STATE[state] ?? 0;
    }
    this.state = state >> 3;
    this.tokens = tokens;
  }

  private addAny(text: string): void {
    const codes = pairs;
    const kinds = CHARACTER_KINDS;
    const next = NEXT_STATE;
    const added = STATE_TOKENS;
    let { state, tokens } = this;
    for (let from = 0; from < text.length; from += WINDOW / 2) {
      const length = bytes.write(from === 0 ? text : text.slice(from, from + WINDOW / 2), "utf16le") >> 1;
      if (!isLittleEndian) bytes.swap16();
      const half = boundaryBefore(length >> 1);
      let behind = half;
      if (half > 0) {
        let second = 0;
        for (let index = 0; index < half; index++, behind++) {
          state = next[state + (kinds[codes[index] ?? 0] ?? 0)] ?? 0;
          second = next[second + (kinds[codes[behind] ?? 0] ?? 0)] ?? 0;
          tokens += (added[state] ?? 0) + (added[second] ?? 0);
        }
        state = second;
      }
      for (; behind < length; behind++) {
        state = next[state + (kinds[codes[behind] ?? 0] ?? 0)] ?? 0;
        tokens += added[state] ?? 0;
      }
    }
    this.state = state;
    this.tokens = tokens;
  }
}

/** The last pair up to this one whose first character starts a new run; 0: none. */
function pairBoundaryBefore(pair: number): number {
  for (let index = pair; index > 0; index--) {
    const kinds = PAIR_KINDS[pairs[index] ?? 0] ?? 0;
    if (kinds >> 3 !== ((PAIR_KINDS[pairs[index - 1] ?? 0] ?? 0) & 7)) return index;
  }
  return 0;
}

/** The last character up to this one that starts a new run; 0: none. */
function boundaryBefore(place: number): number {
  for (let index = place; index > 0; index--) {
    if (CHARACTER_KINDS[pairs[index] ?? 0] !== CHARACTER_KINDS[pairs[index - 1] ?? 0]) return index;
  }
  return 0;
}
