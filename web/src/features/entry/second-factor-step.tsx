import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside, isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";

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
  const [code, setCode] = useState("");
  const send = useMutation({
    mutationFn: () => api.call("POST /v1/auth/second-factor", { body: { ticket, code: code.trim() } }),
    onSuccess: onIn,
  });
  const isOver = isRefusal(send.error, "not_found");
  const message = errorBeside(send.error, ["code"]);
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
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        {isOver ? (
          <Banner
            tone="danger"
            action={
              <Button size="sm" onClick={onOver}>
                {TEXTS.again}
              </Button>
            }
          >
            {send.error?.message}
          </Banner>
        ) : (
          message !== undefined && <Banner tone="danger">{message}</Banner>
        )}
        <Field
          key={usesRecovery ? "recovery" : "app"}
          label={usesRecovery ? TEXTS.recoveryCode : TEXTS.code}
          error={errorAt(send.error, "code")}
          required
        >
          <Input
            mono
            autoFocus
            value={code}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            inputMode={usesRecovery ? "text" : "numeric"}
            maxLength={40}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" size="lg" loading={send.isPending}>
          {texts.entry.logIn}
        </Button>
        <Button
          variant="ghost"
          onClick={() => {
            setUsesRecovery(!usesRecovery);
            setCode("");
            send.reset();
          }}
        >
          {usesRecovery ? TEXTS.useApp : TEXTS.useRecovery}
        </Button>
      </form>
    </EntryPage>
  );
}
