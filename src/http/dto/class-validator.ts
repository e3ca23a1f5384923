import { createRequire } from 'node:module';
import type { ValidationError, ValidatorOptions } from './class-validator-parts.js';

type Library = typeof import('./class-validator-parts.js');

const require = createRequire(import.meta.url);

/** The decorators that wait for the library, in the order they were evaluated, which is that of their errors. */
const pending: ((library: Library) => void)[] = [];

/**
 * A decorator of class-validator, which is applied when an object is first checked: loading the library, 320 files with
 * all the formats it knows, would make every start and every command longer. The program of its own has what it uses of it
 * in one file (`bundle.mjs`).
 */
export function decorateLater(create: (library: Library) => PropertyDecorator): PropertyDecorator {
  return (target, property) => void pending.push((library) => create(library)(target, property));
}

/** What is wrong with an object, by all decorators of its class. */
export function validateObject(object: object, options?: ValidatorOptions): ValidationError[] {
  const library = require('class-validator') as Library;
  for (const apply of pending.splice(0)) apply(library);
  return library.validateSync(object, options);
}
