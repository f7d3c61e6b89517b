import type { AnswerOf } from "@trunkline/sdk";
import { Badge } from "../ui/badge.tsx";
import { Field } from "../ui/field.tsx";
import { NativeSelect } from "../ui/native-select.tsx";
import { RadioGroup } from "../ui/radio-group.tsx";
import { Section } from "../ui/section.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Textarea } from "../ui/textarea.tsx";
import { ChoiceInput } from "./safety-choice.tsx";
import type { DraftErrors, RulesDraft, Said } from "./safety-draft.ts";
import { ExceptionList } from "./safety-exceptions.tsx";
import { categoryName } from "./safety-words.ts";

type Row = Effective[string] & { readonly category: string };
type Effective = AnswerOf<"GET /v1/safety/policy">["effective"];

const PRESETS = [
  { value: "balanced", label: "Balanced", description: "Refuses plain attacks, reports the doubtful." },
  { value: "strict", label: "Strict", description: "Refuses and redacts more, errs more." },
  { value: "off", label: "Off", description: "You moderate elsewhere. Child abuse stays refused." },
] as const;

export interface RulesFormProps {
  readonly draft: RulesDraft;
  readonly errors: DraftErrors;
  /** What holds as it is saved. */
  readonly effective: Effective;
  /** Whose rules apply if this level sets none, such as "the service". */
  readonly below: string;
  readonly disabled: boolean;
  /** For a narrow place, such as a sheet. */
  readonly narrow?: boolean;
  readonly onChange: (draft: RulesDraft) => void;
}

/** Everything that a level can say of safety. */
export function RulesForm({ draft, errors, effective, below, disabled, narrow = false, onChange }: RulesFormProps) {
  const change = (part: Partial<RulesDraft>) => onChange({ ...draft, ...part });
  const inherited = {
    value: "inherit",
    label: `As ${below} has it`,
    description: "Only what you choose below differs.",
  } as const;
  return (
    <>
      <Section title="Preset" description="What is done about everything that you say nothing of.">
        <RadioGroup
          label="Preset"
          hideLabel
          value={draft.preset}
          disabled={disabled}
          onValueChange={(preset) => change({ preset })}
          options={[inherited, ...PRESETS]}
          columns={2}
        />
      </Section>
      <Section
        title="Categories"
        description="Scores are between 0 and 1, and stand in each request's record. Redacted means that the values are taken out and the request goes on."
      >
        <CategoryTable
          draft={draft}
          errors={errors}
          effective={effective}
          below={below}
          disabled={disabled}
          narrow={narrow}
          onChange={onChange}
        />
      </Section>
      <Section
        title="Allow-list"
        description="Phrases that are not judged wherever they stand, such as the name of a product."
      >
        <Field label="Phrases" hint="One a line, 2 to 200 characters, at most 100." error={errors.allowList}>
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
      <Section
        title="Exceptions"
        description="Rules for some models alone. A model whose rules refuse an input is left out, and another serves it."
      >
        <ExceptionList
          exceptions={draft.exceptions}
          errors={errors.exceptions}
          disabled={disabled}
          onChange={(exceptions) => change({ exceptions })}
        />
      </Section>
      <Section title="What is done">
        <div className="grid gap-4 sm:grid-cols-2">
          <SaidChoice
            label="Dry run"
            hint="Judge and record everything, and do nothing about it."
            below={below}
            value={draft.dryRun}
            disabled={disabled}
            onChange={(dryRun) => change({ dryRun })}
          />
          <SaidChoice
            label="Restore redacted values"
            hint="Put what was taken out of a request back into its answer."
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

function CategoryTable({ draft, errors, effective, below, disabled, narrow, onChange }: RulesFormProps) {
  const rows = Object.entries(effective).map(([category, marks]) => ({ category, ...marks }));
  const columns: readonly Column<Row>[] = [
    {
      id: "category",
      header: narrow === true ? `Category, and what ${below} does` : "Category",
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
      : [{ id: "now", header: "Now", wideOnly: true, cell: (marks: Row) => <MarkBadges {...marks} /> }]),
    {
      id: "choice",
      header: "Shall be",
      cell: ({ category }) => (
        <ChoiceInput
          category={category}
          choice={draft.choices[category]}
          unsaid="As the preset says"
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
  return <Table label="Safety categories" columns={columns} rows={rows} rowKey={({ category }) => category} />;
}

/** What is done from which score on. */
function MarkBadges({ report_at: report, redact_at: redact, refuse_at: refuse }: Effective[string]) {
  return (
    <span className="flex flex-wrap gap-1.5">
      {report !== null && <Badge tone="info">reports from {report}</Badge>}
      {redact !== null && <Badge tone="warning">redacts from {redact}</Badge>}
      {refuse !== null && <Badge tone="danger">refuses from {refuse}</Badge>}
      {report === null && redact === null && refuse === null && <Badge>allowed</Badge>}
    </span>
  );
}

interface SaidChoiceProps {
  readonly label: string;
  readonly hint: string;
  readonly below: string;
  readonly value: Said;
  readonly disabled: boolean;
  readonly onChange: (said: Said) => void;
}

function SaidChoice({ label, hint, below, value, disabled, onChange }: SaidChoiceProps) {
  return (
    <Field label={label} hint={hint}>
      <NativeSelect value={value} disabled={disabled} onChange={(event) => onChange(saidOf(event.target.value))}>
        <option value="inherit">As {below} has it</option>
        <option value="on">On</option>
        <option value="off">Off</option>
      </NativeSelect>
    </Field>
  );
}

function saidOf(value: string): Said {
  return value === "on" || value === "off" ? value : "inherit";
}
