import type { Caller } from "@trunkline/core/caller.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import { refuseExpiringKey } from "@trunkline/core/permissions.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { createWebhookSecret } from "../notify/webhooks/deliver.ts";
import { type Annotations, askHook, explainHookFailure, type HookDecision, type HookQuestion } from "./ask-hook.ts";
import type {
  GuardrailHook,
  GuardrailHookChange,
  GuardrailHookSettings,
  GuardrailHookStore,
  HookSide,
  OpenGuardrailHook,
} from "./guardrail-hook.ts";

interface GuardrailHooksDependencies {
  readonly store: GuardrailHookStore;
  readonly dialer: Dialer;
  readonly clock: Clock;
  /** Why a URL can't be called, as a sentence; undefined where it can. */
  readonly checkEndpoint: (url: string, mayDialPrivate: boolean) => Promise<string | undefined>;
  readonly warn: (words: string) => void;
}

/** What all hooks of an account together make of texts. */
export interface GuardrailOutcome {
  /** Why the request is refused; undefined: it is not. */
  readonly refusal: string | undefined;
  /** The texts to go on with; undefined: they are unchanged. */
  readonly texts: readonly string[] | undefined;
  readonly annotations: Annotations;
  /** The ids of the hooks that failed. */
  readonly failed: readonly string[];
}

const HOOKS_MAX = 3;
const ACCOUNTS_MAX = 10_000;

/** Creates, changes and removes an account's hooks, and asks them. */
export class GuardrailHooks {
  readonly #dependencies: GuardrailHooksDependencies;
  readonly #hooksOf = new LruMap<string, readonly OpenGuardrailHook[]>(ACCOUNTS_MAX);
  readonly #counts = new Map<HookDecision["action"], number>();
  #generation = 0;

  constructor(dependencies: GuardrailHooksDependencies) {
    this.#dependencies = dependencies;
  }

  async create(caller: Caller, settings: GuardrailHookSettings): Promise<{ hook: GuardrailHook; secret: string }> {
    refuseExpiringKey(caller);
    const { store, clock } = this.#dependencies;
    const mayDialPrivate = await this.#checkUrl(caller, settings.url);
    const secret = createWebhookSecret();
    const draft = { ...settings, id: newId(clock.now()), accountId: caller.accountId, mayDialPrivate };
    const hook = await store.create(draft, secret, HOOKS_MAX);
    if (hook === undefined)
      throw new Fault("conflict", `An account has at most ${HOOKS_MAX} guardrail hooks. Delete one first.`);
    this.invalidate();
    return { hook, secret: secret.reveal() };
  }

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<GuardrailHook[]> {
    return this.#dependencies.store.list(caller.accountId, limit, cursor);
  }

  async find(caller: Caller, id: string): Promise<GuardrailHook> {
    const hook = isId(id) ? await this.#dependencies.store.find(caller.accountId, id) : undefined;
    if (hook === undefined) throw noSuchHook();
    return hook;
  }

  /** A URL of another origin gets a secret of its own, which is returned: another receiver must not know the old one. */
  async change(
    caller: Caller,
    id: string,
    change: Omit<GuardrailHookChange, "mayDialPrivate" | "secret">,
  ): Promise<{ hook: GuardrailHook; secret: string | undefined }> {
    if (change.url !== undefined || change.enabled === true) refuseExpiringKey(caller);
    const { url } = await this.find(caller, id);
    const dialing = change.url === undefined ? {} : { mayDialPrivate: await this.#checkUrl(caller, change.url) };
    const isMoved = change.url !== undefined && new URL(change.url).origin !== new URL(url).origin;
    const secret = isMoved ? createWebhookSecret() : undefined;
    await this.#dependencies.store.change(id, { ...change, ...dialing, ...(secret === undefined ? {} : { secret }) });
    this.invalidate();
    return { hook: await this.find(caller, id), secret: secret?.reveal() };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#dependencies.store.remove(caller.accountId, id))) throw noSuchHook();
    this.invalidate();
  }

  /** Asks a hook about a sample text, now. */
  async sendTest(caller: Caller, id: string, signal: AbortSignal): Promise<HookDecision> {
    const { sides } = await this.find(caller, id);
    const { store, dialer, clock } = this.#dependencies;
    const hook = await store.openOne(id);
    if (hook === undefined) throw noSuchHook();
    const question: HookQuestion = {
      side: sides[0] ?? "input",
      requestId: newId(clock.now()),
      keyId: caller.keyId,
      path: "/v1/guardrail-hooks/test",
      model: undefined,
      tags: undefined,
      texts: [{ role: "user", type: "text", text: "This is a test of your guardrail hook." }],
    };
    return askHook(dialer, clock, hook, question, signal);
  }

  /** The hooks that are asked about one side of an account's requests. Returns a promise only where the store must be asked. */
  hooksFor(accountId: string, side: HookSide): readonly OpenGuardrailHook[] | Promise<readonly OpenGuardrailHook[]> {
    const known = this.#hooksOf.get(accountId);
    if (known !== undefined) return known.filter(({ sides }) => sides.includes(side));
    return this.#load(accountId).then((hooks) => hooks.filter(({ sides }) => sides.includes(side)));
  }

  async #load(accountId: string): Promise<readonly OpenGuardrailHook[]> {
    const generation = this.#generation;
    const hooks = await this.#dependencies.store.open(accountId);
    if (generation === this.#generation) this.#hooksOf.set(accountId, hooks);
    return hooks;
  }

  /** Asks one hook after the other: each sees what the one before it left. The first that refuses ends it. */
  async ask(
    hooks: readonly OpenGuardrailHook[],
    question: HookQuestion,
    signal: CancelSignal,
  ): Promise<GuardrailOutcome> {
    const { dialer, clock, warn } = this.#dependencies;
    let { texts } = question;
    let annotations: Annotations = {};
    const failed: string[] = [];
    for (const hook of hooks) {
      const decision = await askHook(dialer, clock, hook, { ...question, texts }, signal);
      this.#counts.set(decision.action, (this.#counts.get(decision.action) ?? 0) + 1);
      if (decision.action === "failed") {
        warn(`The guardrail hook ${hook.id} failed: ${decision.why}.`);
        annotations = { ...annotations, "guardrail.failure": decision.why.slice(0, 256) };
        failed.push(hook.id);
        if (hook.onFailure === "refuse") {
          return { refusal: explainHookFailure(decision.why), texts: undefined, annotations, failed };
        }
        continue;
      }
      annotations = { ...annotations, ...decision.annotations };
      if (decision.action === "refuse")
        return { refusal: decision.reason ?? "the guardrail hook refused it", texts: undefined, annotations, failed };
      if (decision.action === "redact")
        texts = texts.map((text, at) => ({ ...text, text: decision.texts[at] ?? text.text }));
    }
    return {
      refusal: undefined,
      texts: texts === question.texts ? undefined : texts.map(({ text }) => text),
      annotations,
      failed,
    };
  }

  /** Forgets what is known of the hooks: they may have changed. */
  invalidate(): void {
    this.#generation++;
    this.#hooksOf.clear();
  }

  /** How often hooks were asked, by what came of it. */
  counts(): Iterable<readonly [string, number]> {
    return this.#counts;
  }

  /** Refuses a URL that can't be called. Returns whether the caller may use private addresses. */
  async #checkUrl(caller: Caller, url: string): Promise<boolean> {
    const mayDialPrivate = caller.scopes.has("admin");
    const problem = await this.#dependencies.checkEndpoint(url, mayDialPrivate);
    if (problem !== undefined) throw new Fault("invalid_request", problem, { param: "url" });
    return mayDialPrivate;
  }
}

function noSuchHook(): Fault {
  return new Fault("not_found", "There is no such guardrail hook. List yours with GET /v1/guardrail-hooks.");
}
