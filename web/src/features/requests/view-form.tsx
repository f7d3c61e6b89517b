import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";

const TEXTS = texts.requests.views;

/** Names a view that is saved. */
export function ViewForm({ onSave }: { readonly onSave: (name: string) => void }) {
  const form = useApiForm({ values: { name: "" }, send: async ({ name }) => onSave(name) });
  return (
    <Form form={form} className="gap-2 border-t border-line pt-4">
      <TextField
        form={form}
        name="name"
        label={TEXTS.name}
        hint={TEXTS.hint}
        required
        maxLength={60}
        autoComplete="off"
      />
      <Button type="submit" variant="primary">
        {TEXTS.save}
      </Button>
    </Form>
  );
}
