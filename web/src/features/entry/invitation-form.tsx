import { ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";

/** What somebody new says of themselves. */
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

/** The form for whoever has no account yet. Their address is known, as the link came there. */
export function InvitationForm({ email, error, isPending, onSubmit }: InvitationFormProps) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const at = (param: string) =>
    error instanceof ApiError && error.param === param ? error.message.replaceAll("`", "") : undefined;
  const isElsewhere = error !== null && at("name") === undefined && at("password") === undefined;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isPending) onSubmit({ name: name.trim(), password });
  }

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      {/* For password managers: whose password it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <Field label="Your name" error={at("name")}>
        <Input
          value={name}
          maxLength={128}
          autoComplete="name"
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label="Password" hint="A few words that don't belong together are good." error={at("password")}>
        <PasswordInput
          value={password}
          autoComplete="new-password"
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {isElsewhere && <Banner tone="danger">{error.message}</Banner>}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        loading={isPending}
        disabled={name.trim() === "" || password === ""}
      >
        Join
      </Button>
    </form>
  );
}
