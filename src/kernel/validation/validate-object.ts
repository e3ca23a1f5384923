import type { FieldError, FieldErrors } from '../errors/field-error.js';

/** What is wrong with a value: one error, a tree of them when the value has parts, or nothing. Every Rule is one. */
export type Check = (value: unknown) => FieldError | FieldErrors | undefined;

/** Checks by property name. A list of checks runs in order and stops at the first that fails. */
export interface Shape {
  readonly [property: string]: Check | readonly Check[];
}

/**
 * Runs the checks of a shape over an object and collects everything that is wrong, `{}` when nothing is. Properties
 * without a check are not looked at; a property that is missing is checked as undefined.
 */
export function validateObject(value: unknown, shape: Shape): FieldErrors {
  const properties = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const errors: Record<string, FieldError | FieldErrors> = {};
  for (const [property, checks] of Object.entries(shape)) {
    const check = typeof checks === 'function' ? checks : firstFailing(...checks);
    const error = check(Object.hasOwn(properties, property) ? properties[property] : undefined);
    if (error) errors[property] = error;
  }
  return errors;
}

/** True when a collected tree says that nothing is wrong. */
export function isFine(errors: FieldErrors): boolean {
  return Object.keys(errors).length === 0;
}

/** All of the checks, up to the first that fails. */
export function firstFailing(...checks: readonly Check[]): Check {
  return (value) => {
    for (const check of checks) {
      const error = check(value);
      if (error) return error;
    }
    return undefined;
  };
}

/** The checks apply only when the condition holds, for example when a section is switched on. */
export function when(condition: boolean, ...checks: readonly Check[]): Check {
  return condition ? firstFailing(...checks) : () => undefined;
}

/** An object with a shape of its own. */
export function object(shape: Shape): Check {
  return (value) => orUndefined(validateObject(value, shape));
}

/** A list whose items all pass; errors are keyed by decimal index. */
export function each(...checks: readonly Check[]): Check {
  const check = firstFailing(...checks);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const errors: Record<string, FieldError | FieldErrors> = {};
    value.forEach((item, index) => {
      const error = check(item);
      if (error) errors[String(index)] = error;
    });
    return orUndefined(errors);
  };
}

function orUndefined(errors: FieldErrors): FieldErrors | undefined {
  return isFine(errors) ? undefined : errors;
}
