import { useMutation } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
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
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => api.call("POST /v1/organisations", { body: { name: name.trim() } }),
    onSuccess: async (made) => {
      onClose();
      await reloadSession();
      toast({ title: TEXTS.nowIn(made.name) });
    },
  });
  const fault = errorBeside(create.error, ["name"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() !== "" && !create.isPending) create.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.create}
      description={TEXTS.createText}
      size="sm"
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button
            type="submit"
            form="create-organisation"
            variant="primary"
            loading={create.isPending}
            disabled={name.trim() === ""}
          >
            {TEXTS.create}
          </Button>
        </>
      }
    >
      <form id="create-organisation" className="grid gap-4" onSubmit={submit} noValidate>
        <Field label={TEXTS.name} error={errorAt(create.error, "name")}>
          <Input
            value={name}
            maxLength={128}
            autoComplete="organization"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
