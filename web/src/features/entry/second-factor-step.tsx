import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside, isRefusal } from "../../api/sign-in.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";

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
  return (
    <EntryPage
      title="Second factor"
      description={
        usesRecovery
          ? "Enter one of your recovery codes. Each works once."
          : "Enter the code that your authenticator app shows."
      }
      footer={
        <button type="button" className="underline underline-offset-3" onClick={onOver}>
          Begin again
        </button>
      }
    >
      <form
        className="grid gap-4"
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
                Log in again
              </Button>
            }
          >
            {send.error?.message}
          </Banner>
        ) : (
          errorBeside(send.error, ["code"]) !== undefined && (
            <Banner tone="danger">{errorBeside(send.error, ["code"])}</Banner>
          )
        )}
        <Field
          key={usesRecovery ? "recovery" : "app"}
          label={usesRecovery ? "Recovery code" : "Code"}
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
          Log in
        </Button>
        <Button
          variant="ghost"
          onClick={() => {
            setUsesRecovery(!usesRecovery);
            setCode("");
            send.reset();
          }}
        >
          {usesRecovery ? "Use the authenticator app" : "Use a recovery code"}
        </Button>
      </form>
    </EntryPage>
  );
}
