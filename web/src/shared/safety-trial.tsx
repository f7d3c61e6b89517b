import { useMutation } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../api/client.ts";
import { texts } from "../texts/texts.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { Field } from "../ui/field.tsx";
import { Input } from "../ui/input.tsx";
import { Meter } from "../ui/meter.tsx";
import { Section } from "../ui/section.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Textarea } from "../ui/textarea.tsx";
import { MarkedText } from "./marked-text.tsx";
import type { Rules } from "./safety-draft.ts";
import { actionWords, categoryName } from "./safety-words.ts";

const CHANNELS = ["user", "document", "output"] as const;

const WORTH_SHOWING = 0.05;

/** A text that is tried, and what came of it. */
export type Trial = ReturnType<typeof useTrial>;

/** Tries texts by rules that are not saved yet, or by those that hold. */
export function useTrial(unsaved: Rules | undefined) {
  const [input, setInput] = useState("");
  const [channel, setChannel] = useState<(typeof CHANNELS)[number]>("user");
  const [model, setModel] = useState("");
  const trial = useMutation({
    mutationFn: async (text: string) => {
      const named = model.trim() === "" ? {} : { model: model.trim() };
      const rules = unsaved === undefined ? {} : { rules: unsaved };
      const verdict = await api.call("POST /v1/safety/check", { body: { input: text, channel, ...named, ...rules } });
      return { text, verdict };
    },
  });
  const check = (text: string) => {
    setInput(text);
    if (text !== "") trial.mutate(text);
  };
  return { input, setInput, channel, setChannel, model, setModel, trial, check, isUnsaved: unsaved !== undefined };
}

/** Shows what the policy makes of a text. Nothing is kept or charged. */
export function SafetyTrial({ trial: all }: { readonly trial: Trial }) {
  const { input, setInput, channel, setChannel, model, setModel, trial, check, isUnsaved } = all;
  const words = texts.safety.trial;
  return (
    <Card className="lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto">
      <Section title={words.title} description={words.description}>
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            check(input);
          }}
        >
          <Segmented
            label={words.source}
            value={channel}
            onValueChange={setChannel}
            options={CHANNELS.map((value) => ({ value, label: words.channels[value] }))}
          />
          <Field label={words.text}>
            <Textarea
              rows={3}
              value={input}
              placeholder={words.placeholder}
              onChange={(event) => setInput(event.target.value)}
            />
          </Field>
          <Field label={words.model} optional hint={words.modelHint}>
            <Input value={model} autoComplete="off" onChange={(event) => setModel(event.target.value)} />
          </Field>
          <div className="flex flex-wrap items-center gap-3">
            <Button type="submit" loading={trial.isPending} disabled={input === ""}>
              {words.check}
            </Button>
            {isUnsaved && <span className="text-sm text-muted">{words.unsaved}</span>}
          </div>
          <div aria-live="polite">
            {trial.isError && <ErrorState error={trial.error} title={words.failed} />}
            {trial.data !== undefined && <Outcome {...trial.data} />}
          </div>
        </form>
      </Section>
    </Card>
  );
}

interface OutcomeProps {
  readonly text: string;
  readonly verdict: AnswerOf<"POST /v1/safety/check">;
}

function Outcome({ text, verdict }: OutcomeProps) {
  const scores = Object.entries(verdict.categories)
    .filter(([, score]) => score >= WORTH_SHOWING)
    .toSorted(([, one], [, other]) => other - one);
  const { done, would, tone } = actionWords(verdict.action);
  const words = texts.safety.trial;
  const kinds = [...new Set(verdict.spans.flatMap(({ kind }) => kind ?? []))];
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tone} dot>
          {verdict.dry_run === true && verdict.flagged ? would : done}
        </Badge>
        {verdict.dry_run === true && <Badge>{words.dryRun}</Badge>}
        {kinds.map((kind) => (
          <Badge key={kind}>{kind.replaceAll("_", " ")}</Badge>
        ))}
      </p>
      {scores.length === 0 ? (
        <p className="text-muted">{words.noScores}</p>
      ) : (
        <ul className="grid gap-1.5">
          {scores.map(([category, score]) => (
            <li key={category} className="flex flex-wrap items-center gap-x-3">
              <span className="w-36 shrink-0">{categoryName(category)}</span>
              <Meter label={categoryName(category)} value={score} words={score.toFixed(2)} />
            </li>
          ))}
        </ul>
      )}
      {verdict.spans.length > 0 && (
        <MarkedText label={words.found} text={text} places={verdict.spans} nameOf={categoryName} />
      )}
      {verdict.normalised.length > 0 && <p className="text-muted">{words.decoded(verdict.normalised.join(", "))}</p>}
    </div>
  );
}
