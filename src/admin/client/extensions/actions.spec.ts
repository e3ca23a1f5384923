import { describe, expect, it } from 'vitest';
import { actionsFor } from './actions.js';

const extension = (actions: object[]) =>
  ({ script: '/_/extensions/x.js', fieldTypes: [], pages: [], actions }) as never;

describe('actionsFor', () => {
  it('UI-75 finds the actions of a collection by its name or id, and those that name none', () => {
    const extensions = [
      extension([
        { label: 'A', run: 'a' },
        { label: 'B', run: 'b', collections: ['posts'] },
        { label: 'C', run: 'c', collections: ['pbc_1'] },
      ]),
      extension([{ label: 'D', run: 'd', collections: [] }]),
    ];
    const labels = (id: string, name: string) => actionsFor({ id, name }, extensions).map(({ label }) => label);
    expect(labels('pbc_1', 'posts')).toEqual(['A', 'B', 'C']);
    expect(labels('pbc_2', 'pages')).toEqual(['A']);
  });
});
