import type { Texts } from "../en/index.ts";
import { api } from "./api.ts";
import { audit } from "./audit.ts";
import { billing } from "./billing.ts";
import { clusters } from "./clusters.ts";
import { common } from "./common.ts";
import { configuration } from "./configuration.ts";
import { credits } from "./credits.ts";
import { earnings } from "./earnings.ts";
import { entry } from "./entry.ts";
import { feedback } from "./feedback.ts";
import { home } from "./home.ts";
import { hooks } from "./hooks.ts";
import { keys } from "./keys.ts";
import { members } from "./members.ts";
import { modelImport } from "./model-import.ts";
import { models } from "./models.ts";
import { operator } from "./operator.ts";
import { operatorMoney } from "./operator-money.ts";
import { playground } from "./playground.ts";
import { presets } from "./presets.ts";
import { privacy } from "./privacy.ts";
import { providerForm } from "./provider-form.ts";
import { providers } from "./providers.ts";
import { publicPages } from "./public-pages.ts";
import { requestDetail } from "./request-detail.ts";
import { requests } from "./requests.ts";
import { routing } from "./routing.ts";
import { safety } from "./safety.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";
import { signUps } from "./sign-ups.ts";
import { sso } from "./sso.ts";
import { usage } from "./usage.ts";
import { webhooks } from "./webhooks.ts";

/** Every text in Chinese, by the part of the dashboard that it stands in. */
export const chinese: Texts = {
  api,
  audit,
  billing,
  clusters,
  earnings,
  operator,
  operatorMoney,
  providerForm,
  providers,
  common,
  configuration,
  entry,
  feedback,
  home,
  keys,
  members,
  models,
  playground,
  presets,
  privacy,
  requestDetail,
  requests,
  routing,
  safety,
  settings,
  shell,
  signUps,
  sso,
  usage,
  credits,
  modelImport,
  publicPages,
  hooks,
  webhooks,
};
