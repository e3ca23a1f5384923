import PocketBase, { BaseAuthStore, LocalAuthStore } from 'pocketbase';

/** The address of the server: the page lives one level below it, possibly under a sub-path (OPS-200). */
export function serverUrl(): string {
  return new URL('../', document.baseURI.split('#')[0]).href.replace(/\/$/, '');
}

/** The session of the signed-in superuser. The key is ours: applications on the same host keep their own. */
export const api = new PocketBase(serverUrl(), new LocalAuthStore('roost_admin_auth'));
api.autoCancellation(false);

/** A client for the public pages: it never reads or stores the session of the admin (03 §16). */
export function publicApi(): PocketBase {
  const client = new PocketBase(serverUrl(), new BaseAuthStore());
  client.autoCancellation(false);
  return client;
}
