import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError as DtoError } from 'class-validator';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { FieldError, FieldErrors } from '../../kernel/errors/field-error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { isFine } from '../../kernel/validation/validate-object.js';
import { nameOfTopmost, toFieldErrors } from '../dto-errors.js';
import { type CheckContext, FORM } from './validators.js';

/** What was sent, and whether as a form. */
export interface SentValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly isForm: boolean;
}

/**
 * The properties of a class as they were sent; those that are missing or null are what the class begins with. Throws 400
 * without data when a value has another JSON type (AUTH-102). What is declared as an object of any shape is taken as it
 * is, everything else as the decorators of class-transformer say.
 */
export function readDto<Dto extends object>(type: Type<Dto>, { values, isForm }: SentValues): Dto {
  const shaped: Record<string, unknown> = {};
  const free: Record<string, unknown> = {};
  for (const key of Object.keys(new type())) {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    const isFree = Reflect.getMetadata('design:type', type.prototype as object, key) === Object;
    if (isFree && value !== undefined && value !== null) free[key] = value;
    // In a form even a missing value may mean something, such as an empty list.
    else if (value !== null) shaped[key] = value;
  }
  const options = { exposeDefaultValues: true, groups: isForm ? [FORM] : [] };
  const dto = Object.assign(plainToInstance(type, shaped, options), free);
  for (const error of validate(dto)) requireType(error);
  return dto;
}

/**
 * Throws a ValidationError that names everything that is wrong with the properties of a DTO, in their order: by its
 * decorators, else as found by who knows more, for example whether a token is good.
 */
export function requireValid(dto: object, found: Readonly<Record<string, FieldError | undefined>> = {}): void {
  const declared = toFieldErrors(validate(dto), findError);
  const errors: Record<string, FieldError | FieldErrors> = {};
  for (const key of Object.keys(dto)) {
    const error = declared[key] ?? found[key];
    if (error) errors[key] = error;
  }
  if (!isFine(errors)) throw new ValidationError(errors);
}

function validate(dto: object): DtoError[] {
  return validateSync(dto, { forbidUnknownValues: false });
}

function requireType({ constraints = {}, contexts }: DtoError): void {
  for (const [name, context] of Object.entries((contexts ?? {}) as Record<string, CheckContext>)) {
    if (context.isWrongType) throw new BadRequestError(constraints[name]);
  }
}

/** The check is asked once more: class-validator keeps only that it failed. */
function findError(error: DtoError): FieldError | FieldErrors {
  const { find } = error.contexts![nameOfTopmost(error)!] as Required<CheckContext>;
  return find(error.value, error.target!)!;
}
