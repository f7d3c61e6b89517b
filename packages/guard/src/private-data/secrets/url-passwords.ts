import type { ReportValue } from "../private-value.ts";
import { isExampleValue } from "./nobodys.ts";

/** How far before the at sign an address with a password begins at the most. */
const URL_REACH = 200;
const SCHEME = /(?:^|[^A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,24}$/;
const USER_AND_PASSWORD = /^([^\s:@/"'<>]{0,80}):([^\s@"'<>]{3,120})$/;
const PASSWORD_PLACEHOLDER =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|\*+|x+|\$.*|%.*|\{.*|\[.*|user(?:name)?|token)$/i;

/** The passwords in `postgres://user:password@host` and the like. */
export function findUrlPasswords(text: string, ats: readonly number[], reportValue: ReportValue): void {
  for (const at of ats) {
    const before = text.slice(Math.max(0, at - URL_REACH), at);
    const slashes = before.lastIndexOf("://");
    if (slashes === -1 || !SCHEME.test(before.slice(Math.max(0, slashes - 26), slashes))) continue;
    const password = USER_AND_PASSWORD.exec(before.slice(slashes + 3))?.[2];
    if (password === undefined || PASSWORD_PLACEHOLDER.test(password) || isExampleValue(password)) continue;
    reportValue("password", 0.9, at - password.length, at);
  }
}
