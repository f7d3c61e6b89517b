import type { AnswerOf } from "@trunkline/sdk";
import { useRef } from "react";
import { api } from "../api/client.ts";
import { useApiForm } from "../api/use-api-form.ts";
import { texts } from "../texts/texts.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { Form, FormField, FormValue, TextField } from "../ui/form.tsx";
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
  const form = useApiForm({
    values: { input: "", channel: "user" as (typeof CHANNELS)[number], model: "" },
    send: async ({ input, channel, model }) => {
      const named = model.trim() === "" ? {} : { model: model.trim() };
      const rules = unsaved === undefined ? {} : { rules: unsaved };
      const verdict = await api.call("POST /v1/safety/check", { body: { input, channel, ...named, ...rules } });
      return { text: input, verdict };
    },
  });
  const element = useRef<HTMLFormElement>(null);
  const check = (text: string) => {
    form.setValue("input", text);
    element.current?.requestSubmit();
  };
  return { form, element, check, isUnsaved: unsaved !== undefined };
}

/** Shows what the policy makes of a text. Nothing is kept or charged. */
export function SafetyTrial({ trial: { form, element, isUnsaved } }: { readonly trial: Trial }) {
  const words = texts.safety.trial;
  return (
    <Card className="lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto">
      <Section title={words.title} description={words.description}>
        <Form ref={element} form={{ ...form, fault: undefined }}>
          <FormValue form={form} name="channel">
            {({ value, onChange }) => (
              <Segmented
                label={words.source}
                value={value}
                onValueChange={onChange}
                options={CHANNELS.map((channel) => ({ value: channel, label: words.channels[channel] }))}
              />
            )}
          </FormValue>
          <FormField form={form} name="input" label={words.text} required>
            {(field) => <Textarea {...field} rows={3} placeholder={words.placeholder} />}
          </FormField>
          <TextField form={form} name="model" label={words.model} optional hint={words.modelHint} autoComplete="off" />
          <div className="flex flex-wrap items-center gap-3">
            <Button type="submit" loading={form.isSending}>
              {words.check}
            </Button>
            {isUnsaved && <span className="text-sm text-muted">{words.unsaved}</span>}
          </div>
          <div aria-live="polite">
            {form.error !== null && <ErrorState error={form.error} title={words.failed} />}
            {form.answer !== undefined && <Outcome {...form.answer} />}
          </div>
        </Form>
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
