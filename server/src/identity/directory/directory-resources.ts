import { isObject } from "@trunkline/core/json-object.ts";
import { normaliseEmail } from "../sso/oidc-client.ts";
import { type AttributeChange, invalid, readBoolean } from "./scim-patch.ts";

/** A user as the directory has sent it. */
export interface DirectoryUserDraft {
  readonly userName: string;
  readonly externalId: string | undefined;
  readonly email: string;
  readonly displayName: string | undefined;
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  readonly active: boolean;
}

/** A group as the directory has sent it. `memberIds` are ids of users. */
export interface DirectoryGroupDraft {
  readonly displayName: string;
  readonly externalId: string | undefined;
  readonly memberIds: readonly string[];
}

const TEXT_LENGTH_MAX = 256;
export const GROUP_MEMBERS_MAX = 20_000;

/** Reads a whole user. Attributes that are not known here are ignored. */
export function readUser(body: unknown): DirectoryUserDraft {
  const user = isObject(body) ? body : {};
  const name = isObject(user.name) ? user.name : {};
  const userName = requireText(user.userName, "userName");
  return withEmail({
    userName,
    externalId: textOf(user.externalId, "externalId"),
    email: emailIn(user.emails),
    displayName: textOf(user.displayName, "displayName") ?? textOf(name.formatted, "name.formatted"),
    givenName: textOf(name.givenName, "name.givenName"),
    familyName: textOf(name.familyName, "name.familyName"),
    active: user.active === undefined || user.active === null ? true : readBoolean(user.active, "active"),
  });
}

/** The user after the changes of a PATCH. */
export function patchUser(user: DirectoryUserDraft, changes: readonly AttributeChange[]): DirectoryUserDraft {
  let draft: Omit<DirectoryUserDraft, "email"> & { email: string | undefined } = user;
  for (const { op, attribute, value } of changes) {
    const given = op === "remove" ? undefined : value;
    const text = () => textOf(given, attribute);
    if (attribute === "active") draft = { ...draft, active: op === "remove" ? false : readBoolean(value, "active") };
    else if (attribute === "username") draft = { ...draft, userName: requireText(given, "userName") };
    else if (attribute === "externalid") draft = { ...draft, externalId: text() };
    else if (attribute === "displayname" || attribute === "name.formatted") draft = { ...draft, displayName: text() };
    else if (attribute === "name.givenname") draft = { ...draft, givenName: text() };
    else if (attribute === "name.familyname") draft = { ...draft, familyName: text() };
    else if (attribute === "emails" || attribute === "emails.value") {
      draft = { ...draft, email: op === "remove" ? undefined : (normaliseEmail(value) ?? emailIn(value)) };
    }
  }
  return withEmail(draft);
}

/** Reads a whole group. */
export function readGroup(body: unknown): DirectoryGroupDraft {
  const group = isObject(body) ? body : {};
  return {
    displayName: requireText(group.displayName, "displayName"),
    externalId: textOf(group.externalId, "externalId"),
    memberIds: group.members === undefined || group.members === null ? [] : memberIdsIn(group.members),
  };
}

/** The group after the changes of a PATCH. `touched` gets the members that these name. */
export function patchGroup(
  group: DirectoryGroupDraft,
  changes: readonly AttributeChange[],
  touched: Set<string> = new Set(),
): DirectoryGroupDraft {
  let draft = group;
  const memberIds = new Set(group.memberIds);
  for (const { op, attribute, selector, value } of changes) {
    if (attribute === "displayname") draft = { ...draft, displayName: requireText(value, "displayName") };
    else if (attribute === "externalid")
      draft = { ...draft, externalId: op === "remove" ? undefined : textOf(value, "externalId") };
    else if (attribute === "members") changeMembers(memberIds, op, selector, value, touched);
  }
  if (memberIds.size > GROUP_MEMBERS_MAX) throw tooManyMembers();
  return { ...draft, memberIds: [...memberIds] };
}

function changeMembers(
  memberIds: Set<string>,
  op: AttributeChange["op"],
  selector: string | undefined,
  value: unknown,
  touched: Set<string>,
): void {
  const remove = (ids: Iterable<string>) => {
    for (const id of [...ids]) {
      touched.add(id);
      memberIds.delete(id);
    }
  };
  if (op === "remove") {
    // Okta names the member in the path, Entra ID in the value; without either all go.
    const selected = selector === undefined ? undefined : /^value\s+eq\s+"([^"]+)"$/i.exec(selector.trim())?.[1];
    if (selector !== undefined && selected === undefined)
      throw invalid('Members are removed by `members[value eq "<id>"]`.', "path");
    if (selected !== undefined) remove([selected]);
    else remove(value === undefined || value === null ? memberIds : memberIdsIn(value));
    return;
  }
  if (op === "replace") remove(memberIds);
  for (const id of memberIdsIn(value)) {
    touched.add(id);
    memberIds.add(id);
  }
}

function memberIdsIn(value: unknown): string[] {
  const members: unknown[] = Array.isArray(value) ? value : [value];
  if (members.length > GROUP_MEMBERS_MAX) throw tooManyMembers();
  return members.map((member) => {
    const id = isObject(member) ? member.value : member;
    if (typeof id !== "string") throw invalid("Each of `members` must have a `value`, the id of a user.", "members");
    return id;
  });
}

function tooManyMembers() {
  return invalid(`A group has at most ${GROUP_MEMBERS_MAX} members here.`, "members");
}

/** The primary address, or else the first. */
function emailIn(value: unknown): string | undefined {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  const entries = all.filter(isObject);
  const chosen = entries.find(({ primary }) => String(primary).toLowerCase() === "true") ?? entries[0];
  return normaliseEmail(chosen?.value);
}

/** Many directories use the address as the user's name. */
function withEmail(draft: Omit<DirectoryUserDraft, "email"> & { email: string | undefined }): DirectoryUserDraft {
  const email = draft.email ?? normaliseEmail(draft.userName);
  if (email === undefined) throw invalid("`emails` must have an e-mail address, unless `userName` is one.", "emails");
  return { ...draft, email };
}

function requireText(value: unknown, param: string): string {
  const text = textOf(value, param);
  if (text === undefined) throw invalid(`\`${param}\` is required.`, param);
  return text;
}

function textOf(value: unknown, param: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string" || value.length > TEXT_LENGTH_MAX || /[\p{Cc}\p{Cs}]/u.test(value))
    throw invalid(
      `\`${param}\` must be a text of at most ${TEXT_LENGTH_MAX} characters, without control characters.`,
      param,
    );
  return value;
}
