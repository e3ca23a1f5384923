import { describe, expect, it } from 'vitest';
import { EditorField, type EditorDefinition } from './editor-field.js';

const type = new EditorField();
const field = (options: Partial<EditorDefinition> = {}) =>
  ({ required: false, maxSize: 0, convertURLs: false, ...options }) as EditorDefinition;

describe('editor fields', () => {
  it('COL-63 keep HTML as it is given', () => {
    const html = '<p onclick="x()">é</p><script>1</script>';
    expect(type.fromColumn(type.toColumn(type.normalize(html)))).toBe(html);
    expect(type.normalize(5)).toBe('5');
    expect(type.column(field())).toBe('text');
    expect(type.operandKind()).toBe('T');
  });

  it('COL-63 count UTF-8 bytes', () => {
    expect(type.validate('éé', field({ maxSize: 4 }))).toBeUndefined();
    expect(type.validate('ééx', field({ maxSize: 4 }))).toMatchObject({
      code: 'validation_content_size_limit',
      params: { maxSize: 4 },
    });
    expect(type.validate('x'.repeat(5242880), field())).toBeUndefined();
    expect(type.validate('x'.repeat(5242881), field())).toMatchObject({ params: { maxSize: 5242880 } });
  });

  it('COL-55 required', () => {
    expect(type.validate('', field({ required: true }))?.code).toBe('validation_required');
    expect(type.validate('', field())).toBeUndefined();
  });

  it('REC-13 a body may be longer by what the field takes', () => {
    expect(type.bodyAllowance(field())).toBe(5242880);
    expect(type.bodyAllowance(field({ maxSize: 7 }))).toBe(7);
  });

  it('COL-59 the limit is a whole number that is not negative', () => {
    expect(type.checkOptions(field({ maxSize: -1 }))).toHaveProperty(
      'maxSize.code',
      'validation_min_greater_equal_than_required',
    );
    expect(type.checkOptions(field())).toEqual({});
  });
});
