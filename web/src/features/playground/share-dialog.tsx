import { useQuery } from "@tanstack/react-query";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import type { Conversation } from "./conversation.ts";
import { encodeShare } from "./share.ts";

const { playground: words } = texts;

interface ShareDialogProps {
  readonly conversation: Conversation;
  readonly onClose: () => void;
}

/** A link that has the conversation in it. Nothing is uploaded: whoever has the link has all of it. */
export function ShareDialog({ conversation, onClose }: ShareDialogProps) {
  const { data: link } = useQuery({
    queryKey: ["playground-link", conversation],
    queryFn: async () => {
      const whole = await encodeShare(conversation);
      const short = whole ?? (await encodeShare({ ...conversation, turns: [] }));
      return {
        address: short === undefined ? undefined : `${location.origin}/playground#${short}`,
        isWhole: whole !== undefined,
      };
    },
    gcTime: 0,
  });
  const hasFiles = conversation.turns.some(({ files }) => files.length > 0);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={words.shareTitle}
      description={words.shareHint}
    >
      {link !== undefined && (
        <div className="grid gap-3">
          {!link.isWhole && (
            <Banner tone="warning" title={words.tooLongToShare}>
              {link.address === undefined ? words.nothingToShare : words.sharesSettings}
            </Banner>
          )}
          {link.isWhole && hasFiles && <Banner>{words.sharesNoFiles}</Banner>}
          {link.address !== undefined && (
            <div className="flex items-end gap-2">
              <Field label={words.link} className="min-w-0 grow">
                <Input readOnly mono value={link.address} onFocus={({ target }) => target.select()} />
              </Field>
              <CopyButton text={link.address} label={words.copyLink} size="md" />
            </div>
          )}
        </div>
      )}
    </Dialog>
  );
}
