import { useState } from "react";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { NumberField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

const TEXTS = texts.operatorMoney.newCodesDialog;

export interface NewCodesDialogProps {
  readonly onClose: () => void;
  readonly onMade: () => unknown;
}

/** Makes codes, and shows them this once. */
export function NewCodesDialog({ onClose, onMade }: NewCodesDialogProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  return codes === undefined ? (
    <CodesForm onClose={onClose} onMade={onMade} onCodes={setCodes} />
  ) : (
    <Dialog
      open
      onOpenChange={onClose}
      sticky
      title={codes.length === 1 ? TEXTS.yourCode : TEXTS.yourCodes(codes.length)}
      description={TEXTS.shownThisOnceOnly}
      footer={
        <>
          <CopyButton text={codes.join("\n")} label={TEXTS.copyAll} />
          <Button variant="primary" onClick={onClose}>
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
  onClose,
  onMade,
  onCodes,
}: NewCodesDialogProps & { readonly onCodes: (codes: readonly string[]) => void }) {
  const form = useApiForm({
    values: {
      credits: undefined as number | undefined,
      count: 1 as number | undefined,
      uses: 1 as number | undefined,
      note: "",
      expires_at: "",
    },
    send: ({ credits = 0, count = 1, uses = 1, note, expires_at: until }) =>
      api.call("POST /v1/admin/codes", {
        body: {
          credits,
          count,
          uses,
          ...(note === "" ? {} : { note }),
          ...(until === "" ? {} : { expires_at: new Date(until).toISOString() }),
        },
      }),
    onSent: async ({ data }) => {
      onCodes(data.map(({ code }) => code));
      await onMade();
    },
  });
  return (
    <FormDialog
      form={form}
      title={TEXTS.makeCodes}
      description={TEXTS.eachCanBeRedeemed}
      submitLabel={TEXTS.makeThem}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField form={form} name="credits" label={TEXTS.creditsEach} required suffix={TEXTS.credits} />
        <NumberField form={form} name="count" label={TEXTS.howMany} required />
        <NumberField form={form} name="uses" label={TEXTS.usesEach} hint={TEXTS.howManyOrganisationsMay} />
        <TextField form={form} name="expires_at" label={TEXTS.validUntil} optional type="datetime-local" />
        <TextField form={form} name="note" label={TEXTS.note} optional className="sm:col-span-2" maxLength={256} />
      </div>
    </FormDialog>
  );
}
