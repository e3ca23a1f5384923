import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type PocketBase from 'pocketbase';

/** The classes of the SDK by what one writes to reach them. */
const CLASSES: Readonly<Record<string, string>> = {
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

/** Inherited and public by declaration, but for the SDK's own use. */
const INTERNAL = new Set(['decode', 'constructor']);

const PACKAGE = dirname(dirname(createRequire(import.meta.url).resolve('pocketbase')));

/** The version of the installed SDK. */
export const SDK_VERSION = (JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string })
  .version;

/** Every public method of the SDK, as `client.logs.getOne`, from its declarations. */
export function publicMethods(): string[] {
  const text = readFileSync(join(PACKAGE, 'dist/pocketbase.es.d.ts'), 'utf8');
  const own = (name: string) => {
    const start = new RegExp(`^(?:declare )?(?:abstract )?class ${name}\\b.*$`, 'm').exec(text)!;
    const body = text.slice(start.index, text.indexOf('\n}', start.index));
    const methods = [...body.matchAll(/^ {4}(?:async )?(\w+)(?:<.*?>)?\(/gm)].map((match) => match[1]!);
    return { methods, isCrud: / extends CrudService\b/.test(start[0]) };
  };
  const crud = own('CrudService').methods;
  return Object.entries(CLASSES).flatMap(([name, path]) => {
    const { methods, isCrud } = own(name);
    const all = new Set([...(isCrud ? crud : []), ...methods]);
    return [...all].filter((method) => !INTERNAL.has(method)).map((method) => `${path}.${method}`);
  });
}

/** Notes which methods are called from outside and succeed. */
export class CalledMethods {
  private readonly succeeded = new Set<string>();

  has(method: string): boolean {
    return this.succeeded.has(method);
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
  return typeof value === 'object' && value !== null && Object.values(CLASSES).includes(name);
}
