import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { useProof } from "./use-proof.tsx";

const TEXTS = texts.privacy;

/** What is stored of a person, as a file, and its erasure. */
export function OwnDataSection() {
  const { person } = useSession();
  const { guard, dialog } = useProof();
  const [isAsked, setIsAsked] = useState(false);
  const download = useMutation({
    mutationFn: () => api.call("GET /v1/me/data"),
    onSuccess: (data) => saveFile("personal-data.json", "application/json", JSON.stringify(data, undefined, 2)),
    onError: (error) => toast({ tone: "danger", title: errorBeside(error, []) ?? TEXTS.downloadFailed }),
  });
  return (
    <Section title={TEXTS.own} description={TEXTS.ownText}>
      <div className="flex flex-wrap gap-3">
        <Button icon={<Download aria-hidden="true" />} loading={download.isPending} onClick={() => download.mutate()}>
          {TEXTS.download}
        </Button>
        <Button variant="danger" onClick={() => setIsAsked(true)}>
          {TEXTS.erase}
        </Button>
      </div>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setIsAsked}
        title={TEXTS.eraseTitle}
        confirmLabel={TEXTS.erase}
        danger
        typeToConfirm={person.email}
        onConfirm={async () => {
          await guard((current) =>
            api.call("POST /v1/me/erase", {
              body: { confirm: person.email, ...(current === undefined ? {} : { current }) },
            }),
          );
          location.assign("/");
        }}
      >
        {TEXTS.eraseWarning}
      </ConfirmDialog>
      {dialog}
    </Section>
  );
}
