import type { RequestAnswers, RequestChannel } from '../instances/instance-link.js';
import type { CountedWindow, EphemeralStore, EphemeralValue } from './ephemeral-store.js';

type Method = keyof EphemeralStore;

/** A store in another process, shared by all that use it. */
export class RemoteEphemeralStore implements EphemeralStore {
  constructor(private readonly channel: RequestChannel) {}

  get(key: string): Promise<EphemeralValue | undefined> {
    return this.ask('get', key);
  }

  set(key: string, value: EphemeralValue, milliseconds: number): Promise<void> {
    return this.ask('set', key, value, milliseconds);
  }

  setIfAbsent(key: string, value: EphemeralValue, milliseconds: number): Promise<boolean> {
    return this.ask('setIfAbsent', key, value, milliseconds);
  }

  take(key: string): Promise<EphemeralValue | undefined> {
    return this.ask('take', key);
  }

  delete(key: string): Promise<void> {
    return this.ask('delete', key);
  }

  count(key: string, milliseconds: number): Promise<CountedWindow> {
    return this.ask('count', key, milliseconds);
  }

  read(key: string): Promise<CountedWindow | undefined> {
    return this.ask('read', key);
  }

  private ask<M extends Method>(
    method: M,
    ...args: Parameters<EphemeralStore[M]>
  ): Promise<Awaited<ReturnType<EphemeralStore[M]>>> {
    return this.channel.request(requestOf(method), args) as Promise<Awaited<ReturnType<EphemeralStore[M]>>>;
  }
}

/** Handlers in this process for the remote stores of others. */
export function ephemeralAnswers(store: EphemeralStore): RequestAnswers {
  const methods: readonly Method[] = ['get', 'set', 'setIfAbsent', 'take', 'delete', 'count', 'read'];
  const asked = store as Record<Method, (...args: readonly unknown[]) => unknown>;
  return Object.fromEntries(
    methods.map((method) => [requestOf(method), (payload: unknown) => asked[method](...(payload as unknown[]))]),
  );
}

function requestOf(method: Method): string {
  return `ephemeral.${method}`;
}
