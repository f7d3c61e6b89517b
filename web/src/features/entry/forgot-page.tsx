import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { EmailSent } from "./email-sent.tsx";

const TEXTS = texts.entry;

/** Forgotten password: asks for the link to choose a new one. */
export function ForgotPage() {
  const form = useApiForm({
    values: { email: "" },
    send: (body) => api.call("POST /v1/auth/forgot", { body }),
  });
  const toLogIn = (
    <Link to="/log-in" className={TEXT_LINK}>
      {TEXTS.forgot.back}
    </Link>
  );
  if (form.answer !== undefined) {
    return (
      <EmailSent sent={form.answer.sent} footer={toLogIn}>
        <p>
          <Sentence
            text={TEXTS.forgot.sent}
            parts={{ email: <strong className="wrap-anywhere text-text">{form.getValues("email")}</strong> }}
          />
        </p>
      </EmailSent>
    );
  }
  return (
    <EntryPage title={TEXTS.forgot.title} description={TEXTS.forgot.description} footer={toLogIn}>
      <Form form={form}>
        <TextField
          form={form}
          name="email"
          label={TEXTS.email}
          required
          type="email"
          autoFocus
          autoComplete="username"
        />
        <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
          {TEXTS.forgot.submit}
        </Button>
      </Form>
    </EntryPage>
  );
}
