import { describe, expect, it } from 'vitest';
import { readDto, readValidDto, readValidDtos, requireValid } from '../../src/http/dto/read-dto.js';
import {
  HasBytes,
  IsEqualTo,
  IsFlag,
  IsJsonObject,
  IsList,
  IsRequired,
  IsText,
  IsWholeNumber,
} from '../../src/http/dto/validators.js';
import { fieldError } from '../../src/kernel/errors/error-codes.js';
import type { ApiError } from '../../src/kernel/errors/api-error.js';

class Form {
  @IsText()
  @IsRequired()
  @HasBytes(1, 4)
  readonly name: string = '';

  @IsText()
  @IsEqualTo<Form>('name')
  readonly again: string = '';

  @IsWholeNumber()
  readonly count: number = 7;

  @IsFlag()
  readonly open: boolean = false;

  @IsList({ message: 'A list, please.' })
  readonly list: readonly unknown[] = [];

  @IsJsonObject()
  readonly data: Readonly<Record<string, unknown>> = {};
}

const json = (values: Record<string, unknown>) => ({ values, isForm: false });

function refusal(work: () => unknown): Pick<ApiError, 'status' | 'message' | 'data'> {
  try {
    work();
  } catch (error) {
    const { status, message, data } = error as ApiError;
    return { status, message, data };
  }
  throw new Error('It was not refused.');
}

/** Property and code, in the order of the answer. */
const codes = (work: () => unknown) =>
  Object.entries(refusal(work).data).map(([name, error]) => [name, (error as { code: string }).code]);

describe('the form of a body', () => {
  it('AUTH-102 takes what is declared, null and nothing as what the class begins with', () => {
    const dto = readValidDto(Form, json({ name: 'a', again: 'a', count: null, other: 1, constructor: 2 }));
    expect(dto).toBeInstanceOf(Form);
    expect({ ...dto }).toEqual({ name: 'a', again: 'a', count: 7, open: false, list: [], data: {} });
  });

  it.each([
    [{ name: 5 }, '"name" has the wrong type.'],
    [{ name: ['a'] }, '"name" has the wrong type.'],
    [{ count: 1.5 }, '"count" has the wrong type.'],
    [{ count: 2 ** 53 }, '"count" has the wrong type.'],
    [{ count: '1' }, '"count" has the wrong type.'],
    [{ open: 'true' }, '"open" has the wrong type.'],
    [{ list: {} }, 'A list, please.'],
    [{ data: [] }, '"data" has the wrong type.'],
    // Before all that is wrong with values.
    [{ name: 'too long', data: 1 }, '"data" has the wrong type.'],
  ])('AUTH-102 refuses another JSON type without data: %j', (values, message) => {
    expect(refusal(() => readValidDto(Form, json(values)))).toEqual({ status: 400, message, data: {} });
  });

  it('AUTH-102 makes texts again of what a form was taken for, and of nothing else', () => {
    const values = { name: 1e21, again: true, count: 3, data: { constructor: 1 } };
    const dto = readDto(Form, { values, isForm: true });
    expect(dto).toMatchObject({ name: '1000000000000000000000', again: 'true', count: 3 });
    expect(dto.data).toBe(values.data);
    expect(refusal(() => readDto(Form, { values: { name: ['a'] }, isForm: true })).status).toBe(400);
  });

  it('AUTH-103 names everything that is wrong in the order of the class, one thing for each value', () => {
    const wrong = json({ again: 'x' });
    expect(codes(() => readValidDto(Form, wrong))).toEqual([
      ['name', 'validation_required'],
      ['again', 'validation_values_mismatch'],
    ]);
    expect(refusal(() => readValidDto(Form, json({ name: 'äöü', again: 'äöü' }))).data).toEqual({
      name: { code: 'validation_length_out_of_range', message: expect.any(String), params: { min: 1, max: 4 } },
    });
  });

  it('AUTH-103 names what others have found beside that, where the class has nothing to say', () => {
    const dto = readDto(Form, json({ again: 'x', data: { a: 1 } }));
    const found = { data: fieldError('validation_invalid_value'), name: fieldError('validation_not_unique') };
    expect(codes(() => requireValid(dto, { ...found, count: undefined }))).toEqual([
      ['name', 'validation_required'],
      ['again', 'validation_values_mismatch'],
      ['data', 'validation_invalid_value'],
    ]);
    const fine = readDto(Form, json({ name: 'a', again: 'a' }));
    expect(() => requireValid(fine, { name: undefined })).not.toThrow();
    expect(codes(() => requireValid(fine, { name: found.name }))).toEqual([['name', 'validation_not_unique']]);
  });

  it('BAT-3 BAT-5 says where in a list, and wrong types of any item first', async () => {
    const fine = { name: 'a', again: 'a' };
    const read = (...items: readonly unknown[]) => readValidDtos(Form, 'items', items);
    await expect(read({}, { ...fine, count: 'x' })).rejects.toThrow('"items.1.count" has the wrong type.');
    await expect(read(fine, null)).rejects.toThrow('"items.1" has the wrong type.');
    await expect(read(fine, {})).rejects.toMatchObject({
      data: { items: { 1: { name: fieldError('validation_required') } } },
    });
  });
});
