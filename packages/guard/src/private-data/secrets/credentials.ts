import type { ReportValue } from "../candidates/private-value.ts";
import { entropyOf, isExampleValue, isKeyLike } from "./key-heuristics.ts";

/** Occurs in each of the names below; the cheapest test first. */
export const SECRET_NAME_HINT =
  /pass|pwd|secret|token|key|cred|auth|kennw|contras|senha|wachtw|has[lł]|ifre|parol|парол|密|パス|비밀/i;
const PASSWORD_NAME =
  /(?:passw(?:or)?d|passwort|kennwort|passphrase|passcode|pwd|contraseña|contrasena|mot de passe|senha|wachtwoord|hasło|şifre|parola|пароль|密码|密碼|パスワード|비밀번호)[\w .-]{0,20}["'`\])]{0,3}[ \t]{0,3}$/i;
const KEY_NAME =
  /(?:secret|token|api[ _-]?key|access[ _-]?key|account[ _-]?key|auth[ _-]?key|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|master[ _-]?key|client[ _-]?key|credentials?|[_-]key)[\w .-]{0,16}["'`\])]{0,3}[ \t]{0,3}$/i;
const AUTHORIZATION_NAME = /authorization["'`]{0,2}[ \t]{0,3}$/i;
/** Names of things about a key. */
const NON_SECRET_NAME =
  /(?:ids?|url|uri|name|file|path|len(?:gth)?|count|type|hint|policy|expir\w{0,6}|age|size|limit|field|hash|prefix|version|tokens|alg(?:orithm)?|ttl|label|regex|pattern|public[ _-]?key)["'`\s]{0,4}$/i;

const QUOTED = /[=:>]{0,2}[ \t]{0,4}(?:"([^"\n]{6,200})"|'([^'\n]{6,200})'|`([^`\n]{6,200})`)/y;
const BARE = /[=:>]{0,2}[ \t]{0,4}([^\s"'`<>,;(){}[\]]{6,200})/y;
const BEARER = /[ \t]{0,3}["'`]?(?:Bearer|Token|Basic|ApiKey)[ \t]{1,3}([A-Za-z0-9._~+/=-]{16,2000})/iy;
const NAME_REACH = 40;

/** Finds values by the name they are assigned to: `password = …`, `"api_key": "…"`, `Authorization: Bearer …`. */
export function findAssignedSecrets(text: string, assignments: readonly number[], reportValue: ReportValue): void {
  let done = 0;
  for (const at of assignments) if (at >= done) done = reportAssignment(text, at, reportValue) ?? done;
}

/** Reports the value assigned here and returns its end. */
function reportAssignment(text: string, at: number, reportValue: ReportValue): number | undefined {
  const name = text.slice(Math.max(0, at - NAME_REACH), at);
  if (!SECRET_NAME_HINT.test(name)) return undefined;
  if (AUTHORIZATION_NAME.test(name)) return reportBearer(text, at, reportValue);
  if (NON_SECRET_NAME.test(name)) return undefined;
  if (PASSWORD_NAME.test(name)) return reportAssignedValue(text, at, "password", isPasswordLike, reportValue);
  if (KEY_NAME.test(name)) return reportAssignedValue(text, at, "api_key", isSecretLike, reportValue);
  return undefined;
}

function reportBearer(text: string, at: number, reportValue: ReportValue): number | undefined {
  BEARER.lastIndex = at + 1;
  const value = BEARER.exec(text)?.[1];
  if (value === undefined || isExampleValue(value) || entropyOf(value) < 3) return undefined;
  reportValue("api_key", 0.75, BEARER.lastIndex - value.length, BEARER.lastIndex);
  return BEARER.lastIndex;
}

function reportAssignedValue(
  text: string,
  at: number,
  kind: "password" | "api_key",
  isLike: (value: string, isQuoted: boolean) => boolean,
  reportValue: ReportValue,
): number | undefined {
  QUOTED.lastIndex = at + 1;
  const quoted = QUOTED.exec(text);
  BARE.lastIndex = at + 1;
  const bare = quoted === null ? BARE.exec(text)?.[1] : undefined;
  const value = quoted?.[1] ?? quoted?.[2] ?? quoted?.[3] ?? bare?.replace(/[.?]$/, "");
  if (value === undefined || isExampleValue(value) || isReference(value) || !isLike(value, quoted !== null))
    return undefined;
  const start = quoted === null ? BARE.lastIndex - (bare?.length ?? 0) : QUOTED.lastIndex - 1 - value.length;
  reportValue(kind, kind === "password" ? 0.65 : 0.7, start, start + value.length);
  return start + value.length;
}

/** Whether the text refers to a value instead of being one. */
function isReference(value: string): boolean {
  return (
    /^(?:process\.env|os\.|env\b|\$|%|\{|<|https?:|self\.|this\.|config|settings|req\.|getenv|null|none|true|false|undefined|string|vault:|arn:)/i.test(
      value,
    ) ||
    /[({$]/.test(value.slice(0, 2)) ||
    /^[A-Za-z_]+(?:[._-][A-Za-z_]+)*$/.test(value)
  );
}

function isSecretLike(value: string): boolean {
  return value.length >= 16 && !/\s/.test(value) && isKeyLike(value);
}

function isPasswordLike(value: string, isQuoted: boolean): boolean {
  if (/\s/.test(value) && !isQuoted) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\p{L}\p{N}\s]/u].filter((kind) => kind.test(value)).length;
  const isMixed = /\d|[^\p{L}\p{N}\s._-]/u.test(value);
  return kinds >= 2 && isMixed && !/^[\d\s:./-]+$/.test(value) && entropyOf(value) >= 2.3;
}

const SPOKEN_VALUE =
  /(?:assword|asswort|ennwort|ontraseña)(?:,? (?:for|of|to|on|für|de|del|da|para|pour)(?: [^\s.!?]{1,30}){1,4})?,? (?:is|was|ist|lautet|war|es|set to|changed to)(?: now| jetzt| ahora)?:? ["'`“„«]?([^\s"'`”“»]{6,64})/y;

/** "my password is …" */
export function findSpokenPasswords(text: string, passwords: readonly number[], reportValue: ReportValue): void {
  for (const at of passwords) {
    SPOKEN_VALUE.lastIndex = at;
    const spoken = SPOKEN_VALUE.exec(text)?.[1];
    const value = spoken?.replace(/[.,?;:]+$/, "") ?? "";
    if (spoken === undefined || isExampleValue(value) || !isPasswordLike(value, false)) continue;
    const start = SPOKEN_VALUE.lastIndex - spoken.length;
    reportValue("password", 0.65, start, start + value.length);
  }
}

/** The maximum length of a URL before its at sign. */
const URL_REACH = 200;
const SCHEME = /(?:^|[^A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,24}$/;
const USER_AND_PASSWORD = /^([^\s:@/"'<>]{0,80}):([^\s@"'<>]{3,120})$/;
const PASSWORD_PLACEHOLDER = /^(?:pass(?:word|wd)?|pwd|pw|secret|\*+|x+|\$.*|%.*|\{.*|\[.*|user(?:name)?|token)$/i;

/** Finds the passwords in `postgres://user:password@host` and the like. */
export function findUrlPasswords(text: string, atSigns: readonly number[], reportValue: ReportValue): void {
  if (atSigns.length === 0) return;
  let slashes = Number.NEGATIVE_INFINITY;
  let next = text.indexOf("://");
  for (const at of atSigns) {
    for (; next !== -1 && next + 3 <= at; next = text.indexOf("://", next + 1)) slashes = next;
    const earliest = Math.max(0, at - URL_REACH);
    if (slashes < earliest || !SCHEME.test(text.slice(Math.max(earliest, slashes - 26), slashes))) continue;
    const password = USER_AND_PASSWORD.exec(text.slice(slashes + 3, at))?.[2];
    if (password === undefined || PASSWORD_PLACEHOLDER.test(password) || isExampleValue(password)) continue;
    reportValue("password", 0.9, at - password.length, at);
  }
}
