import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";

interface LinkDialogProps {
  readonly email: string;
  readonly link: string;
  readonly onClose: () => void;
}

/** An invitation's link, for the inviter to pass on. It is shown once. */
export function LinkDialog({ email, link, onClose }: LinkDialogProps) {
  return (
    <Dialog
      open
      sticky
      onOpenChange={onClose}
      title="Pass on this link"
      description={
        <>
          To <span className="font-medium wrap-anywhere text-text">{email}</span>, and to nobody else: whoever opens it
          joins as them.
        </>
      }
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <SecretOnce label="Invitation link" secret={link}>
        Copy it now. It can't be shown again, but you can make a new one.
      </SecretOnce>
    </Dialog>
  );
}
