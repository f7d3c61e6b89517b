import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePermission } from "../../api/session.ts";
import { settingsQuery } from "../../api/settings.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { TEXT_LINK } from "../../ui/text-link.ts";

/** Whether the organisation stores prompts and outputs; undefined while it is not known. */
export function useStoresContent(): boolean | undefined {
  return useQuery(settingsQuery).data?.store_content;
}

/** Says that prompts are not stored, where they are missed, and where that is changed. `text` has a {link}. */
export function StorageHint({ text }: { readonly text: string }) {
  const mayChange = usePermission("settings.change");
  if (useStoresContent() !== false) return null;
  const words = texts.requests;
  return (
    <p className="text-sm text-muted">
      <Sentence
        text={text}
        parts={{
          link: mayChange ? (
            <Link to="/settings/data" className={TEXT_LINK}>
              {words.storageLink}
            </Link>
          ) : (
            words.storageAsk
          ),
        }}
      />
    </p>
  );
}
