import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useSession } from "../../api/session.ts";
import { errorBeside, isRefusal } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PasswordField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

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
  const form = useApiForm({ values: { current: "" }, send: ({ current }) => attempt(current) });
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
  return (
    <FormDialog
      form={form}
      size="sm"
      title={TEXTS.title}
      description={TEXTS.text}
      submitLabel={texts.settings.security.continue}
      onClose={decline}
    >
      <PasswordField form={form} name="current" label={TEXTS.current} required autoComplete="current-password" />
    </FormDialog>
  );
}

/** Whether the person did not want to give the password. */
export function isDeclined(error: unknown): boolean {
  return error instanceof ProofDeclined;
}

/** The message of a failure; undefined if the person cancelled. */
export function wordsFor(error: unknown, fields: readonly string[] = []): string | undefined {
  if (error instanceof ProofDeclined) return undefined;
  return errorBeside(error, fields);
}
