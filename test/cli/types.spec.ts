import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { declareCollections } from '../../src/kernel/collections/declare-collections.js';
import type { TestRoost } from '../../src/testing/index.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';

describe('types of collections', () => {
  let roost: TestRoost;
  let text: string;

  beforeAll(async () => {
    roost = await startRoost();
    await roost.createCollections(...BLOG, {
      name: '1st',
      type: 'base',
      fields: [{ name: 'odd', type: 'select', values: ["it's", 'back\\slash'], required: true, help: 'an */ odd one' }],
    });
    text = declareCollections(roost.app.get(CollectionStore, { strict: false }).catalog.all());
  });

  afterAll(() => roost.close());

  /** The messages of the compiler for a program that uses the declarations. */
  const compile = (use: string): string[] => {
    const files: Record<string, string> = { '/virtual/collections.ts': text, '/virtual/use.ts': use };
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
    };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists, readFile } = host;
    host.readFile = (name) => files[name] ?? readFile(name);
    host.getSourceFile = (name, version) =>
      files[name] === undefined ? getSourceFile(name, version) : ts.createSourceFile(name, files[name], version);
    host.fileExists = (name) => files[name] !== undefined || fileExists(name);
    const program = ts.createProgram(['/virtual/use.ts'], options, host);
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
    expect(text).not.toMatch(/password|tokenKey/);
  });

  it('EXT-24 makes the same text every time', () => {
    const { catalog } = roost.app.get(CollectionStore, { strict: false });
    expect(declareCollections([...catalog.all()].reverse())).toBe(text);
  });
});
