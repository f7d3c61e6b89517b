import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Section } from "../../ui/section.tsx";

const TEXTS = texts.sso.directory;

/** Where a directory sends its changes to, and the token that it sends them with. */
export function DirectoryToken() {
  const create = useMutation({
    mutationFn: () => api.call("POST /v1/keys", { body: { name: TEXTS.keyName, scopes: ["directory"] } }),
  });
  const fault = errorBeside(create.error, []);
  const base = `${location.origin}/scim/v2`;
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      <Card className="grid gap-4">
        <div className="grid gap-1.5">
          <p className="text-sm font-medium">{TEXTS.base}</p>
          <div className="flex items-center gap-1">
            <code className="min-w-0 text-sm wrap-anywhere">{base}</code>
            <CopyButton text={base} label={TEXTS.base} iconOnly />
          </div>
        </div>
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
        <div className="flex flex-wrap items-center gap-3">
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            {TEXTS.create}
          </Button>
          <p className="text-sm text-muted">{TEXTS.createText}</p>
        </div>
      </Card>
      {create.data !== undefined && (
        <Dialog
          open
          sticky
          onOpenChange={() => create.reset()}
          title={TEXTS.secretTitle}
          footer={
            <Button variant="primary" onClick={() => create.reset()}>
              {TEXTS.done}
            </Button>
          }
        >
          <SecretOnce label={TEXTS.secretLabel} secret={create.data.key} />
        </Dialog>
      )}
    </Section>
  );
}
