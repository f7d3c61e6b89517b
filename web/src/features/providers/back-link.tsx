import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { texts } from "../../texts/texts.ts";

const TEXTS = texts.providers.backLink;

const LOOK = "inline-flex w-fit items-center gap-1.5 rounded-sm text-sm text-muted hover:text-text [&_svg]:size-4";

/** Back to the list of one's models. */
export function BackToProviders() {
  return (
    <Link to="/providers" className={LOOK}>
      <ArrowLeft aria-hidden="true" />
      {TEXTS.providers}
    </Link>
  );
}

/** Back to a model. */
export function BackToModel({ name }: { readonly name: string }) {
  return (
    <Link to="/providers/$name" params={{ name }} className={LOOK}>
      <ArrowLeft aria-hidden="true" />
      <span className="wrap-anywhere">{name}</span>
    </Link>
  );
}
