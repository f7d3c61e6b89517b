import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";

const TEXTS = texts.webhooks.secret;

interface WebhookSecretProps {
  readonly secret: string;
  readonly onClose: () => void;
}

/** What a webhook's events are signed with, shown this once. */
export function WebhookSecret({ secret, onClose }: WebhookSecretProps) {
  return (
    <Dialog
      open
      sticky
      onOpenChange={onClose}
      title={TEXTS.title}
      description={TEXTS.description}
      footer={
        <Button variant="primary" onClick={onClose}>
          {TEXTS.done}
        </Button>
      }
    >
      <SecretOnce label={TEXTS.label} secret={secret} />
    </Dialog>
  );
}
