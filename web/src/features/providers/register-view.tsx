import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { Page } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { BackToProviders } from "./back-link.tsx";
import { NEW_DRAFT, registrationOf } from "./model-draft.ts";
import { CancelLink, ModelForm } from "./model-form.tsx";
import { ownModelsQuery } from "./provider-queries.ts";

/** Registers a model. */
export function RegisterView() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <Page
      title="Register a model"
      description="Say where it is, what it costs and what it can do. Nothing is called before you run its check."
      width="narrow"
      above={<BackToProviders />}
    >
      <ModelForm
        label="Register a model"
        submitLabel="Register"
        cancelTo={<CancelLink />}
        start={NEW_DRAFT}
        isChange={false}
        hasCredential={false}
        bodyOf={registrationOf}
        send={async (draft) => {
          const model = await api.call("POST /v1/provider/models", { body: registrationOf(draft) });
          await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
          toast({
            title: `${model.name} is registered`,
            description: model.state === "pending" ? "Run its check to have it routed." : "It is routed from now on.",
          });
          await navigate({ to: "/providers/$name", params: { name: model.name }, ignoreBlocker: true });
        }}
      />
    </Page>
  );
}
