import { useMutation } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../api/client.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { Field } from "../ui/field.tsx";
import { Input } from "../ui/input.tsx";
import { Meter } from "../ui/meter.tsx";
import { Section } from "../ui/section.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Textarea } from "../ui/textarea.tsx";
import { MarkedText } from "./marked-text.tsx";
import { ACTION_WORDS, categoryName } from "./safety-words.ts";

const CHANNELS = [
  { value: "user", label: "A user's words" },
  { value: "document", label: "A document" },
  { value: "output", label: "An answer" },
] as const;

const WORTH_SHOWING = 0.05;

/** Shows what the saved policy makes of a text. Nothing is kept or charged. */
export function SafetyTrial() {
  const [input, setInput] = useState("");
  const [channel, setChannel] = useState<(typeof CHANNELS)[number]["value"]>("user");
  const [model, setModel] = useState("");
  const trial = useMutation({
    mutationFn: async (text: string) => {
      const named = model.trim() === "" ? {} : { model: model.trim() };
      return {
        text,
        verdict: await api.call("POST /v1/safety/check", { body: { input: text, channel, ...named } }),
      };
    },
  });
  return (
    <Section title="Try it" description="What the saved policy makes of a text. Nothing is kept or charged.">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (input !== "") trial.mutate(input);
        }}
      >
        <Segmented label="Whose words" value={channel} onValueChange={setChannel} options={CHANNELS} />
        <Field label="Text">
          <Textarea rows={3} value={input} onChange={(event) => setInput(event.target.value)} />
        </Field>
        <Field
          label="Model"
          optional
          hint="A name or provider/name, where exceptions shall count."
          className="sm:max-w-80"
        >
          <Input value={model} autoComplete="off" onChange={(event) => setModel(event.target.value)} />
        </Field>
        <div>
          <Button type="submit" loading={trial.isPending} disabled={input === ""}>
            Check
          </Button>
        </div>
        <div aria-live="polite">
          {trial.isError && <ErrorState error={trial.error} title="It could not be checked" />}
          {trial.data !== undefined && <Outcome {...trial.data} />}
        </div>
      </form>
    </Section>
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
  const { done, would, tone } = ACTION_WORDS[verdict.action];
  const kinds = [...new Set(verdict.spans.flatMap(({ kind }) => kind ?? []))];
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tone} dot>
          {verdict.dry_run === true && verdict.flagged ? would : done}
        </Badge>
        {verdict.dry_run === true && <Badge>dry run</Badge>}
        {kinds.map((kind) => (
          <Badge key={kind}>{kind.replaceAll("_", " ")}</Badge>
        ))}
      </p>
      {scores.length === 0 ? (
        <p className="text-muted">No category has a score worth showing.</p>
      ) : (
        <ul className="grid gap-1.5">
          {scores.map(([category, score]) => (
            <li key={category} className="flex flex-wrap items-center gap-x-3">
              <span className="w-32 shrink-0">{categoryName(category)}</span>
              <Meter label={categoryName(category)} value={score} words={score.toFixed(2)} />
            </li>
          ))}
        </ul>
      )}
      {verdict.spans.length > 0 && (
        <MarkedText label="What was found" text={text} places={verdict.spans} nameOf={categoryName} />
      )}
      {verdict.normalised.length > 0 && (
        <p className="text-muted">Undone before judging: {verdict.normalised.join(", ")}.</p>
      )}
    </div>
  );
}
