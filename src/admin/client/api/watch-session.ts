import { ClientResponseError } from 'pocketbase';
import { api, fromServer } from './api.js';

/** Milliseconds for which a session that was looked at is believed, where an answer gives no reason for doubt. */
const BELIEVED = 30_000;

let lookedAt = 0;
let looking: Promise<boolean> | undefined;

/** The server tells superusers more of its health than others; without an answer nobody is signed out. */
async function look(): Promise<boolean> {
  const { token } = api.authStore;
  try {
    const { data } = await api.health.check({ requestKey: null });
    lookedAt = Date.now();
    return 'canBackup' in data || api.authStore.token !== token;
  } catch {
    return true;
  }
}

/** Whether the server still knows the session. Several who ask at once are answered together. */
function isKnown(): Promise<boolean> {
  looking ??= look().finally(() => (looking = undefined));
  return looking;
}

/** To a guest the server hides things instead of refusing: with 403, 404, or a list that seems empty. */
function mayBeAGuests({ status }: Response, data: unknown): boolean {
  const { items } = (data ?? {}) as { items?: unknown };
  return status === 403 || status === 404 || (Array.isArray(items) && items.length === 0);
}

/**
 * Ends a session that the server no longer accepts, whatever the answer was in which that shows (UI-79), before the
 * answer is shown. The place and what is open stay for after the sign-in (UI-2).
 */
export function watchSession(): void {
  const health = api.buildURL('/api/health');
  api.afterSend = async (response, data) => {
    if (response.url === health) return data as object;
    const { token } = api.authStore;
    if (token && response.status === 401) api.authStore.clear();
    else if (token && mayBeAGuests(response, data)) {
      if (!(await isKnown())) {
        if (api.authStore.token === token) api.authStore.clear();
        throw new ClientResponseError({ url: response.url, status: 401, data: { message: 'The session has ended.' } });
      }
    } else if (token && Date.now() - lookedAt > BELIEVED) {
      lookedAt = Date.now();
      void isKnown().then((known) => {
        if (!known && api.authStore.token === token) api.authStore.clear();
      });
    }
    return fromServer(response, data);
  };
}
