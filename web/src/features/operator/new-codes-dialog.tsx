import { useMutation } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";

const TEXTS = texts.operatorMoney.newCodesDialog;

export interface NewCodesDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onMade: () => unknown;
}

/** Makes codes, and shows them this once. */
export function NewCodesDialog(props: NewCodesDialogProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const close = (open: boolean) => {
    if (!open) setCodes(undefined);
    props.onOpenChange(open);
  };
  return codes === undefined ? (
    <CodesForm {...props} onOpenChange={close} onCodes={setCodes} />
  ) : (
    <Dialog
      open={props.open}
      onOpenChange={close}
      sticky
      title={codes.length === 1 ? TEXTS.yourCode : TEXTS.yourCodes(codes.length)}
      description={TEXTS.shownThisOnceOnly}
      footer={
        <>
          <CopyButton text={codes.join("\n")} label={TEXTS.copyAll} />
          <Button variant="primary" onClick={() => close(false)}>
            {TEXTS.done}
          </Button>
        </>
      }
    >
      <section
        aria-label={TEXTS.newCodes}
        // A long list must be scrolled by keyboard too.
        tabIndex={0}
        className="max-h-64 overflow-y-auto rounded-md border border-line bg-subtle p-3"
      >
        <ul className="grid gap-1 font-mono text-sm">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </section>
    </Dialog>
  );
}

function CodesForm({
  open,
  onOpenChange,
  onMade,
  onCodes,
}: NewCodesDialogProps & { readonly onCodes: (codes: readonly string[]) => void }) {
  const formId = useId();
  const [credits, setCredits] = useState<number>();
  const [count, setCount] = useState<number | undefined>(1);
  const [uses, setUses] = useState<number | undefined>(1);
  const [note, setNote] = useState("");
  const [until, setUntil] = useState("");
  const make = useMutation({
    mutationFn: () =>
      api.call("POST /v1/admin/codes", {
        body: {
          credits: credits ?? 0,
          count: count ?? 1,
          uses: uses ?? 1,
          ...(note === "" ? {} : { note }),
          ...(until === "" ? {} : { expires_at: new Date(until).toISOString() }),
        },
      }),
    onSuccess: async ({ data }) => {
      onCodes(data.map(({ code }) => code));
      await onMade();
    },
  });
  const wrong = make.error instanceof ApiError ? make.error.param : undefined;
  const errorAt = (field: string) => (wrong === field ? make.error?.message : undefined);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={TEXTS.makeCodes}
      description={TEXTS.eachCanBeRedeemed}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{TEXTS.cancel}</Button>
          <Button type="submit" form={formId} variant="primary" loading={make.isPending}>
            {TEXTS.makeThem}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field
          label={TEXTS.creditsEach}
          required
          error={errorAt("credits") ?? (wrong === undefined ? make.error?.message : undefined)}
        >
          <NumberInput value={credits} onValueChange={setCredits} suffix={TEXTS.credits} required />
        </Field>
        <Field label={TEXTS.howMany} required error={errorAt("count")}>
          <NumberInput value={count} onValueChange={setCount} required />
        </Field>
        <Field label={TEXTS.usesEach} hint={TEXTS.howManyOrganisationsMay} error={errorAt("uses")}>
          <NumberInput value={uses} onValueChange={setUses} />
        </Field>
        <Field label={TEXTS.validUntil} optional error={errorAt("expires_at")}>
          <Input type="datetime-local" value={until} onChange={(event) => setUntil(event.target.value)} />
        </Field>
        <Field label={TEXTS.note} optional className="sm:col-span-2" error={errorAt("note")}>
          <Input value={note} maxLength={256} onChange={(event) => setNote(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  );
}
