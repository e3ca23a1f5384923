import { describe, expect, it } from 'vitest';
import type { Upload } from '../files/upload.js';
import type { FieldChecks } from './field-checks.js';
import { FileField, type FileDefinition } from './file-field.js';

const type = new FileField();
const field = (options: Partial<FileDefinition> = {}) =>
  ({
    required: false,
    maxSize: 0,
    maxSelect: 0,
    mimeTypes: null,
    thumbs: null,
    protected: false,
    ...options,
  }) as FileDefinition;

function upload(name: string, options: Partial<Upload> = {}): Upload {
  return {
    name,
    originalName: name,
    size: 10,
    truncated: false,
    mimeType: 'image/png',
    md5: '',
    path: '',
    ...options,
  };
}

function checks(original: unknown, uploads: readonly Upload[] = []): FieldChecks {
  return { original: () => original, uploads: () => uploads } as unknown as FieldChecks;
}

describe('file fields', () => {
  it('FS-1 COL-72 take one file of any type and 5 MiB that needs no token, unless told otherwise', () => {
    const defaults = Object.entries(type.options).map(([name, option]) => [name, option.default]);
    expect(Object.fromEntries(defaults)).toEqual({
      maxSize: 0,
      maxSelect: 0,
      mimeTypes: null,
      thumbs: null,
      protected: false,
    });
  });

  it('FS-2 COL-72 hold names, one or several', () => {
    expect(type.normalize('a.png', field())).toBe('a.png');
    expect(type.normalize(['a.png', 'b.png'], field())).toBe('b.png');
    expect(type.normalize(['a.png', 'a.png'], field({ maxSelect: 2 }))).toEqual(['a.png']);
    expect(type.normalize(null, field({ maxSelect: 2 }))).toEqual([]);
    expect(type.column(field({ maxSelect: 2 }))).toBe('jsonArray');
    expect(type.holdsFiles).toBe(true);
  });

  it('FS-10 an empty value fails only where files are required', () => {
    expect(type.validate('', field({ required: true }), checks(''))?.code).toBe('validation_required');
    expect(type.validate([], field({ required: true, maxSelect: 2 }), checks([]))?.code).toBe('validation_required');
    expect(type.validate('', field(), checks('a.png'))).toBeUndefined();
  });

  it('FS-10 BODY-8 a name has to be stored already or to be of an upload', () => {
    const many = field({ maxSelect: 3 });
    expect(type.validate(['a.png', 'x.png'], many, checks(['a.png']))?.code).toBe('validation_invalid_file');
    expect(type.validate(['b.png', 'a.png'], many, checks(['a.png', 'b.png']))).toBeUndefined();
    expect(type.validate(['a.png', 'n.png'], many, checks(['a.png'], [upload('n.png')]))).toBeUndefined();
    expect(type.validate('a.png', field(), checks(undefined))?.code).toBe('validation_invalid_file');
  });

  it('FS-10 FS-11 the number of files counts stored ones too', () => {
    const value = ['a.png', 'b.png', 'n.png'];
    expect(type.validate(value, field({ maxSelect: 2 }), checks(['a.png', 'b.png'], [upload('n.png')]))).toMatchObject({
      code: 'validation_too_many_files',
      params: { maxSelect: 2 },
    });
  });

  it('FS-10 a new file may be as large as maxSize, 5 MiB by default, and no larger', () => {
    const check = (options: Partial<Upload>, maxSize = 0) =>
      type.validate('n.png', field({ maxSize }), checks('', [upload('n.png', options)]));
    expect(check({ size: 5242880 })).toBeUndefined();
    expect(check({ size: 5242881 })).toMatchObject({
      code: 'validation_file_size_limit',
      params: { maxSize: 5242880 },
    });
    expect(check({ size: 11 }, 10)?.code).toBe('validation_file_size_limit');
    expect(check({ size: 10 }, 10)).toBeUndefined();
  });

  it('FS-16 a file that was cut off is too large', () => {
    const cut = upload('n.png', { size: 5, truncated: true });
    expect(type.validate('n.png', field(), checks('', [cut]))?.code).toBe('validation_file_size_limit');
  });

  it('FS-14 an empty file is a file', () => {
    expect(
      type.validate('n.png', field({ required: true }), checks('', [upload('n.png', { size: 0 })])),
    ).toBeUndefined();
  });

  it('FS-10 FS-12 the detected type has to be among the allowed ones', () => {
    const check = (mimeType: string, mimeTypes: string[] | null) =>
      type.validate('n.png', field({ mimeTypes }), checks('', [upload('n.png', { mimeType })]))?.code;
    expect(check('image/png', ['image/jpeg'])).toBe('validation_invalid_mime_type');
    expect(check('image/jpeg', ['image/jpg'])).toBeUndefined();
    expect(check('anything', null)).toBeUndefined();
    expect(check('anything', [])).toBeUndefined();
  });

  it('FS-11 stored files are not judged again', () => {
    expect(type.validate('a.png', field({ maxSize: 1, mimeTypes: ['image/jpeg'] }), checks('a.png'))).toBeUndefined();
  });

  it('FS-10 the first thing wrong is told: names, number, size, type', () => {
    const large = upload('n.png', { size: 99, mimeType: 'text/plain' });
    const strict = field({ maxSelect: 2, maxSize: 10, mimeTypes: ['image/png'] });
    const codeOf = (names: string[]) => type.validate(names, strict, checks(['a', 'b'], [large]))?.code;
    expect(codeOf(['a', 'b', 'x', 'n.png'])).toBe('validation_invalid_file');
    expect(codeOf(['a', 'b', 'n.png'])).toBe('validation_too_many_files');
    expect(codeOf(['a', 'n.png'])).toBe('validation_file_size_limit');
  });

  it('FS-1 options', () => {
    expect(type.checkOptions(field({ thumbs: ['100x100', '0x5t', '5x0', '9x9f'] }))).toEqual({});
    expect(type.checkOptions(field({ thumbs: ['100x100', 'big', '0x0', '0x0f', '1x1z'] }))).toEqual({
      thumbs: {
        '1': expect.objectContaining({ code: 'validation_match_invalid' }),
        '2': expect.objectContaining({ code: 'validation_not_in_invalid' }),
        '3': expect.objectContaining({ code: 'validation_not_in_invalid' }),
        '4': expect.objectContaining({ code: 'validation_match_invalid' }),
      },
    });
    expect(type.checkOptions(field({ maxSize: -1, maxSelect: 2 ** 53 }))).toMatchObject({
      maxSize: { code: 'validation_min_greater_equal_than_required' },
      maxSelect: { code: 'validation_max_less_equal_than_required' },
    });
    expect(type.checkOptions(field({ maxSize: 2 ** 53 - 1, maxSelect: 2 ** 53 - 1 }))).toEqual({});
  });

  it('REC-13 FS-15 a body may be longer by all the files the field takes', () => {
    expect(type.bodyAllowance(field())).toBe(5242880);
    expect(type.bodyAllowance(field({ maxSize: 10, maxSelect: 3 }))).toBe(30);
    expect(type.bodyAllowance(field({ maxSize: 10, maxSelect: 1 }))).toBe(10);
  });
});
