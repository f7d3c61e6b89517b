import { Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { useReloadSession } from "./use-reload-session.ts";

const TEXTS = texts.settings.organisation;

/** The way to another organisation of one's own. Where the service is not open to all, only the operator's people have it. */
export function AnotherOrganisation() {
  const { account, features } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  if (features.sign_up !== "open" && !account.operator) return null;
  return (
    <Section title={TEXTS.another}>
      <Card className="flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-prose text-muted">{TEXTS.anotherText}</p>
        <Button icon={<Plus aria-hidden="true" />} onClick={() => setIsOpen(true)}>
          {TEXTS.create}
        </Button>
      </Card>
      {isOpen && <CreateDialog onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const reloadSession = useReloadSession();
  const form = useApiForm({
    values: { name: "" },
    send: ({ name }) => api.call("POST /v1/organisations", { body: { name: name.trim() } }),
    onSent: async (made) => {
      onClose();
      await reloadSession();
      toast({ title: TEXTS.nowIn(made.name) });
    },
  });
  return (
    <FormDialog
      form={form}
      title={TEXTS.create}
      description={TEXTS.createText}
      size="sm"
      submitLabel={TEXTS.create}
      onClose={onClose}
    >
      <TextField form={form} name="name" label={TEXTS.name} required maxLength={128} autoComplete="organization" />
    </FormDialog>
  );
}
