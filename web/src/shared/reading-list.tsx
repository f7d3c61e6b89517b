import type { ReactNode } from "react";
import { KeyValue } from "../ui/key-value.tsx";
import { Meter } from "../ui/meter.tsx";
import {
  type Contest,
  difficultyWords,
  marginWords,
  measureWords,
  otherDomains,
  type Reading,
  readingWords,
} from "./route-words.ts";

export interface ReadingListProps {
  readonly reading: Reading | undefined;
  readonly contest: Contest;
  /** What there is to say besides. */
  readonly more?: readonly { readonly label: string; readonly value: ReactNode }[];
}

/** What a request was taken for, what was compared, and who was next. What an old record does not tell is left out. */
export function ReadingList({ reading, contest, more = [] }: ReadingListProps) {
  const others = reading === undefined ? undefined : otherDomains(reading);
  return (
    <KeyValue
      items={[
        {
          label: "Taken for",
          value: reading && (
            <>
              {readingWords(reading)}
              {others !== undefined && <span className="block text-sm text-muted">or {others}</span>}
            </>
          ),
        },
        {
          label: "Difficulty",
          value: reading && (
            <Meter label="Difficulty" value={reading.difficulty} words={difficultyWords(reading.difficulty)} />
          ),
        },
        { label: "Compared", value: contest.measure && measureWords(contest.measure) },
        { label: "The first was", value: marginWords(contest) },
        ...more,
      ]}
    />
  );
}
