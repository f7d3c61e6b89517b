import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

const TEXTS = texts.signUps.mail;

/** How mail is sent, and whether it arrives. */
export function MailSettings() {
  const mail = useQuery({
    queryKey: ["operator", "mail"],
    queryFn: ({ signal }) => api.call("GET /v1/admin/mail", { signal }),
  });
  return (
    <Section title={TEXTS.title} className="max-w-2xl">
      {mail.isPending && <SkeletonRows rows={2} label={TEXTS.loading} />}
      {mail.isError && <ErrorState error={mail.error} onRetry={() => mail.refetch()} />}
      {mail.data?.configured === false && (
        <Banner tone="warning" title={TEXTS.off}>
          <Sentence text={TEXTS.offText} parts={{ url: <code>SMTP_URL</code>, from: <code>MAIL_FROM</code> }} />
        </Banner>
      )}
      {mail.data?.configured === true && (
        <Card className="grid gap-4">
          <p>
            <span className="block font-medium">{TEXTS.on}</span>
            <span className="text-sm wrap-anywhere text-muted">
              <Sentence text={TEXTS.onText} parts={{ server: mail.data.server, from: mail.data.from }} />
            </span>
          </p>
          <TestMail />
        </Card>
      )}
    </Section>
  );
}

function TestMail() {
  const { person } = useSession();
  const form = useApiForm({
    values: { to: person.email },
    send: (body) => api.call("POST /v1/admin/mail/test", { body }),
  });
  const { answer } = form;
  return (
    <Form form={form} className="gap-3">
      <TextField
        form={form}
        name="to"
        label={TEXTS.to}
        required
        className="max-w-80"
        type="email"
        autoComplete="email"
      />
      <div>
        <Button type="submit" loading={form.isSending}>
          {TEXTS.send}
        </Button>
      </div>
      <div aria-live="polite" className="empty:hidden">
        {answer?.sent === true && (
          <Banner tone="positive" title={TEXTS.sent}>
            {TEXTS.sentText(form.getValues("to"))}
          </Banner>
        )}
        {answer?.sent === false && (
          <Banner tone="danger" title={TEXTS.failed}>
            {answer.error}
          </Banner>
        )}
      </div>
    </Form>
  );
}
