import { useApiForm } from "../api/use-api-form.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Form, FormField } from "../ui/form.tsx";
import { Textarea } from "../ui/textarea.tsx";

const LONGEST = 1_000;

export interface CommentFormProps {
  readonly comment: string | undefined;
  readonly onSave: (comment: string) => void;
  readonly onCancel: () => void;
}

/** A word on why an answer was good or bad. */
export function CommentForm({ comment, onSave, onCancel }: CommentFormProps) {
  const form = useApiForm({
    values: { comment: comment ?? "" },
    send: async (values) => onSave(values.comment.trim()),
  });
  return (
    <Form form={form} className="gap-2">
      <FormField form={form} name="comment" label={texts.feedback.comment} optional hint={texts.feedback.commentHint}>
        {(field) => <Textarea {...field} rows={2} grow className="min-h-16" maxLength={LONGEST} autoFocus />}
      </FormField>
      <div className="flex justify-end gap-2">
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {texts.common.cancel}
        </Button>
        <Button size="sm" variant="primary" type="submit">
          {texts.feedback.save}
        </Button>
      </div>
    </Form>
  );
}
