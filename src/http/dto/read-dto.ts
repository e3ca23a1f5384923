import type { Type } from '@nestjs/common';
import type { ValidationError as DtoError } from 'class-validator';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { FieldError, FieldErrors } from '../../kernel/errors/field-error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { inSlices } from '../event-loop/event-loop-turn.js';
import { isJsonObject } from '../../kernel/json-object.js';
import { isFine } from '../../kernel/validation/validate-object.js';
import { validateObject } from './class-validator.js';
import { nameOfTopmost, toFieldErrors } from './dto-errors.js';
import { type CheckContext, FROM_FORM, type textOf } from './validators.js';

/** What was sent, and whether as a form. */
export interface SentValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly isForm: boolean;
}

/** What is wrong with properties. */
type Findings = Readonly<Record<string, FieldError | FieldErrors | undefined>>;

/**
 * The properties of a class as they were sent; those that are missing or null are what the class begins with. Throws
 * 400 without data when a value has another JSON type (AUTH-102).
 */
export function readDto<Dto extends object>(type: Type<Dto>, sent: SentValues): Dto {
  const dto = toInstance(type, sent);
  requireTypes(validate(dto));
  return dto;
}

/** As `readDto`. Throws a ValidationError for what the decorators of the class do not allow (AUTH-103). */
export function readValidDto<Dto extends object>(type: Type<Dto>, sent: SentValues): Dto {
  const dto = toInstance(type, sent);
  const errors = validate(dto);
  requireTypes(errors);
  requireFine(dto, toFieldErrors(errors, findError));
  return dto;
}

/**
 * Throws a ValidationError that names everything that is wrong with the properties of a DTO, in their order: by its
 * decorators, else as found by who knows more, for example whether a token is good.
 */
export function requireValid(dto: object, found: Readonly<Record<string, FieldError | undefined>> = {}): void {
  requireFine(dto, { ...found, ...toFieldErrors(validate(dto), findError) });
}

/**
 * The items of the list of this name, each read as by `readValidDto`: a wrong type in any of them is refused before
 * whatever else is wrong. There may be thousands of them, between which others have their turn (OPS-39).
 */
export function readValidDtos<Dto extends object>(
  type: Type<Dto>,
  list: string,
  items: readonly unknown[],
): Promise<Dto[]> {
  return inSlices(validDtos(type, list, items));
}

function* validDtos<Dto extends object>(
  type: Type<Dto>,
  list: string,
  items: readonly unknown[],
): Generator<void, Dto[]> {
  const dtos: Dto[] = [];
  const errors: Record<string, FieldErrors> = {};
  for (const [index, values] of items.entries()) {
    if (!isJsonObject(values)) throw new BadRequestError(`"${list}.${index}" has the wrong type.`);
    const dto = toInstance(type, { values, isForm: false });
    const found = validate(dto);
    requireTypes(found, `${list}.${index}.`);
    if (found.length > 0) errors[index] = inDeclaredOrder(dto, toFieldErrors(found, findError));
    dtos.push(dto);
    yield;
  }
  if (!isFine(errors)) throw new ValidationError({ [list]: errors });
  return dtos;
}

function toInstance<Dto extends object>(type: Type<Dto>, { values, isForm }: SentValues): Dto {
  const dto = new type() as Record<string, unknown>;
  for (const key of Object.keys(dto)) {
    const sent = Object.hasOwn(values, key) ? values[key] : undefined;
    const convert = isForm ? (Reflect.getMetadata(FROM_FORM, dto, key) as typeof textOf | undefined) : undefined;
    dto[key] = (convert ? convert(sent) : sent) ?? dto[key];
  }
  return dto as Dto;
}

function validate(dto: object): DtoError[] {
  return validateObject(dto, { forbidUnknownValues: false });
}

function requireTypes(errors: readonly DtoError[], path = ''): void {
  for (const { property, constraints = {}, contexts = {} } of errors) {
    for (const [name, context] of Object.entries(contexts as Record<string, CheckContext>)) {
      if (context.isWrongType)
        throw new BadRequestError(constraints[name]!.replace(`"${property}`, `"${path}${property}`));
    }
  }
}

function requireFine(dto: object, errors: Findings): void {
  const found = inDeclaredOrder(dto, errors);
  if (!isFine(found)) throw new ValidationError(found);
}

/** In the order in which the class declares its properties. */
function inDeclaredOrder(dto: object, errors: Findings): FieldErrors {
  const found: Record<string, FieldError | FieldErrors> = {};
  for (const key of Object.keys(dto)) {
    const error = errors[key];
    if (error) found[key] = error;
  }
  return found;
}

/** Runs the check again for its code and parameters, because class-validator keeps only that it failed. */
export function findError(error: DtoError): FieldError | FieldErrors {
  const { find } = error.contexts![nameOfTopmost(error)!] as Required<CheckContext>;
  return find(error.value, error.target!)!;
}
