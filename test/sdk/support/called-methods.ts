import type PocketBase from 'pocketbase';

/** The classes of the SDK by what one writes to reach them. */
export const SDK_CLASSES: Readonly<Record<string, string>> = {
  Client: 'client',
  BaseAuthStore: 'client.authStore',
  RecordService: 'client.collection(name)',
  CollectionService: 'client.collections',
  FileService: 'client.files',
  BatchService: 'client.createBatch()',
  SubBatchService: 'client.createBatch().collection(name)',
  RealtimeService: 'client.realtime',
  SettingsService: 'client.settings',
  LogService: 'client.logs',
  BackupService: 'client.backups',
  CronService: 'client.crons',
  HealthService: 'client.health',
  SQLService: 'client.sql',
};

/** Notes which methods are called from outside and succeed. Runs in Node.js and, as it stands, in a page. */
export class CalledMethods {
  private readonly succeeded = new Set<string>();

  /** The names of those that succeeded, such as `client.logs.getOne`. */
  names(): string[] {
    return [...this.succeeded];
  }

  /** The same client, watched. */
  watch(client: PocketBase): PocketBase {
    return this.wrap(client, 'client');
  }

  private wrap<T extends object>(target: T, path: string): T {
    return new Proxy(target, {
      get: (object, key) => {
        const value: unknown = Reflect.get(object, key, object);
        const name = `${path}.${String(key)}`;
        if (typeof value === 'function') return this.wrapMethod(object, value as () => unknown, name);
        return isService(value, name) ? this.wrap(value, name) : value;
      },
    });
  }

  private wrapMethod(object: object, method: (...values: unknown[]) => unknown, name: string) {
    return (...values: unknown[]): unknown => {
      const result = method.apply(object, values);
      if (result instanceof Promise) return result.then((value: unknown) => this.note(name, value));
      return this.note(name, result);
    };
  }

  private note(name: string, result: unknown): unknown {
    this.succeeded.add(name);
    if (name.endsWith('.collection')) return this.wrap(result as object, `${name}(name)`);
    return name === 'client.createBatch' ? this.wrap(result as object, 'client.createBatch()') : result;
  }
}

function isService(value: unknown, name: string): value is object {
  return typeof value === 'object' && value !== null && Object.values(SDK_CLASSES).includes(name);
}
