import type { Follower, News } from "../detector.ts";
import { Tail } from "../tail.ts";

/** How far back a phrase may reach that ends in the newest stride. */
const PHRASE = 256;
/** As much as those who follow look back on. */
const CONTEXT = 512;

/** Follows an answer in which some phrases are not seen, but for the sexual abuse of children: no phrase hides that. */
export class SparingFollower implements Follower {
  readonly #followers: readonly Follower[];
  readonly #unsparing: readonly Follower[];
  readonly #blank: (text: string) => string;
  readonly #blanked = new Tail();
  #judged = 0;

  constructor(
    followers: readonly Follower[],
    unsparing: readonly Follower[],
    blank: (text: string) => string,
  ) {
    this.#followers = followers;
    this.#unsparing = unsparing;
    this.#blank = blank;
  }

  get judged(): number {
    return this.#followers.reduce((least, { judged }) => Math.min(least, judged), this.#judged);
  }

  get doubtsFrom(): number | undefined {
    let least: number | undefined;
    for (const { doubtsFrom } of this.#followers)
      if (doubtsFrom !== undefined) least = Math.min(least ?? doubtsFrom, doubtsFrom);
    return least;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    const since = this.#judged;
    this.#judged = to;
    const from = Math.max(0, tail.viewStart(since, PHRASE));
    const before = this.#blanked.slice(from, since);
    const blanked = this.#blank(tail.slice(from, to));
    this.#blanked.replaceFrom(from, withAllBlanks(blanked, before));
    this.#blanked.forgetBefore(to - CONTEXT);
    this.#blanked.turnTo(since, to);
    const seen = this.#followers.map((follower) => follower.read(this.#blanked, to, isLast));
    const gravest = this.#unsparing.map((follower) => gravestOf(follower.read(tail, to, isLast)));
    return together([...seen, ...gravest]);
  }
}

/** What was blank stays so: the beginning of its phrase may have fallen out of view. */
function withAllBlanks(text: string, before: string): string {
  let kept = "";
  for (let at = 0; at < before.length; at += 1) kept += before[at] === " " ? " " : text[at];
  return kept + text.slice(before.length);
}

function gravestOf(news: News | undefined): News | undefined {
  const findings = news?.findings.filter(({ category }) => category === "sexual_minors") ?? [];
  return findings.length === 0 ? undefined : { findings, normalised: [] };
}

function together(all: readonly (News | undefined)[]): News | undefined {
  const news = all.filter((one) => one !== undefined);
  if (news.length === 0) return undefined;
  return {
    findings: news.flatMap(({ findings }) => findings),
    normalised: news.flatMap(({ normalised }) => normalised),
  };
}
