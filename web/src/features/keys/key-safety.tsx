import { useQuery } from "@tanstack/react-query";
import { draftOf, errorsOf, type RulesDraft } from "../../shared/safety-draft.ts";
import { policyQuery } from "../../shared/safety-policy.ts";
import { RulesForm } from "../../shared/safety-rules-form.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

const WHOSE = [
  { value: "inherit", label: "As the organisation has it" },
  { value: "own", label: "Rules of its own" },
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
      <Field
        label="Safety rules"
        error={error}
        hint="What is reported, redacted and refused in its requests and answers."
      >
        <Select
          value={draft === undefined ? "inherit" : "own"}
          options={WHOSE}
          onValueChange={(whose) => onChange(whose === "own" ? draftOf(null) : undefined)}
        />
      </Field>
      {draft !== undefined && policy.isPending && (
        <SkeletonRows rows={6} label="The organisation's policy is loading" />
      )}
      {draft !== undefined && policy.isError && <ErrorState error={policy.error} onRetry={() => policy.refetch()} />}
      {draft !== undefined && policy.isSuccess && (
        <RulesForm
          narrow
          draft={draft}
          errors={error === undefined ? NOTHING_WRONG : errorsOf(draft)}
          effective={policy.data.effective}
          below="the organisation"
          disabled={false}
          onChange={onChange}
        />
      )}
    </>
  );
}
