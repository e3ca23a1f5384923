import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from './field-definition.js';
import { withFieldIds } from './field-ids.js';

const field = (type: string, name: string, id = '') => ({ type, name, id }) as FieldDefinition;
const idsOf = (...fields: FieldDefinition[]) => withFieldIds(fields).map(({ id }) => id);

describe('field ids', () => {
  it('COL-27 follow from type and name', () => {
    expect(
      idsOf(
        field('text', 'id'),
        field('password', 'password'),
        field('text', 'tokenKey'),
        field('email', 'email'),
        field('bool', 'emailVisibility'),
        field('bool', 'verified'),
        field('autodate', 'created'),
        field('autodate', 'updated'),
        field('text', 'title'),
      ),
    ).toEqual([
      'text3208210256',
      'password901924565',
      'text2504183744',
      'email3885137012',
      'bool1547992806',
      'bool256245529',
      'autodate2990389176',
      'autodate3332085495',
      'text724990059',
    ]);
  });

  it('COL-27 given ids stay, and a taken one gets a counter', () => {
    expect(idsOf(field('text', 'title', 'mine'))).toEqual(['mine']);
    expect(
      idsOf(
        field('text', 'title'),
        field('bool', 'x', 'text724990059'),
        field('text', 'title'),
        field('text', 'title'),
      ),
    ).toEqual(['text7249900592', 'text724990059', 'text7249900593', 'text7249900594']);
  });
});
