import type { AnswerOf } from "@trunkline/sdk";
import { ChevronRight } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { Badge } from "../ui/badge.tsx";
import { Field } from "../ui/field.tsx";
import { NativeSelect } from "../ui/native-select.tsx";
import { Section } from "../ui/section.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Textarea } from "../ui/textarea.tsx";
import { ChoiceInput } from "./safety-choice.tsx";
import { type DraftErrors, hasErrors, type RulesDraft, type Said } from "./safety-draft.ts";
import { ExceptionList } from "./safety-exceptions.tsx";
import { type LevelBelow, PresetCards } from "./safety-presets.tsx";
import { categoryName } from "./safety-words.ts";

type Row = Effective[string] & { readonly category: string };
type Effective = AnswerOf<"GET /v1/safety/policy">["effective"];

export interface RulesFormProps {
  readonly draft: RulesDraft;
  readonly errors: DraftErrors;
  /** What holds as it is saved. */
  readonly effective: Effective;
  /** Whose rules apply if this level sets none. */
  readonly below: LevelBelow;
  readonly disabled: boolean;
  /** For a narrow place, such as a sheet. */
  readonly narrow?: boolean;
  readonly onChange: (draft: RulesDraft) => void;
  /** Tries an example of a preset, where there is a place for it. */
  readonly onTry?: (prompt: string) => void;
}

/** Everything that a level can say of safety: a preset, and the rest folded below it. */
export function RulesForm(props: RulesFormProps) {
  const { draft, errors, below, disabled, onChange, onTry } = props;
  const words = texts.safety;
  return (
    <>
      <Section title={words.preset.title} description={words.preset.description}>
        <PresetCards
          value={draft.preset}
          below={below}
          disabled={disabled}
          onChange={(preset) => onChange({ ...draft, preset })}
          onTry={onTry}
        />
      </Section>
      <details open={hasErrors(errors) || undefined} className="group min-w-0 rounded-lg border border-line">
        <summary className="flex cursor-pointer list-none items-center gap-3 rounded-lg px-4 py-3 hover:bg-subtle [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted transition group-open:rotate-90" />
          <span className="min-w-0">
            <span className="block font-semibold">{words.advanced.title}</span>
            <span className="block text-sm text-muted">{words.advanced.text}</span>
          </span>
          {countSet(draft) > 0 && (
            <span className="ml-auto">
              <Badge tone="accent">{words.advanced.changed(countSet(draft))}</Badge>
            </span>
          )}
        </summary>
        <div className="grid gap-8 border-t border-line p-4">
          <AdvancedRules {...props} />
        </div>
      </details>
    </>
  );
}

/** How many rules are set besides the preset. */
function countSet({ choices, exceptions, allowList, dryRun, restore }: RulesDraft): number {
  const others = [allowList.trim() !== "", dryRun !== "inherit", restore !== "inherit"].filter(Boolean);
  return Object.keys(choices).length + exceptions.length + others.length;
}

function AdvancedRules(props: RulesFormProps) {
  const { draft, errors, below, disabled, onChange } = props;
  const words = texts.safety;
  const change = (part: Partial<RulesDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <Section title={words.categories.title} description={words.categories.description}>
        <CategoryTable {...props} />
      </Section>
      <Section title={words.allowList.title} description={words.allowList.description}>
        <Field label={words.allowList.phrases} hint={words.allowList.hint} error={errors.allowList}>
          <Textarea
            grow
            rows={3}
            value={draft.allowList}
            disabled={disabled}
            spellCheck={false}
            onChange={(event) => change({ allowList: event.target.value })}
          />
        </Field>
      </Section>
      <Section title={words.exceptions.title} description={words.exceptions.description}>
        <ExceptionList
          exceptions={draft.exceptions}
          errors={errors.exceptions}
          disabled={disabled}
          onChange={(exceptions) => change({ exceptions })}
        />
      </Section>
      <Section title={words.behaviour.title}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SaidChoice
            label={words.behaviour.dryRun}
            hint={words.behaviour.dryRunHint}
            below={below}
            value={draft.dryRun}
            disabled={disabled}
            onChange={(dryRun) => change({ dryRun })}
          />
          <SaidChoice
            label={words.behaviour.restore}
            hint={words.behaviour.restoreHint}
            below={below}
            value={draft.restore}
            disabled={disabled}
            onChange={(restore) => change({ restore })}
          />
        </div>
      </Section>
    </>
  );
}

function CategoryTable({ draft, errors, effective, disabled, narrow, onChange }: RulesFormProps) {
  const words = texts.safety.categories;
  const rows = Object.entries(effective).map(([category, marks]) => ({ category, ...marks }));
  const columns: readonly Column<Row>[] = [
    {
      id: "category",
      header: narrow === true ? words.categoryAndNow : words.category,
      cell: ({ category, ...marks }) => (
        <span className="grid gap-1">
          {categoryName(category)}
          <span className={narrow === true ? "" : "sm:hidden"}>
            <MarkBadges {...marks} />
          </span>
        </span>
      ),
    },
    ...(narrow === true
      ? []
      : [{ id: "now", header: words.now, wideOnly: true, cell: (marks: Row) => <MarkBadges {...marks} /> }]),
    {
      id: "choice",
      header: words.action,
      cell: ({ category }) => (
        <ChoiceInput
          category={category}
          choice={draft.choices[category]}
          unsaid={words.fromPreset}
          disabled={disabled}
          error={errors.categories.get(category)}
          onChange={(choice) => {
            const { [category]: _, ...others } = draft.choices;
            onChange({
              ...draft,
              choices: choice === undefined ? others : { ...others, [category]: choice },
            });
          }}
        />
      ),
    },
  ];
  return <Table label={words.label} columns={columns} rows={rows} rowKey={({ category }) => category} />;
}

/** What is done from which score on. */
function MarkBadges({ report_at: report, redact_at: redact, refuse_at: refuse }: Effective[string]) {
  const { badges } = texts.safety.categories;
  return (
    <span className="flex flex-wrap gap-1.5">
      {report !== null && <Badge tone="info">{badges.report(report)}</Badge>}
      {redact !== null && <Badge tone="warning">{badges.redact(redact)}</Badge>}
      {refuse !== null && <Badge tone="danger">{badges.refuse(refuse)}</Badge>}
      {report === null && redact === null && refuse === null && <Badge>{badges.allow}</Badge>}
    </span>
  );
}

interface SaidChoiceProps {
  readonly label: string;
  readonly hint: string;
  readonly below: LevelBelow;
  readonly value: Said;
  readonly disabled: boolean;
  readonly onChange: (said: Said) => void;
}

function SaidChoice({ label, hint, below, value, disabled, onChange }: SaidChoiceProps) {
  return (
    <Field label={label} hint={hint}>
      <NativeSelect value={value} disabled={disabled} onChange={(event) => onChange(saidOf(event.target.value))}>
        <option value="inherit">{texts.safety.levels[below]}</option>
        <option value="on">{texts.safety.behaviour.on}</option>
        <option value="off">{texts.safety.behaviour.off}</option>
      </NativeSelect>
    </Field>
  );
}

function saidOf(value: string): Said {
  return value === "on" || value === "off" ? value : "inherit";
}
