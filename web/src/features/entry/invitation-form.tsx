import { usePasswordStrength } from "../../api/password-strength.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NewPassword } from "../../ui/new-password.tsx";

/** What an invited person fills in. */
export interface Newcomer {
  readonly name: string;
  readonly password: string;
}

interface InvitationFormProps {
  readonly email: string;
  readonly onSubmit: (newcomer: Newcomer) => Promise<unknown>;
}

/** The form for a person without an account. Their address is known, as the link was mailed there. */
export function InvitationForm({ email, onSubmit }: InvitationFormProps) {
  const form = useApiForm({
    values: { name: "", password: "" },
    send: ({ name, password }) => onSubmit({ name: name.trim(), password }),
  });
  const strength = usePasswordStrength(form.watch("password"), { email, name: form.watch("name") });
  return (
    <Form form={form}>
      {/* For password managers: whose password it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        form={form}
        name="name"
        label={texts.entry.invitation.yourName}
        required
        maxLength={100}
        autoComplete="name"
      />
      <NewPassword form={form} name="password" strength={strength} />
      <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
        {texts.entry.invitation.submit}
      </Button>
    </Form>
  );
}
