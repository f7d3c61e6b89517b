import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { EmailSent } from "./email-sent.tsx";

const TEXTS = texts.entry;

/** Forgotten password: asks for the link to choose a new one. */
export function ForgotPage() {
  const [email, setEmail] = useState("");
  const send = useMutation({ mutationFn: () => api.call("POST /v1/auth/forgot", { body: { email } }) });
  const toLogIn = (
    <Link to="/log-in" className={TEXT_LINK}>
      {TEXTS.forgot.back}
    </Link>
  );
  if (send.isSuccess) {
    return (
      <EmailSent sent={send.data.sent} footer={toLogIn}>
        <p>
          <Sentence
            text={TEXTS.forgot.sent}
            parts={{ email: <strong className="wrap-anywhere text-text">{email}</strong> }}
          />
        </p>
      </EmailSent>
    );
  }
  const message = errorBeside(send.error, ["email"]);
  return (
    <EntryPage title={TEXTS.forgot.title} description={TEXTS.forgot.description} footer={toLogIn}>
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label={TEXTS.email} error={errorAt(send.error, "email")} required>
          <Input
            type="email"
            autoFocus
            value={email}
            autoComplete="username"
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" size="lg" loading={send.isPending}>
          {TEXTS.forgot.submit}
        </Button>
      </form>
    </EntryPage>
  );
}
