import { createHash } from "node:crypto";

/** A number from 0 up to, but not including, 1. */
export type Random = () => number;

/** A sequence of numbers that is the same for the same text, ignoring case and spacing (xoshiro128++). */
export function createSeededRandom(text: string): Random {
  const tidy = text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
  const digest = createHash("sha256").update(tidy).digest();
  let a = digest.readUInt32LE(0) | 1;
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let d = digest.readUInt32LE(12);
  return () => {
    const sum = (a + d) | 0;
    const result = (((sum << 7) | (sum >>> 25)) + a) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result / 4_294_967_296;
  };
}

/** A number between two others. */
export function randomBetween(random: Random, from: number, to: number): number {
  return from + (to - from) * random();
}

/** One of several values. */
export function pickRandom<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}
