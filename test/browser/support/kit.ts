import PocketBase, { BaseAuthStore } from 'pocketbase';
import { CalledMethods } from '../../sdk/support/called-methods.js';

const called = new CalledMethods();
const origin = new URLSearchParams(location.search).get('roost')!;

/** What the page of the browser tests offers to the functions that are evaluated in it, as `window.kit`. */
export const kit = {
  origin,
  /** The methods of the SDK that succeeded in this page. */
  called: () => called.names(),
  /** A client that remembers its account where browsers do. */
  client: () => made(new PocketBase(origin)),
  /** A client that shares its account with nobody. */
  stranger: () => made(new PocketBase(origin, new BaseAuthStore())),
};

function made(client: PocketBase): PocketBase {
  client.autoCancellation(false);
  return called.watch(client);
}

declare global {
  interface Window {
    kit: typeof kit;
  }
}

window.kit = kit;
