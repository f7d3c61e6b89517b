import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { KeyValue } from "../ui/key-value.tsx";
import { Meter } from "../ui/meter.tsx";
import {
  type Contest,
  difficultyWords,
  domainWords,
  marginWords,
  measureWords,
  otherDomains,
  type PromptReading,
} from "./route-words.ts";

export interface RequestAnalysisProps {
  readonly reading: PromptReading | undefined;
  readonly contest: Contest;
  /** What there is to say besides. */
  readonly more?: readonly { readonly label: string; readonly value: ReactNode }[];
}

/** What the router made of a request, what it compared, and the runner-up. Fields that an old record lacks are left out. */
export function RequestAnalysis({ reading, contest, more = [] }: RequestAnalysisProps) {
  const words = texts.routing.analysis;
  const others = reading === undefined ? undefined : otherDomains(reading);
  return (
    <KeyValue
      items={[
        {
          label: words.detected,
          value: reading && (
            <>
              {domainWords(reading)}
              {others !== undefined && <span className="block text-sm text-muted">{words.orOthers(others)}</span>}
            </>
          ),
        },
        {
          label: words.difficulty,
          value: reading && (
            <Meter label={words.difficulty} value={reading.difficulty} words={difficultyWords(reading.difficulty)} />
          ),
        },
        { label: words.compared, value: contest.measure && measureWords(contest.measure) },
        { label: words.lead, value: marginWords(contest) },
        ...more,
      ]}
    />
  );
}
