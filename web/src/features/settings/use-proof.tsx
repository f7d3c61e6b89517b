import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useSession } from "../../api/session.ts";
import { errorAt, errorBeside, isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";

const TEXTS = texts.settings.security.proof;

/** Nothing went wrong: the person did not want to give the password. */
export class ProofDeclined extends Error {
  override readonly name = "ProofDeclined";
}

interface Question {
  /** Tries with the password; what is thrown is shown. */
  readonly attempt: (current: string) => Promise<void>;
  readonly decline: () => void;
}

/**
 * Changes of how one logs in take a fresh log-in or the password. `guard` tries without, and asks for the password where
 * the server wants it; `dialog` is to be put on the page.
 */
export function useProof(): {
  guard: <Result>(run: (current?: string) => Promise<Result>) => Promise<Result>;
  dialog: ReactNode;
} {
  const [question, setQuestion] = useState<Question>();

  async function guard<Result>(run: (current?: string) => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (!isRefusal(error, "recent_login_needed")) throw error;
    }
    return new Promise<Result>((resolve, reject) => {
      setQuestion({
        attempt: async (current) => {
          const result = await run(current);
          setQuestion(undefined);
          resolve(result);
        },
        decline: () => {
          setQuestion(undefined);
          reject(new ProofDeclined(TEXTS.declined));
        },
      });
    });
  }

  return { guard, dialog: question === undefined ? null : <ProofDialog {...question} /> };
}

function ProofDialog({ attempt, decline }: Question) {
  const { person } = useSession();
  const [current, setCurrent] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);

  async function send(): Promise<void> {
    if (isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      await attempt(current);
    } catch (failure) {
      setError(failure);
      setIsBusy(false);
    }
  }

  if (!person.has_password) {
    return (
      <Dialog
        open
        size="sm"
        onOpenChange={decline}
        title={TEXTS.again}
        description={TEXTS.againText}
        footer={
          <>
            <Button onClick={decline}>{texts.common.cancel}</Button>
            <Link to="/log-in" search={{ next: "/settings/security" }} className={buttonClass("primary")}>
              {TEXTS.again}
            </Link>
          </>
        }
      />
    );
  }
  const message = errorBeside(error, ["current"]);
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={decline}
      title={TEXTS.title}
      description={TEXTS.text}
      footer={
        <>
          <Button onClick={decline}>{texts.common.cancel}</Button>
          <Button type="submit" form="proof" variant="primary" loading={isBusy}>
            {texts.settings.security.continue}
          </Button>
        </>
      }
    >
      <form
        id="proof"
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label={TEXTS.current} error={errorAt(error, "current")} required>
          <PasswordInput
            value={current}
            autoComplete="current-password"
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}

/** The message of a failure; undefined if the person cancelled. */
export function wordsFor(error: unknown, fields: readonly string[] = []): string | undefined {
  if (error instanceof ProofDeclined) return undefined;
  return errorBeside(error, fields);
}
