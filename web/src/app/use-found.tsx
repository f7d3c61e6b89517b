import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { BookOpen, Boxes, KeyRound, ListTree } from "lucide-react";
import { api } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { useDebounced } from "../ui/use-debounced.ts";
import type { Command } from "./use-commands.tsx";

/** How many of each kind are listed. */
const MOST = 6;
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Models, keys, requests and pages of the documentation that fit what was typed. */
export function useFound(typed: string): readonly Command[] {
  const navigate = useNavigate();
  const { powers } = useSession();
  const words = useDebounced(typed.trim());
  const isAsked = words.length > 1;
  const models = useQuery({
    queryKey: ["models", "names"],
    queryFn: ({ signal }) => api.call("GET /v1/models", { signal }),
    staleTime: 60_000,
    enabled: isAsked,
  });
  const keys = useQuery({
    queryKey: ["keys", "found", words],
    queryFn: ({ signal }) => api.call("GET /v1/keys", { query: { q: words, limit: MOST }, signal }),
    placeholderData: keepPreviousData,
    // A whole key is a secret, and must not leave the page.
    enabled: isAsked && powers.includes("keys.read") && !/^sk-\S{16,}/.test(words),
  });
  if (!isAsked) return [];
  const { groups, request, documentation } = texts.shell.search;
  const found: Command[] = [];
  for (const { name } of (models.data ?? []).filter(({ name }) => fits(name, words)).slice(0, MOST)) {
    found.push({
      id: `model ${name}`,
      label: name,
      group: groups.models,
      icon: <Boxes aria-hidden="true" />,
      run: () => void navigate({ to: "/models/$", params: { _splat: name } }),
    });
  }
  for (const { id, name, hint } of keys.data?.data ?? []) {
    found.push({
      id: `key ${id}`,
      label: `${name} (${hint})`,
      group: groups.keys,
      icon: <KeyRound aria-hidden="true" />,
      run: () => void navigate({ to: "/requests", search: { key: id } }),
    });
  }
  if (REQUEST_ID.test(words)) {
    found.push({
      id: "request",
      label: request(words),
      group: groups.requests,
      icon: <ListTree aria-hidden="true" />,
      run: () => void navigate({ to: "/requests/$id", params: { id: words } }),
    });
  }
  found.push({
    id: "documentation",
    label: documentation(words),
    group: groups.documentation,
    icon: <BookOpen aria-hidden="true" />,
    run: () => location.assign(`/guide/?q=${encodeURIComponent(words)}`),
  });
  return found;
}

function fits(name: string, words: string): boolean {
  const lower = name.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
