import { api } from './api.js';

/** Renews the token of the session, which ends when the server no longer knows it. Other failures leave it as it is. */
export async function renewSession(): Promise<void> {
  try {
    await api.collection('_superusers').authRefresh();
  } catch (error) {
    if ([401, 403, 404].includes((error as { status?: number }).status ?? 0)) api.authStore.clear();
  }
}
