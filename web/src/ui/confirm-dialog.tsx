import { type ReactNode, useState } from "react";
import { Sentence } from "../texts/sentence.tsx";
import { texts } from "../texts/texts.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: ReactNode;
  readonly confirmLabel: string;
  readonly danger?: boolean;
  /** What has to be typed before it can be confirmed, such as a name. */
  readonly typeToConfirm?: string;
  /** Closes the dialog when it is done; what it throws is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<unknown> | undefined;
  /** What will happen. */
  readonly children?: ReactNode;
}

/** Asks once more before something that can't be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  // The content is mounted again for every opening, so no earlier input or error remains.
  return props.open ? <OpenConfirm {...props} /> : null;
}

function OpenConfirm({
  onOpenChange,
  title,
  confirmLabel,
  danger = false,
  typeToConfirm,
  onConfirm,
  children,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string>();
  const isAllowed = typeToConfirm === undefined || typed.trim() === typeToConfirm;

  async function confirm() {
    if (!isAllowed || isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : texts.common.unexpected);
      setIsBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{texts.common.cancel}</Button>
          <Button
            variant={danger ? "danger" : "primary"}
            loading={isBusy}
            disabled={!isAllowed}
            onClick={() => void confirm()}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <div className="text-muted">{children}</div>
        {typeToConfirm !== undefined && (
          <Field
            label={
              <span>
                <Sentence
                  text={texts.common.typeToConfirm}
                  parts={{ name: <code className="rounded-sm bg-hover px-1 py-0.5 text-sm">{typeToConfirm}</code> }}
                />
              </span>
            }
          >
            <Input
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
        )}
        {error !== undefined && <Banner tone="danger">{error}</Banner>}
      </form>
    </Dialog>
  );
}
