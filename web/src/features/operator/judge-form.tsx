import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Section } from "../../ui/section.tsx";

const TEXTS = texts.operator.judgeForm;

type Policy = AnswerOf<"GET /v1/admin/safety">;
type Shown = Policy["judge"];
type Body = BodyOf<"PUT /v1/admin/safety">;

/** Who is asked about doubtful texts, as the operator writes it. */
export interface JudgeDraft {
  /** file: as the configuration has it. */
  readonly who: "file" | "nobody" | "model";
  readonly model: string;
  readonly timeBoxMs: number | undefined;
  readonly onFailure: "open" | "closed";
}

export function judgeDraftOf({
  judge: shown,
  judge_source: source,
}: Pick<Policy, "judge" | "judge_source">): JudgeDraft {
  return {
    who: source === "configuration" ? "file" : shown === null ? "nobody" : "model",
    model: shown?.model ?? "",
    timeBoxMs: shown?.time_box_ms ?? 800,
    onFailure: shown?.on_failure ?? "open",
  };
}

/** What the server is sent. */
export function judgeOf({ who, model, timeBoxMs, onFailure }: JudgeDraft): Pick<Body, "judge"> {
  if (who === "file") return {};
  if (who === "nobody") return { judge: null };
  return {
    judge: {
      model: model.trim(),
      on_failure: onFailure,
      ...(timeBoxMs === undefined ? {} : { time_box_ms: timeBoxMs }),
    },
  };
}

export interface JudgeFormProps {
  readonly draft: JudgeDraft;
  /** Who is asked now. */
  readonly shown: Shown;
  readonly onChange: (draft: JudgeDraft) => void;
}

/** A second opinion on what the safety check leaves in doubt. */
export function JudgeForm({ draft, shown, onChange }: JudgeFormProps) {
  const change = (part: Partial<JudgeDraft>) => onChange({ ...draft, ...part });
  return (
    <Section title={TEXTS.judge} description={TEXTS.askedAboutInputsThat(namedIn(shown))}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={TEXTS.whoIsAsked}>
          <NativeSelect value={draft.who} onChange={(event) => change({ who: whoOf(event.target.value) })}>
            <option value="file">{TEXTS.asTheConfigurationHas}</option>
            <option value="nobody">{TEXTS.nobody}</option>
            <option value="model">{TEXTS.aRegisteredModel}</option>
          </NativeSelect>
        </Field>
        {draft.who === "model" && (
          <>
            <Field label={TEXTS.modelOfTheJudge} required hint={TEXTS.providerNameASmall}>
              <Input
                value={draft.model}
                required
                autoComplete="off"
                placeholder={TEXTS.openaiGptNano}
                onChange={(event) => change({ model: event.target.value })}
              />
            </Field>
            <Field label={TEXTS.timeBox} hint={TEXTS.millisecondsThatAreWaited}>
              <NumberInput value={draft.timeBoxMs} onValueChange={(timeBoxMs) => change({ timeBoxMs })} />
            </Field>
            <Field label={TEXTS.whereItGivesNo}>
              <NativeSelect
                value={draft.onFailure}
                onChange={(event) => change({ onFailure: event.target.value === "closed" ? "closed" : "open" })}
              >
                <option value="open">{TEXTS.ourOwnVerdictStands}</option>
                <option value="closed">{TEXTS.theDoubtfulTextIs}</option>
              </NativeSelect>
            </Field>
          </>
        )}
      </div>
    </Section>
  );
}

function namedIn(shown: Shown): string {
  return shown === null ? TEXTS.noOne : (shown.model ?? TEXTS.anEndpoint(shown.endpoint ?? ""));
}

function whoOf(value: string): JudgeDraft["who"] {
  return value === "model" || value === "nobody" ? value : "file";
}
