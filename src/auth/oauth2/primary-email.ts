import { isTrueAt, textAt, valueAt } from './json-values.js';
import type { OAuth2Session } from './oauth2-session.js';

/** How a provider lists the addresses of an account. */
interface EmailList {
  /** Path of the list in the answer; the answer itself when absent. */
  readonly list?: string;
  /** What must be true of the address that counts. */
  readonly flags: readonly string[];
}

/** The address that has all the flags, out of the list beside the user info; '' when the account shows none. */
export async function primaryEmail(session: OAuth2Session, { list, flags }: EmailList): Promise<string> {
  const answer = await session.findJson(`${session.client.userInfoURL}/emails`);
  const entries = list === undefined ? answer : valueAt(answer, list);
  if (!Array.isArray(entries)) return '';
  return textAt(
    entries.find((entry) => flags.every((flag) => isTrueAt(entry, flag))),
    'email',
  );
}
