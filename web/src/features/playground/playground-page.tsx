import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CodeXml, History as HistoryIcon, MessagesSquare, Plus, Share2, SlidersHorizontal } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { requestQuery } from "../../api/request.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { toast } from "../../ui/toast.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import type { Chat } from "./chat.ts";
import { previewOf, requestOf } from "./chat-request.ts";
import { CodeSheet } from "./code-sheet.tsx";
import { ColumnPickers } from "./column-pickers.tsx";
import { Composer } from "./composer.tsx";
import { type AttachedFile, type Conversation, isRunning, newConversation } from "./conversation.ts";
import { Estimate } from "./estimate.tsx";
import { columnsFor, modeOfModel } from "./fitting-models.ts";
import { History } from "./history.ts";
import { HistorySheet } from "./history-sheet.tsx";
import { conversationOf } from "./past-request.ts";
import { type PlaygroundSearch, readPlaygroundSearch } from "./playground-search.ts";
import { RequestOptions } from "./request-options.tsx";
import { RoutePreview } from "./route-preview.tsx";
import { findMistakes, MODES, type Mode } from "./settings.ts";
import { decodeShare, isShare } from "./share.ts";
import { ShareDialog } from "./share-dialog.tsx";
import { TurnView } from "./turn-view.tsx";
import { useChat, useDraft } from "./use-chat.ts";
import { usePreview } from "./use-preview.ts";

const { playground: words } = texts;

/** Talk to a model, or to several side by side, before writing any code. */
export function PlaygroundPage() {
  const { person, account } = useSession();
  // Another organisation has conversations of its own.
  return <Playground key={account.id} personId={person.id} accountId={account.id} />;
}

type Overlay = "history" | "share" | "code" | "settings";

function Playground({ personId, accountId }: { readonly personId: string; readonly accountId: string }) {
  const search = readPlaygroundSearch(useSearch({ strict: false }));
  const history = useMemo(() => new History(personId, accountId), [personId, accountId]);
  const place = `playground:${accountId}:${personId}`;
  const { chat, conversation } = useChat(place, history, search);
  const { settings, turns } = conversation;
  const [draft, setDraft] = useDraft(`${place}:draft`);
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [overlay, setOverlay] = useState<Overlay>();
  const { data: offers = [] } = useQuery(catalogueQuery);
  const maySend = usePermission("inference.use");
  const isWide = useMediaQuery("(min-width: 64rem)");
  const end = useRef<HTMLDivElement>(null);

  const open = (next: Conversation) => {
    if (turns.length > 0) history.save(chat.settled());
    chat.open(next);
  };
  useAddress(search, open);
  const mode = modeOfModel(settings.mode, settings.columns[0]?.model ?? "", offers);
  useEffect(() => {
    if (mode !== undefined) chat.change({ mode });
  }, [chat, mode]);
  const running = isRunning(turns);
  useEscape(running, () => chat.stop());

  const hasMistakes = Object.keys(findMistakes(settings)).length > 0;
  const hasInput = (draft.trim() !== "" || (settings.mode === "chat" && files.length > 0)) && !hasMistakes;
  const previews = usePreviews(
    settings.columns.map((column) => (hasInput ? previewOf(settings, column, draft, files) : undefined)),
  );
  const asked = hasInput || turns.length === 0 ? [...turns, { id: "draft", text: draft, files, replies: {} }] : turns;
  const change: Chat["change"] = (changes) => chat.change(changes);

  function send() {
    chat.send(draft, settings.mode === "chat" ? files : []);
    setDraft("");
    setFiles([]);
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: "end" }));
  }

  const panel = (
    <div className="grid min-w-0 content-start gap-3">
      {previews.map((preview, index) => (
        <RoutePreview
          key={settings.columns[index]?.id}
          number={settings.columns.length > 1 ? index + 1 : undefined}
          hasInput={hasInput}
          preview={preview}
        />
      ))}
      <RequestOptions settings={settings} onChange={change} offers={offers} />
    </div>
  );

  return (
    <Page
      title={words.title}
      description={words.description}
      width="wide"
      actions={<Actions onNew={() => open(newConversation(settings))} onOpen={setOverlay} hasSettings={!isWide} />}
    >
      {!maySend && (
        <Banner tone="warning" title={words.readOnlyTitle}>
          {words.readOnlyHint}
        </Banner>
      )}
      <div className="grid min-w-0 gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 content-start gap-5">
          <section aria-label={words.setup} className="grid min-w-0 gap-4 rounded-lg border border-line bg-surface p-4">
            <Segmented<Mode>
              label={words.mode}
              value={settings.mode}
              onValueChange={(mode) => change({ mode, columns: columnsFor(mode, settings.columns, offers) })}
              options={MODES.map((mode) => ({ value: mode, label: words.modes[mode] }))}
              className="justify-self-start"
            />
            <ColumnPickers settings={settings} offers={offers} onChange={change} />
            {settings.mode === "chat" && (
              <Field label={words.systemPrompt}>
                <Textarea
                  rows={2}
                  grow
                  value={settings.system}
                  onChange={({ target }) => change({ system: target.value })}
                  placeholder={words.systemPromptPlaceholder}
                  className="max-h-64 min-h-16"
                />
              </Field>
            )}
          </section>
          {turns.length === 0 ? (
            <div className="grid min-h-48 place-content-center justify-items-center gap-2 px-4 text-center text-muted">
              <MessagesSquare aria-hidden="true" className="size-6" />
              <p>{words.empties[settings.mode]}</p>
            </div>
          ) : (
            <ol aria-label={words.conversation} className="grid min-w-0 gap-6">
              {turns.map((turn, index) => (
                <TurnView
                  key={turn.id}
                  chat={chat}
                  turn={turn}
                  columns={settings.columns}
                  maySend={maySend}
                  isLast={index === turns.length - 1}
                />
              ))}
            </ol>
          )}
          <div className="sticky bottom-0 z-10 -mb-4 bg-canvas pb-4">
            <Composer
              mode={settings.mode}
              draft={draft}
              onDraft={setDraft}
              files={files}
              onFiles={setFiles}
              canSend={maySend && hasInput && !running}
              isRunning={running}
              onSend={send}
              onStop={() => chat.stop()}
            >
              {hasMistakes
                ? words.fixSettings
                : hasInput && <Estimate routes={previews.map(({ data }) => data?.candidates[0])} />}
            </Composer>
          </div>
          <div ref={end} />
        </div>
        {isWide && <aside aria-label={words.settings}>{panel}</aside>}
      </div>
      {!isWide && (
        <Sheet
          open={overlay === "settings"}
          onOpenChange={(isOpen) => setOverlay(isOpen ? "settings" : undefined)}
          title={words.settings}
        >
          {panel}
        </Sheet>
      )}
      {overlay === "history" && (
        <HistorySheet
          history={history}
          onClose={() => setOverlay(undefined)}
          onOpen={(id) => {
            const kept = history.find(id);
            if (kept !== undefined && kept.id !== conversation.id) open(kept);
            setOverlay(undefined);
          }}
          // What is open would be saved again with the next change.
          onDelete={(id) => {
            if (id === undefined || id === conversation.id) chat.startNew();
          }}
        />
      )}
      {overlay === "share" && <ShareDialog conversation={conversation} onClose={() => setOverlay(undefined)} />}
      <CodeSheet
        open={overlay === "code"}
        onOpenChange={(isOpen) => setOverlay(isOpen ? "code" : undefined)}
        requests={settings.columns.map((column) => requestOf(settings, column, asked))}
      />
    </Page>
  );
}

interface ActionsProps {
  readonly onNew: () => void;
  readonly onOpen: (overlay: Overlay) => void;
  /** Whether the settings have no place beside the conversation. */
  readonly hasSettings: boolean;
}

function Actions({ onNew, onOpen, hasSettings }: ActionsProps) {
  return (
    <>
      <Button icon={<Plus aria-hidden="true" />} onClick={onNew}>
        {words.newChat}
      </Button>
      <Button icon={<HistoryIcon aria-hidden="true" />} onClick={() => onOpen("history")}>
        {words.history}
      </Button>
      <Button icon={<Share2 aria-hidden="true" />} onClick={() => onOpen("share")}>
        {words.share}
      </Button>
      <Button icon={<CodeXml aria-hidden="true" />} onClick={() => onOpen("code")}>
        {words.viewCode}
      </Button>
      {hasSettings && (
        <Button icon={<SlidersHorizontal aria-hidden="true" />} onClick={() => onOpen("settings")}>
          {words.settings}
        </Button>
      )}
    </>
  );
}

/** Opens what the address holds, once, and takes it out of the address, so that a reload keeps what came after. */
function useAddress(search: PlaygroundSearch, open: (conversation: Conversation) => void): void {
  const navigate = useNavigate();
  const newest = useRef(open);
  newest.current = open;
  const { data: request, isError } = useQuery({
    ...requestQuery(search.request ?? ""),
    enabled: search.request !== undefined,
  });
  const hasSearch = Object.keys(search).length > 0;
  const isPending = search.request !== undefined && request === undefined && !isError;

  useEffect(() => {
    if (!isShare(location.hash)) return;
    const fragment = location.hash;
    void navigate({ to: "/playground", search: {}, hash: "", replace: true });
    void decodeShare(fragment).then((shared) => {
      if (shared === undefined) toast({ tone: "danger", title: words.brokenLink });
      else newest.current(shared);
    });
  }, [navigate]);

  useEffect(() => {
    if (!hasSearch || isPending) return;
    void navigate({ to: "/playground", search: {}, replace: true });
    if (search.request === undefined) return;
    const past = request === undefined ? undefined : conversationOf(request);
    if (past === undefined) toast({ tone: "danger", title: isError ? words.requestNotFound : words.contentNotStored });
    else newest.current(past);
  }, [navigate, hasSearch, isPending, isError, request, search.request]);
}

/** Escape stops what is coming, unless something above the page wants the key. */
function useEscape(isActive: boolean, stop: () => void): void {
  const newest = useRef(stop);
  newest.current = stop;
  useEffect(() => {
    if (!isActive) return undefined;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector('[role="dialog"]') !== null)
        return;
      newest.current();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [isActive]);
}

type PreviewBodies = readonly Parameters<typeof usePreview>[0][];

/** One preview for each column; there are never more than four. */
function usePreviews(bodies: PreviewBodies) {
  const previews = [usePreview(bodies[0]), usePreview(bodies[1]), usePreview(bodies[2]), usePreview(bodies[3])];
  return previews.slice(0, bodies.length);
}
