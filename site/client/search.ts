import MiniSearch from "minisearch";

interface Section {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const MOST_RESULTS = 12;
const EXCERPT_CHARACTERS = 140;

/** Searches in the browser. The texts are fetched when the field gets the focus for the first time. */
export function addSearch(): void {
  const field = document.querySelector<HTMLInputElement>("#search");
  const list = document.querySelector<HTMLElement>("#results");
  const { base = "/", search: address = "" } = document.documentElement.dataset;
  if (field === null || list === null) return;

  let loaded: Promise<{ index: MiniSearch; sections: Section[] }> | undefined;
  const load = () => (loaded ??= loadIndex(address));
  const show = async () => {
    const words = field.value.trim();
    list.hidden = words === "";
    if (words === "") return list.replaceChildren();
    const { index, sections } = await load();
    if (words !== field.value.trim()) return;
    const found = index.search(words).slice(0, MOST_RESULTS);
    list.replaceChildren(
      ...found.map(({ id, terms }) => resultLink(base, sections[Number(id)], terms)),
      ...(found.length === 0 ? [`Nothing found for “${words}”.`] : []),
    );
  };
  const close = () => {
    list.hidden = true;
  };
  const update = () => {
    show().catch(() => list.replaceChildren("The search could not be loaded. Reload the page."));
  };

  // A link from elsewhere may bring what is searched for.
  const asked = new URLSearchParams(location.search).get("q");
  if (asked !== null) {
    field.value = asked;
    field.focus();
    update();
  }
  field.addEventListener("focus", () => void load().catch(() => (loaded = undefined)));
  field.addEventListener("focus", update);
  field.addEventListener("input", update);
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Node && !list.contains(target) && target !== field) close();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.metaKey || event.ctrlKey))) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape") close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") moveFocus(event, field, list);
    else if (event.key === "Enter" && event.target === field) list.querySelector("a")?.click();
  });
}

async function loadIndex(address: string): Promise<{ index: MiniSearch; sections: Section[] }> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index answered ${response.status}.`);
  const sections: Section[] = await response.json();
  const index = new MiniSearch({
    fields: ["title", "page", "text"],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return { index, sections };
}

function resultLink(base: string, section: Section | undefined, terms: readonly string[]): HTMLElement {
  const link = document.createElement("a");
  if (section === undefined) return link;
  link.href = base + section.path;
  const title = document.createElement("strong");
  title.textContent = section.title === section.page ? section.page : `${section.page} › ${section.title}`;
  const excerpt = document.createElement("span");
  excerpt.className = "excerpt";
  const at = Math.max(0, ...terms.map((term) => section.text.toLowerCase().indexOf(term)));
  const start = Math.max(0, at - EXCERPT_CHARACTERS / 3);
  excerpt.textContent = (start > 0 ? "…" : "") + section.text.slice(start, start + EXCERPT_CHARACTERS);
  link.append(title, excerpt);
  return link;
}

/** The arrow keys go from the field into the results and back. */
function moveFocus(event: KeyboardEvent, field: HTMLInputElement, list: HTMLElement): void {
  const stops: HTMLElement[] = [field, ...list.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (list.hidden || at === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
}
