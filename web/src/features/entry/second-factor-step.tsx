import { useState } from "react";
import { api } from "../../api/client.ts";
import { isRefusal } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form, TextField } from "../../ui/form.tsx";

const TEXTS = texts.entry.secondFactor;

export interface SecondFactorStepProps {
  readonly ticket: string;
  readonly onIn: () => void;
  /** Back to where the log-in began. */
  readonly onOver: () => void;
}

/** The second step of a log-in: a code of the app, or one that was written down. */
export function SecondFactorStep({ ticket, onIn, onOver }: SecondFactorStepProps) {
  const [usesRecovery, setUsesRecovery] = useState(false);
  const form = useApiForm({
    values: { code: "" },
    send: ({ code }) => api.call("POST /v1/auth/second-factor", { body: { ticket, code: code.trim() } }),
    onSent: onIn,
  });
  const isOver = isRefusal(form.error, "not_found");
  return (
    <EntryPage
      title={TEXTS.title}
      description={usesRecovery ? TEXTS.recovery : TEXTS.app}
      footer={
        <button type="button" className="underline underline-offset-3" onClick={onOver}>
          {TEXTS.startOver}
        </button>
      }
    >
      {isOver && (
        <Banner
          tone="danger"
          action={
            <Button size="sm" onClick={onOver}>
              {TEXTS.again}
            </Button>
          }
        >
          {form.error?.message}
        </Banner>
      )}
      <Form form={isOver ? { ...form, fault: undefined } : form}>
        <TextField
          key={usesRecovery ? "recovery" : "app"}
          form={form}
          name="code"
          label={usesRecovery ? TEXTS.recoveryCode : TEXTS.code}
          required
          mono
          autoFocus
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          inputMode={usesRecovery ? "text" : "numeric"}
          maxLength={40}
        />
        <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
          {texts.entry.logIn}
        </Button>
        <Button
          variant="ghost"
          onClick={() => {
            setUsesRecovery(!usesRecovery);
            form.reset();
            form.startOver();
          }}
        >
          {usesRecovery ? TEXTS.useApp : TEXTS.useRecovery}
        </Button>
      </Form>
    </EntryPage>
  );
}
