import { createSeededRandom, type Random } from "@trunkline/core/random.ts";

/** All chance of a run: the same seed draws the same. Concurrent draws each use a fork of their own. */
export class Dice {
  readonly #seed: string;
  readonly #random: Random;

  constructor(seed: string) {
    this.#seed = seed;
    this.#random = createSeededRandom(seed);
  }

  /** Dice of their own for one part of a run: what others draw meanwhile does not change what these show. */
  fork(name: string): Dice {
    return new Dice(`${this.#seed}/${name}`);
  }

  /** Any number from one to another. */
  between(from: number, to: number): number {
    return from + (to - from) * this.#random();
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1));
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice {
    return choices[this.whole(0, choices.length - 1)] ?? choices[0];
  }

  /** One of the names, the more often the greater its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.between(
      0,
      entries.reduce((sum, [, weight]) => sum + weight, 0),
    );
    const found = entries.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    const last = entries.at(-1);
    if (last === undefined) throw new Error("There is nothing to choose from.");
    return found?.[0] ?? last[0];
  }
}
