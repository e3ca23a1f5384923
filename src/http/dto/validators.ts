import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import type { ValidationArguments, ValidationOptions } from 'class-validator';
import { decimalText } from '../../kernel/decimal-text.js';
import type { FieldError, FieldErrors } from '../../kernel/errors/field-error.js';
import { isJsonObject } from '../../kernel/json-object.js';
import * as rules from '../../kernel/validation/rules.js';
import { byteLength } from '../../kernel/validation/text-length.js';
import { each } from '../../kernel/validation/validate-object.js';
import { decorateLater } from './class-validator.js';

/** What is wrong with a property, which may depend on the object it belongs to. Every Rule and Check is one. */
export type DtoCheck<Dto = never> = (value: unknown, dto: Dto) => FieldError | FieldErrors | undefined;

/** What our decorators pass to `toFieldErrors` through class-validator's context. */
export interface CheckContext {
  /** The JSON type is another one: 400 without data, with the decorator's message. */
  readonly isWrongType?: true;
  /** What exactly is wrong: class-validator has no place for codes and parameters. */
  readonly find?: DtoCheck<object>;
}

/** Metadata key of what `@FromForm` was given. */
export const FROM_FORM = 'roost:from-form';

/**
 * What a value is when the body is a form, which has texts only. class-transformer is not asked: it trusts the
 * `constructor` of what was sent.
 */
export function FromForm(convert: (value: unknown) => unknown): PropertyDecorator {
  return (target, property) => Reflect.defineMetadata(FROM_FORM, convert, target, property);
}

const WRONG_TYPE: ValidationOptions = {
  message: '"$property" has the wrong type.',
  context: { isWrongType: true } satisfies CheckContext,
};

// The JSON type of a value. They take class-validator's options, of which the message is the one of the answer.

/** A text. In a form what looks like a number or a boolean is turned back into what was sent. */
export function IsText(options?: ValidationOptions): PropertyDecorator {
  return applyDecorators(
    decorateLater(({ IsString }) => IsString({ ...WRONG_TYPE, ...options })),
    FromForm(textOf),
  );
}

/** A whole number that JavaScript can tell from its neighbours. */
export function IsWholeNumber(options?: ValidationOptions): PropertyDecorator {
  const validator = { validate: (value: unknown) => Number.isSafeInteger(value) };
  return decorateLater(({ ValidateBy }) =>
    ValidateBy({ name: 'isWholeNumber', validator }, { ...WRONG_TYPE, ...options }),
  );
}

export function IsFlag(options?: ValidationOptions): PropertyDecorator {
  return decorateLater(({ IsBoolean }) => IsBoolean({ ...WRONG_TYPE, ...options }));
}

export function IsJsonObject(options?: ValidationOptions): PropertyDecorator {
  return decorateLater(({ IsObject }) => IsObject({ ...WRONG_TYPE, ...options }));
}

/** An object of which all values are texts. */
export function IsTexts(options?: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown) =>
    isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
  return decorateLater(({ ValidateBy }) =>
    ValidateBy({ name: 'isTexts', validator: { validate } }, { ...WRONG_TYPE, ...options }),
  );
}

export function IsList(options?: ValidationOptions): PropertyDecorator {
  return decorateLater(({ IsArray }) => IsArray({ ...WRONG_TYPE, ...options }));
}

/** An object of a class that has decorators of its own, or a list of such. */
export function IsNested(options?: ValidationOptions): PropertyDecorator {
  return decorateLater(({ ValidateNested }) => ValidateNested(options));
}

// The rules of the kernel, with the codes of the wire. As there, what is empty passes all of them but `IsRequired`.

export const IsRequired = () => Fulfils('isRequired', rules.required);
export const IsEmailAddress = () => Fulfils('isEmailAddress', rules.email);
export const IsHost = () => Fulfils('isHost', rules.host);
export const IsWebAddress = () => Fulfils('isWebAddress', rules.urlOrHost);
export const IsAppAddress = () => Fulfils('isAppAddress', rules.urlOrHostPort);
export const IsColor = () => Fulfils('isColor', rules.hexColor);
export const IsCron = () => Fulfils('isCron', rules.cron);
export const IsAtLeast = (threshold: number) => Fulfils('isAtLeast', rules.atLeast(threshold));
export const IsAtMost = (threshold: number) => Fulfils('isAtMost', rules.atMost(threshold));
export const IsOneOf = (...values: readonly unknown[]) => Fulfils('isOneOf', rules.oneOf(...values));
export const HasPattern = (pattern: RegExp) => Fulfils('hasPattern', rules.pattern(pattern));
/** Characters. */
export const HasLength = (min: number, max: number) => Fulfils('hasLength', rules.length(min, max));
export const HasExactLength = (size: number) => Fulfils('hasExactLength', rules.exactLength(size));
/** Characters, or items of a list. */
export const HasMaxLength = (max: number) => Fulfils('hasMaxLength', rules.maxLength(max));
export const HasBytes = (min: number, max: number) => Fulfils('hasBytes', rules.length(min, max, byteLength));
/** An IP address or a range in each item; none of them may be empty. */
export const AreIpsOrSubnets = () => Fulfils('areIpsOrSubnets', each(rules.required, rules.ipOrSubnet));

/** The same as another property, also when both are empty. */
export function IsEqualTo<Dto>(property: keyof Dto & string): PropertyDecorator {
  return Fulfils<Dto>('isEqualTo', (value, dto) => rules.equalTo(dto[property])(value));
}

/** Filled in wherever the object says so, for example when it is switched on. */
export function IsRequiredWhen<Dto>(condition: (dto: Dto) => boolean): PropertyDecorator {
  return Fulfils<Dto>('isRequiredWhen', (value, dto) => (condition(dto) ? rules.required(value) : undefined));
}

/** A decorator of class-validator that says whatever the check finds. */
export function Fulfils<Dto = object>(name: string, check: DtoCheck<Dto>): PropertyDecorator {
  const find = check as DtoCheck<object>;
  const validator = {
    validate: (value: unknown, args?: ValidationArguments) => find(value, args!.object) === undefined,
    // Without any message class-validator leaves the context out.
    defaultMessage: () => 'This value is not valid.',
  };
  const context: CheckContext = { find };
  return decorateLater(({ ValidateBy }) => ValidateBy({ name, validator }, { context }));
}

/** What a form made of a text that looks like a number or a boolean is a text again. */
export function textOf(value: unknown): unknown {
  if (typeof value === 'number') return decimalText(value);
  return typeof value === 'boolean' ? String(value) : value;
}
