import PocketBase, { BaseAuthStore, ClientResponseError, LocalAuthStore } from 'pocketbase';

/** The address of the server: the page lives one level below it, possibly under a sub-path (OPS-200). */
export function serverUrl(): string {
  return new URL('../', document.baseURI.split('#')[0]).href.replace(/\/$/, '');
}

/**
 * Passes on what the server answered. Throws when something else answered in its place, such as the sign-in page of a
 * network: the SDK would take that for an empty answer.
 */
export function fromServer<Data>(response: Response, data: Data): Data {
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || response.status === 204 || type.startsWith('application/json')) return data;
  const message = 'Something else answered in place of the server. Check the connection, a sign-in page or a proxy.';
  throw new ClientResponseError({ url: response.url, status: response.status, data: { message } });
}

/** The session of the signed-in superuser. The key is ours: applications on the same host keep their own. */
export const api = new PocketBase(serverUrl(), new LocalAuthStore('roost_admin_auth'));
api.autoCancellation(false);

/** A client for the public pages: it never reads or stores the session of the admin (03 §16). */
export function publicApi(): PocketBase {
  const client = new PocketBase(serverUrl(), new BaseAuthStore());
  client.autoCancellation(false);
  client.afterSend = fromServer;
  return client;
}
