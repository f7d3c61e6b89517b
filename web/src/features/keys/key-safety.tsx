import { useQuery } from "@tanstack/react-query";
import { draftOf, errorsOf, type RulesDraft } from "../../shared/safety-draft.ts";
import { policyQuery } from "../../shared/safety-policy.ts";
import { RulesForm } from "../../shared/safety-rules-form.tsx";
import { texts } from "../../texts/texts.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

const TEXTS = texts.keys.form;

const WHOSE = [
  { value: "inherit", label: TEXTS.organisationDefault },
  { value: "own", label: TEXTS.customRules },
] as const;

const NOTHING_WRONG = errorsOf(draftOf(null));

export interface KeySafetyProps {
  /** undefined: as the organisation has it. */
  readonly draft: RulesDraft | undefined;
  /** Said once something in it was found wrong. */
  readonly error: string | undefined;
  readonly onChange: (draft: RulesDraft | undefined) => void;
}

/** What a key says of safety, laid over what the organisation says: by the same form. */
export function KeySafety({ draft, error, onChange }: KeySafetyProps) {
  const policy = useQuery({ ...policyQuery, enabled: draft !== undefined });
  return (
    <>
      <Field label={TEXTS.safetyRules} error={error} hint={TEXTS.safetyHint}>
        <Select
          value={draft === undefined ? "inherit" : "own"}
          options={WHOSE}
          onValueChange={(whose) => onChange(whose === "own" ? draftOf(null) : undefined)}
        />
      </Field>
      {draft !== undefined && policy.isPending && <SkeletonRows rows={6} label={TEXTS.loadingPolicy} />}
      {draft !== undefined && policy.isError && <ErrorState error={policy.error} onRetry={() => policy.refetch()} />}
      {draft !== undefined && policy.isSuccess && (
        <RulesForm
          narrow
          draft={draft}
          errors={error === undefined ? NOTHING_WRONG : errorsOf(draft)}
          effective={policy.data.effective}
          below="organisation"
          disabled={false}
          onChange={onChange}
        />
      )}
    </>
  );
}
