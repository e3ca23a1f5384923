import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SDK_CLASSES } from './called-methods.js';

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
  return Object.entries(SDK_CLASSES).flatMap(([name, path]) => {
    const { methods, isCrud } = own(name);
    const all = new Set([...(isCrud ? crud : []), ...methods]);
    return [...all].filter((method) => !INTERNAL.has(method)).map((method) => `${path}.${method}`);
  });
}
