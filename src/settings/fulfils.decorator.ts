import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';

/** What is wrong with a value, which may depend on the object it belongs to. Every Rule and Check is one. */
export type DtoCheck<Dto = never> = (value: unknown, dto: Dto) => FieldError | FieldErrors | undefined;

/** What `@Fulfils` leaves with class-validator, for whoever turns its errors into ours. */
export interface FulfilsContext {
  readonly find: DtoCheck<object>;
}

/** Under this name class-validator reports a property that does not fulfil what it has to. */
export const FULFILS = 'fulfils';

/** The property has to pass the checks, in this order; the first that fails says what is wrong. */
export function Fulfils<Dto extends object>(...checks: readonly DtoCheck<Dto>[]): PropertyDecorator {
  const find = (value: unknown, dto: Dto) => {
    for (const check of checks) {
      const error = check(value, dto);
      if (error) return error;
    }
    return undefined;
  };
  return ValidateBy(
    {
      name: FULFILS,
      validator: {
        validate: (value, args?: ValidationArguments) => find(value, args!.object as Dto) === undefined,
        // Without any message class-validator leaves the context out.
        defaultMessage: () => 'This value is not valid.',
      },
    },
    { context: { find } },
  );
}

/** The checks apply only where the object says so, for example when it is switched on. */
export function where<Dto>(condition: (dto: Dto) => boolean, check: DtoCheck<Dto>): DtoCheck<Dto> {
  return (value, dto) => (condition(dto) ? check(value, dto) : undefined);
}
