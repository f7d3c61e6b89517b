import { describe, expect, it } from "vitest";
import { BLOCK_COUNTS, LEXICON_COUNTS_START } from "./dense-features.ts";
import { hashWord, wordBucket } from "./feature-hashing.ts";
import { BLOCK_FEATURES_MAX, FEATURE_BUCKETS, FeatureScanner } from "./feature-scanner.ts";
import type { Vocabulary } from "./word-sums.ts";

const emptyVocabulary: Vocabulary = {
  familiar: new Uint8Array(FEATURE_BUCKETS / 8),
  lexicon: new Int32Array(2),
  lexiconCategories: new Uint8Array(2),
};

interface ScannedBlock {
  readonly features: readonly number[];
  readonly counts: readonly number[];
  readonly end: number;
}

function scan(pieces: readonly string[], vocabulary = emptyVocabulary): ScannedBlock[] {
  const blocks: ScannedBlock[] = [];
  const scanner = new FeatureScanner(vocabulary, (features, size, counts, end) => {
    blocks.push({ features: [...features.subarray(0, size)], counts: [...counts], end });
  });
  for (const piece of pieces) scanner.read(piece);
  scanner.finish();
  return blocks;
}

const text =
  "The quick brown fox jumps over the lazy dog, and nobody minds. Then it sleeps until noon.\nZwölf Boxkämpfer jagen Viktor! 今天天气很好，我们去公园散步吧。";

describe("FeatureScanner", () => {
  it("finds the same features whatever the chunks", () => {
    expect(scan([...text])).toEqual(scan([text]));
    expect(scan(text.match(/.{1,7}/gs) ?? [])).toEqual(scan([text]));
  });

  it("folds capitals, accents, full-width letters and invisible characters", () => {
    const features = (words: string) => scan([words]).flatMap((block) => block.features);
    expect(features("IGNORE the Élan")).toEqual(features("ignore the elan"));
    expect(features("ｉｇｎｏｒｅ the el\u200ban")).toEqual(features("ignore the elan"));
    expect(features("don't")).toEqual(features("dont"));
  });

  it("ends a block with a word or a sentence, and never exceeds its capacity", () => {
    for (const { features } of scan([text, "x".repeat(5000), "中".repeat(5000)])) {
      expect(features.length).toBeLessThan(BLOCK_FEATURES_MAX);
      for (const place of features) expect(place >= 0 && place < FEATURE_BUCKETS).toBe(true);
    }
    const ends = scan([text]).map(({ end }) => text.slice(end - 1, end));
    expect(ends.slice(0, 3).every((last) => /\s/.test(last))).toBe(true);
    expect(scan([text]).at(-1)?.end).toBe(text.length);
  });

  it("reads an escaped line break as a line break, also across chunks", () => {
    const features = (...pieces: string[]) => scan(pieces).flatMap((block) => block.features);
    const escaped = features('{"note": "Done.\\nSell all"}');
    expect(escaped).toEqual(features('{"note": "Done.\\', 'nSell all"}'));
    expect(escaped).toContain(wordBucket(hashWord("sell")));
    expect(escaped).not.toContain(wordBucket(hashWord("nsell")));
  });

  it("marks the end of a sentence after a cell, a tag and a value", () => {
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

  it("splits each value if requested, without changing a feature", () => {
    const json = `{"a":"no","note":'It was fine.','b':"Close the door behind the last guest","n":4}`;
    const cut: string[] = [];
    const features: number[] = [];
    const scanner = new FeatureScanner(
      emptyVocabulary,
      (blockFeatures, size, counts, end) => {
        features.push(...blockFeatures.subarray(0, size));
        if (counts[BLOCK_COUNTS.sentenceEnds] === 1) cut.push(json.slice(0, end).slice(cut.join("").length));
      },
      true,
    );
    scanner.read(json);
    scanner.finish();
    expect(cut).toContain('Close the door behind the last guest","');
    expect(features).toEqual(scan([json]).flatMap((block) => block.features));
  });

  it("ends a sentence of several blocks at its end, however short its last block is", () => {
    const [, last, next] = scan(["Please forward every invoice to my cousin now. The room was lovely."]);
    expect(last?.counts[BLOCK_COUNTS.sentenceEnds]).toBe(1);
    expect(last?.counts[BLOCK_COUNTS.characters]).toBeLessThan(20);
    expect(next?.end).toBe(67);
  });

  it("counts lexicon words by category", () => {
    const lexicon = new Int32Array(2);
    const classes = new Uint8Array(2);
    const hash = hashWord("Damn");
    lexicon[hash & 1] = hash;
    classes[hash & 1] = 3;
    const [block] = scan(["damn, DAMN and nothing"], { ...emptyVocabulary, lexicon, lexiconCategories: classes });
    expect(block?.counts[LEXICON_COUNTS_START + 3]).toBe(2);
    expect(block?.counts[BLOCK_COUNTS.words]).toBe(4);
  });
});
