import { type ReactNode, useId } from "react";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type FormState } from "./form.tsx";

export interface FormDialogProps extends Pick<DialogProps, "title" | "description" | "size"> {
  readonly form: FormState & { readonly isSending: boolean };
  /** What its button says. */
  readonly submitLabel: string;
  readonly danger?: boolean;
  /** It can't be sent yet, for a reason that is plain to see. */
  readonly disabled?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form above the page, with the buttons that send and leave it. */
export function FormDialog({
  form,
  submitLabel,
  danger = false,
  disabled = false,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      {...dialog}
      open
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button
            type="submit"
            form={id}
            variant={danger ? "danger" : "primary"}
            loading={form.isSending}
            disabled={disabled}
          >
            {submitLabel}
          </Button>
        </>
      }
    >
      <Form id={id} form={form}>
        {children}
      </Form>
    </Dialog>
  );
}
