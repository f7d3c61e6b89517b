import { type FormEvent, useState } from "react";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NewPassword } from "../../ui/new-password.tsx";

/** What an invited person fills in. */
export interface Newcomer {
  readonly name: string;
  readonly password: string;
}

interface InvitationFormProps {
  readonly email: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (newcomer: Newcomer) => void;
}

/** The form for a person without an account. Their address is known, as the link was mailed there. */
export function InvitationForm({ email, error, isPending, onSubmit }: InvitationFormProps) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const strength = usePasswordStrength(password, { email, name });
  const message = errorBeside(error, ["name", "password"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isPending) onSubmit({ name: name.trim(), password });
  }

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      {message !== undefined && <Banner tone="danger">{message}</Banner>}
      {/* For password managers: whose password it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <Field label={texts.entry.invitation.yourName} error={errorAt(error, "name")} required>
        <Input value={name} maxLength={100} autoComplete="name" onChange={(event) => setName(event.target.value)} />
      </Field>
      <NewPassword
        value={password}
        onValueChange={setPassword}
        strength={strength}
        error={errorAt(error, "password")}
      />
      <Button
        type="submit"
        variant="primary"
        size="lg"
        loading={isPending}
        disabled={name.trim() === "" || password === ""}
      >
        {texts.entry.invitation.submit}
      </Button>
    </form>
  );
}
