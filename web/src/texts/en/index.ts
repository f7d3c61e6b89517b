import { common } from "./common.ts";
import { keys } from "./keys.ts";
import { playground } from "./playground.ts";
import { requestDetail } from "./request-detail.ts";
import { requests } from "./requests.ts";
import { shell } from "./shell.ts";

/** Every text in English, by the part of the dashboard that it stands in. */
export const english = {
  common,
  keys,
  playground,
  requestDetail,
  requests,
  shell,
};
