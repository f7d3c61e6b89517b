import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";

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
      title="The secret of this webhook"
      description="Your service checks by it that an event is from here and was not changed."
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <SecretOnce label="Signing secret" secret={secret} />
    </Dialog>
  );
}
