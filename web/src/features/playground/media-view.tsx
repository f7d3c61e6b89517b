import { Download } from "lucide-react";
import { texts } from "../../texts/texts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { surrogateSafeSlice } from "../../ui/surrogate-safe-slice.ts";
import { mediaKindOf } from "./media-kind.ts";

const { playground: words } = texts;

interface MediaViewProps {
  readonly url: string;
  readonly kind: "image" | "audio";
  /** What it was made from. */
  readonly input: string;
}

/** An image to see or speech to hear. Only what is inside the answer or comes over https is shown. */
export function MediaView({ url, kind, input }: MediaViewProps) {
  const isInside = mediaKindOf(url) === kind;
  const prompt = input.length > 120 ? `${surrogateSafeSlice(input, 120)}…` : input;
  if (!isInside && !/^https:\/\//i.test(url)) return null;
  return (
    <div className="grid min-w-0 justify-items-start gap-3">
      {kind === "image" ? (
        <img
          src={url}
          alt={words.imageOf(prompt)}
          referrerPolicy="no-referrer"
          className="max-h-160 max-w-full rounded-md border border-line"
        />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the text that is spoken is the input, which stands on this page.
        <audio controls src={url} aria-label={words.speechOf(prompt)} className="w-full max-w-lg" />
      )}
      {isInside ? (
        <a href={url} download={fileNameOf(url, kind)} className={buttonClass("secondary", "sm")}>
          <Download aria-hidden="true" className="size-4" />
          {words.download}
        </a>
      ) : (
        <OutsideLink href={url}>{words.openInNewTab}</OutsideLink>
      )}
    </div>
  );
}

function fileNameOf(url: string, kind: string): string {
  const subtype = /^data:\w+\/([\w-]{1,12})/i.exec(url)?.[1]?.replace("x-", "") ?? "bin";
  return `trunkline-${kind}.${subtype === "jpeg" ? "jpg" : subtype}`;
}
