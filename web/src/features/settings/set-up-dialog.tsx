import { useMutation, useQueryClient } from "@tanstack/react-query";
import qrcode from "qrcode-generator";
import { useEffect, useEffectEvent, useMemo } from "react";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { ProofDeclined, useProof, wordsFor } from "./use-proof.tsx";

const TEXTS = texts.settings.security;

/** Sets up the second factor: the secret, a code that confirms it, the recovery codes. */
export function SetUpDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { guard, dialog } = useProof();
  const begin = useMutation({
    mutationFn: () =>
      guard((current) => api.call("POST /v1/me/totp", { body: current === undefined ? {} : { current } })),
    onError: (error) => {
      if (error instanceof ProofDeclined) onClose();
    },
  });
  const form = useApiForm({
    values: { code: "" },
    send: (body) => api.call("POST /v1/me/totp/confirm", { body }),
  });
  const start = useEffectEvent(() => begin.mutate());
  useEffect(() => start(), []);

  async function finish(): Promise<void> {
    onClose();
    await queries.invalidateQueries({ queryKey: ["session"] });
  }

  if (form.answer !== undefined) {
    return (
      <Dialog
        open
        sticky
        onOpenChange={() => void finish()}
        title={TEXTS.isOn}
        footer={
          <Button variant="primary" onClick={() => void finish()}>
            {TEXTS.kept}
          </Button>
        }
      >
        <RecoveryCodes codes={form.answer.recovery_codes} />
      </Dialog>
    );
  }
  const message = wordsFor(begin.error);
  return (
    <>
      <FormDialog
        form={form}
        title={TEXTS.setUp}
        description={TEXTS.setUpText}
        submitLabel={TEXTS.confirm}
        disabled={begin.data === undefined}
        onClose={onClose}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <div className="flex flex-col items-start gap-5 sm:flex-row">
          {begin.data === undefined ? (
            <Skeleton className="size-44 shrink-0" />
          ) : (
            <div className="shrink-0">
              <QrCode text={begin.data.uri} label={TEXTS.qrCode} />
            </div>
          )}
          <div className="grid min-w-0 gap-2">
            <p className="text-sm text-muted">{TEXTS.noCamera}</p>
            <p className="font-mono text-sm wrap-anywhere">{grouped(begin.data?.secret ?? "")}</p>
            {begin.data !== undefined && (
              <div>
                <CopyButton text={begin.data.secret} label={TEXTS.copyKey} />
              </div>
            )}
          </div>
        </div>
        <TextField
          form={form}
          name="code"
          label={TEXTS.codeFromApp}
          required
          mono
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
        />
      </FormDialog>
      {dialog}
    </>
  );
}

function grouped(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, "$1 ");
}

const MARGIN = 4;

/** A QR code, drawn here: the secret in it goes nowhere. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => draw(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-md border border-line"
    >
      {/* Readers need dark on light, whatever the theme. */}
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}

function draw(text: string): { path: string; size: number } {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const cells = Array.from(
    { length: count * count },
    (_, index) => [Math.floor(index / count), index % count] as const,
  );
  const path = cells
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column + MARGIN} ${row + MARGIN}h1v1h-1z`)
    .join("");
  return { path, size: count + 2 * MARGIN };
}
