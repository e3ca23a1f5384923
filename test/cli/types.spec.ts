import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { VisibleFields } from '../../src/collections/visible-fields.js';
import type { Collection } from '../../src/kernel/collections/collection.js';
import { declareCollections } from '../../src/kernel/collections/declare-collections.js';
import type { TestRoost } from '../../src/testing/index.js';
import { BLOG } from '../support/blog.js';
import { VIEW_OF_SECRETS } from '../support/view-of-secrets.js';
import { startRoost } from '../support/roost.js';
import { start, workspace } from './workspace.js';

describe('types of collections', () => {
  let roost: TestRoost;
  let text: string;

  beforeAll(async () => {
    roost = await startRoost();
    await roost.createCollections(
      ...BLOG,
      {
        name: '1st',
        type: 'base',
        fields: [
          { name: 'odd', type: 'select', values: ["it's", 'back\\slash'], required: true, help: 'an */ odd one' },
        ],
      },
      VIEW_OF_SECRETS,
    );
    text = declare();
  });

  afterAll(() => roost.close());

  const declare = (sort = (collections: Collection[]) => collections): string => {
    const { catalog } = roost.app.get(CollectionStore, { strict: false });
    const shownFields = roost.app.get(VisibleFields, { strict: false });
    const sorted = { find: (name: string) => catalog.find(name), all: () => sort([...catalog.all()]) };
    return declareCollections(sorted, (collection) => shownFields.of(collection));
  };

  /** The messages of the compiler for a program that uses the declarations. */
  const compile = (use: string): string[] => {
    const dir = mkdtempSync(join(tmpdir(), 'roost-types-'));
    writeFileSync(join(dir, 'collections.ts'), text);
    writeFileSync(join(dir, 'use.ts'), use);
    const program = ts.createProgram([join(dir, 'use.ts')], {
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: true,
    });
    program.getTypeChecker();
    rmSync(dir, { recursive: true });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  };

  it('EXT-24 declares one interface for each collection and a map of them', () => {
    expect(
      compile(`
        import type { Collections } from './collections';
        declare const post: Collections['posts'];
        const title: string = post.title;
        const views: number = post.views;
        const options: ('a' | 'b' | 'c')[] = post.options;
        const place: number = post.place.lat;
        const internal: string | undefined = post.internal;
        const name: 'posts' = post.collectionName;
        const odd: "it's" | 'back\\\\slash' = (null as unknown as Collections['1st']).odd;
        const email: string | undefined = (null as unknown as Collections['users2']).email;
        void [title, views, options, place, internal, name, odd, email];
      `),
    ).toEqual([]);
    expect(
      compile(
        `import type { Collections } from './collections'; const x: Collections['posts']['nothing'] = 1; void x;`,
      ),
    ).toHaveLength(1);
    const account = /interface Users2Record \{(.*?)\n\}/s.exec(text)![1];
    expect(account).toContain('emailVisibility: boolean');
    expect(account.split('$types')[0]).not.toMatch(/password|tokenKey/);
  });

  it('EXT-27 says what a new record must have, and where an expand leads', () => {
    const notes = (name: string): string =>
      new RegExp(`interface ${name} \\{.*?\\$types\\?: \\{\\n(.*?)  \\};`, 's').exec(text)![1]!;
    expect(notes('TagsRecord')).toBe("    required: 'label';\n    expand: { posts_via_tags: 'posts'[] };\n");
    expect(notes('PostsRecord')).toContain("    required: 'title';\n");
    expect(notes('PostsRecord')).toContain("author: 'users2'; tags: 'tags'[]; comments_via_post: 'comments'[]");
    expect(notes('Users2Record')).toContain("    required: 'password' | 'email';\n");
    expect(/interface SecretsRecord \{.*?\n\}/s.exec(text)![0]).not.toContain('required');
  });

  it('EXT-24 does not name what a view selects of the secrets of accounts', () => {
    const view = /interface SecretsRecord \{(.*?)\n\}/s.exec(text)![1];
    expect(view).toContain('shown: string');
    expect(view).not.toMatch(/hash|tokenKey/);
  });

  it('EXT-24 warns when TypeScript would look at another file', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'app.ts'), '');
    const { code, stdout, stderr } = await start(['types', '--out', 'app.d.ts', '--dir=data'], cwd).finished();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Wrote app.d.ts.\n' });
    expect(stderr).toBe('Warning: TypeScript looks at app.ts instead: give --out another name.\n');
    const other = await start(['types', '--out', 'other.d.ts', '--dir=data'], cwd).finished();
    expect(other).toMatchObject({ code: 0, stderr: '' });
  });

  it('EXT-24 makes the same text every time', () => {
    expect(declare((collections) => collections.reverse())).toBe(text);
  });
});
