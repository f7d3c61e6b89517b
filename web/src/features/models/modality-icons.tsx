import { ArrowRight, AudioLines, Image, type LucideIcon, Type, Waypoints } from "lucide-react";
import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { listWords } from "../../ui/format.ts";
import { type Modality, modalitiesOf } from "./modalities.ts";

const ICONS: Readonly<Record<Modality, LucideIcon>> = {
  text: Type,
  image: Image,
  audio: AudioLines,
  vector: Waypoints,
};

/** What goes into a model and what comes out of it, as icons. */
export function ModalityIcons({ offer }: { readonly offer: Pick<Offer, "type" | "capabilities"> }) {
  const { input, output } = modalitiesOf(offer);
  const name = (kinds: readonly Modality[]) => listWords(kinds.map((kind) => texts.models.modalities[kind]));
  const words = texts.models.modality(name(input), name(output));
  return (
    <span role="img" aria-label={words} title={words} className="inline-flex items-center gap-1 text-muted">
      <Icons kinds={input} />
      <ArrowRight aria-hidden="true" className="size-3 text-faint" />
      <Icons kinds={output} />
    </span>
  );
}

function Icons({ kinds }: { readonly kinds: readonly Modality[] }) {
  return kinds.map((kind) => {
    const Icon = ICONS[kind];
    return <Icon key={kind} aria-hidden="true" className="size-4" />;
  });
}
