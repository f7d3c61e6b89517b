import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Textarea } from "../../ui/textarea.tsx";

const CHANNELS = [
  { value: "user", label: "A user's words" },
  { value: "document", label: "A document" },
  { value: "output", label: "An answer" },
] as const;

const TONES = { allow: "positive", report: "warning", redact: "warning", refuse: "danger" } as const;
const WORTH_SHOWING = 0.05;

/** Shows what the saved policy makes of a text. Nothing is kept or charged. */
export function SafetyTrial() {
  const [input, setInput] = useState("");
  const [channel, setChannel] = useState<(typeof CHANNELS)[number]["value"]>("user");
  const trial = useMutation({
    mutationFn: () => api.call("POST /v1/safety/check", { body: { input, channel } }),
  });
  const scores = Object.entries(trial.data?.categories ?? {})
    .filter(([, score]) => Number(score) >= WORTH_SHOWING)
    .toSorted(([, a], [, b]) => Number(b) - Number(a));
  return (
    <Section title="Try it" description="What the saved policy makes of a text. Nothing is kept or charged.">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          trial.mutate();
        }}
      >
        <Segmented label="Whose words" value={channel} onValueChange={setChannel} options={CHANNELS} />
        <Field label="Text">
          <Textarea rows={3} value={input} onChange={(event) => setInput(event.target.value)} />
        </Field>
        <div>
          <Button type="submit" loading={trial.isPending} disabled={input === ""}>
            Check
          </Button>
        </div>
        <div aria-live="polite">
          {trial.isError && <ErrorState error={trial.error} title="It could not be checked" />}
          {trial.data !== undefined && (
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={TONES[trial.data.action]} dot>
                {trial.data.action}
              </Badge>
              {scores.length === 0
                ? "No category has a score worth showing."
                : scores.map(([name, score]) => (
                    <Badge key={name}>
                      {name} {Number(score).toFixed(2)}
                    </Badge>
                  ))}
            </p>
          )}
        </div>
      </form>
    </Section>
  );
}
