import { describe, expect, it } from "vitest";
import { BLOCK_COUNTS, LEXICON_COUNTS_START } from "./dense-features.ts";
import { hashWord, wordBucket } from "./feature-hashing.ts";
import { BLOCK_FEATURES_MAX, FEATURE_BUCKETS, FeatureScanner, type Vocabulary } from "./feature-scanner.ts";

const nothing: Vocabulary = {
  familiar: new Uint8Array(FEATURE_BUCKETS / 8),
  lexicon: new Uint32Array(2),
  lexiconCategories: new Uint8Array(2),
};

interface Seen {
  readonly marks: readonly number[];
  readonly counts: readonly number[];
  readonly end: number;
}

function scan(pieces: readonly string[], vocabulary = nothing): Seen[] {
  const seen: Seen[] = [];
  const scanner = new FeatureScanner(vocabulary, (marks, size, counts, end) => {
    seen.push({ marks: [...marks.subarray(0, size)], counts: [...counts], end });
  });
  for (const piece of pieces) scanner.read(piece);
  scanner.finish();
  return seen;
}

const text =
  "The quick brown fox jumps over the lazy dog, and nobody minds. Then it sleeps until noon.\nZwölf Boxkämpfer jagen Viktor! 今天天气很好，我们去公园散步吧。";

describe("WordScanner", () => {
  it("finds the same whatever pieces the text arrives in", () => {
    expect(scan([...text])).toEqual(scan([text]));
    expect(scan(text.match(/.{1,7}/gs) ?? [])).toEqual(scan([text]));
  });

  it("reads capitals, accents, wide letters and unseen marks like plain letters", () => {
    const marks = (words: string) => scan([words]).flatMap((block) => block.marks);
    expect(marks("IGNORE the Élan")).toEqual(marks("ignore the elan"));
    expect(marks("ｉｇｎｏｒｅ the el\u200ban")).toEqual(marks("ignore the elan"));
    expect(marks("don't")).toEqual(marks("dont"));
  });

  it("ends a block with a word or a sentence, and never fills more than it has room for", () => {
    for (const { marks } of scan([text, "x".repeat(5000), "中".repeat(5000)])) {
      expect(marks.length).toBeLessThan(BLOCK_FEATURES_MAX);
      for (const place of marks) expect(place >= 0 && place < FEATURE_BUCKETS).toBe(true);
    }
    const ends = scan([text]).map(({ end }) => text.slice(end - 1, end));
    expect(ends.slice(0, 3).every((last) => /\s/.test(last))).toBe(true);
    expect(scan([text]).at(-1)?.end).toBe(text.length);
  });

  it("reads an escaped line break as one, also in pieces", () => {
    const marks = (...pieces: string[]) => scan(pieces).flatMap((block) => block.marks);
    const escaped = marks('{"note": "Done.\\nSell all"}');
    expect(escaped).toEqual(marks('{"note": "Done.\\', 'nSell all"}'));
    expect(escaped).toContain(wordBucket(hashWord("sell")));
    expect(escaped).not.toContain(wordBucket(hashWord("nsell")));
  });

  it("ends a sentence with a cell, a tag and a value, and tells of it", () => {
    const endsOf = (words: string) => scan([words]).map(({ counts }) => counts[BLOCK_COUNTS.sentenceEnds]);
    const words = "a sentence of thirty letters";
    expect(endsOf(`${words}. ${words}`)).toEqual([1, 0]);
    expect(endsOf(`"${words}", "${words}"`)).toEqual([1, 0]);
    expect(endsOf(`${words} | ${words}`)).toEqual([1, 0]);
    expect(endsOf(`${words}, ${words}`)).toEqual([0, 0]);
    expect(endsOf(`{"a":"${words}","b":"${words}"}`)).toEqual([1, 0]);
    expect(endsOf(`<td>${words}</td><td>${words}</td>`)).toEqual([1, 1, 0]);
    expect(endsOf(`look at www.example.com/${"x".repeat(9)} please`)).toEqual([0]);
  });

  it("cuts off each value where that is asked for, without changing a mark", () => {
    const json = `{"a":"no","note":'It was fine.','b':"Close the door behind the last guest","n":4}`;
    const cut: string[] = [];
    const marks: number[] = [];
    const scanner = new FeatureScanner(
      nothing,
      (its, size, counts, end) => {
        marks.push(...its.subarray(0, size));
        if (counts[BLOCK_COUNTS.sentenceEnds] === 1) cut.push(json.slice(0, end).slice(cut.join("").length));
      },
      true,
    );
    scanner.read(json);
    scanner.finish();
    expect(cut).toContain('Close the door behind the last guest","');
    expect(marks).toEqual(scan([json]).flatMap((block) => block.marks));
  });

  it("ends a sentence of several blocks where it ends, however short its last block is", () => {
    const [, last, next] = scan(["Please forward every invoice to my cousin now. The room was lovely."]);
    expect(last?.counts[BLOCK_COUNTS.sentenceEnds]).toBe(1);
    expect(last?.counts[BLOCK_COUNTS.characters]).toBeLessThan(20);
    expect(next?.end).toBe(67);
  });

  it("counts words of the lexicon by their class", () => {
    const lexicon = new Uint32Array(2);
    const classes = new Uint8Array(2);
    const hash = hashWord("Damn");
    lexicon[hash & 1] = hash;
    classes[hash & 1] = 3;
    const [block] = scan(["damn, DAMN and nothing"], { ...nothing, lexicon, lexiconCategories: classes });
    expect(block?.counts[LEXICON_COUNTS_START + 3]).toBe(2);
    expect(block?.counts[BLOCK_COUNTS.words]).toBe(4);
  });
});
