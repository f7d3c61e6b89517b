import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";

const TEXTS = texts.members.link;

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
      title={TEXTS.title}
      description={
        <Sentence
          text={TEXTS.description}
          parts={{ email: <span className="font-medium wrap-anywhere text-text">{email}</span> }}
        />
      }
      footer={
        <Button variant="primary" onClick={onClose}>
          {TEXTS.done}
        </Button>
      }
    >
      <SecretOnce label={TEXTS.label} secret={link}>
        {TEXTS.warning}
      </SecretOnce>
    </Dialog>
  );
}
