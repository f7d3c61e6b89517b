import { Download } from "lucide-react";
import { buttonClass } from "../../ui/button.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { surrogateSafeSlice } from "../../ui/surrogate-safe-slice.ts";

/** Which of the two an address holds, where it says so itself. */
export function mediaKindOf(url: string): "image" | "audio" | undefined {
  const kind = /^data:(image|audio)\//i.exec(url)?.[1]?.toLowerCase();
  return kind === "image" || kind === "audio" ? kind : undefined;
}

interface MediaViewProps {
  readonly url: string;
  readonly kind: "image" | "audio";
  /** What it was made from. */
  readonly input: string;
  readonly model: string | undefined;
}

/** A picture to see or speech to hear. Only what is inside the answer or comes over https is shown. */
export function MediaView({ url, kind, input, model }: MediaViewProps) {
  const isInside = mediaKindOf(url) === kind;
  const words = input.length > 120 ? `${surrogateSafeSlice(input, 120)}…` : input;
  if (!isInside && !/^https:/i.test(url))
    return (
      <p className="wrap-anywhere text-muted">
        The provider answered with an address that is not shown: {surrogateSafeSlice(url, 200)}
      </p>
    );
  return (
    <div className="grid min-w-0 justify-items-start gap-3">
      {kind === "image" ? (
        <img
          src={url}
          alt={`Made${model === undefined ? "" : ` by ${model}`} from: ${words}`}
          referrerPolicy="no-referrer"
          className="max-h-160 max-w-full rounded-md border border-line"
        />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the text that is spoken is the input, which stands on this page.
        <audio controls src={url} aria-label={`Spoken: ${words}`} className="w-full max-w-lg" />
      )}
      {isInside ? (
        <a href={url} download={fileNameOf(url, kind)} className={buttonClass("secondary", "sm")}>
          <Download aria-hidden="true" className="size-4" />
          Download
        </a>
      ) : (
        <OutsideLink href={url}>Open in a new tab</OutsideLink>
      )}
    </div>
  );
}

function fileNameOf(url: string, kind: string): string {
  const subtype = /^data:\w+\/([\w-]{1,12})/i.exec(url)?.[1]?.replace("x-", "") ?? "bin";
  return `trunkline-${kind}.${subtype === "jpeg" ? "jpg" : subtype}`;
}
