import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Page } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { BackToModel } from "./back-link.tsx";
import { changeOf, draftOf } from "./model-draft.ts";
import { CancelLink, ModelForm } from "./model-form.tsx";
import { type OwnModel, ownModelsQuery } from "./provider-queries.ts";

const TEXTS = texts.providers.editView;

/** Changes a model. */
export function EditView({ model, name }: { readonly model: OwnModel; readonly name: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  // A refetch must not replace what is being typed.
  const [start] = useState(() => draftOf(model));
  return (
    <Page
      title={TEXTS.edit(model.name)}
      description={TEXTS.whatYouLeaveAs}
      width="narrow"
      above={<BackToModel name={name} />}
    >
      {model.state !== "pending" && <Banner>{TEXTS.anotherEndpointAuthenticationOr}</Banner>}
      <ModelForm
        label={TEXTS.edit(model.name)}
        submitLabel={TEXTS.save}
        cancelTo={<CancelLink name={name} />}
        start={start}
        isChange
        hasCredential={model.has_credential}
        bodyOf={(draft) => changeOf(draft, start)}
        send={async (draft) => {
          const body = changeOf(draft, start);
          await api.call("PATCH /v1/provider/models/{name}", { params: { name }, body });
          await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
          toast({ title: TEXTS.isSaved(model.name) });
          await navigate({ to: "/providers/$name", params: { name }, ignoreBlocker: true });
        }}
      />
    </Page>
  );
}
