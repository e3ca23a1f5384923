import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';
import { VIEW_OF_SECRETS } from '../support/view-of-secrets.js';

@Controller('reports')
class ReportsController {
  @Get()
  @ApiBearerAuth()
  all(): object {
    return {};
  }
}

@Module({ controllers: [ReportsController] })
class ReportsModule {}

interface DocumentedOperation {
  security?: unknown;
  operationId: string;
  summary?: string;
  requestBody?: object;
  responses: Record<string, { content?: object }>;
}

type Document = {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, { properties: Record<string, unknown>; required?: string[] }> };
};

describe('the OpenAPI document', () => {
  let roost: TestRoost;
  let token: string;

  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections(...BLOG);
  });

  afterAll(() => roost.close());

  const load = async () => (await roost.inject({ url: '/api/openapi.json', token })).body as Document;

  it('EXT-25 is for superusers', async () => {
    expect((await roost.inject({ url: '/api/openapi.json' })).status).toBe(401);
    expect((await roost.inject({ url: '/api/openapi.json', token })).status).toBe(200);
  });

  it('EXT-25 is valid OpenAPI 3.1', async () => {
    const document = await load();
    expect(document.openapi).toMatch(/^3\.1\./);
    const result = await new Validator().validate(document);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    const broken = await new Validator().validate({ ...document, paths: { nowhere: { get: 1 } } });
    expect(broken.valid).toBe(false);
  });

  it('EXT-25 has every route once, with unique operation ids and parameters for all of its path', async () => {
    const { paths } = await load();
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const ids = operations.map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/api/health', '/api/batch', '/api/logs/{id}', '/api/collections/{collection}']),
    );
    expect(Object.keys(paths).filter((path) => path.startsWith('/_') || path.includes('docs'))).toEqual([]);
    expect(paths['/api/settings']!['get']!.security).toEqual([{ token: [] }]);
    expect(paths['/api/health']!['get']!.security).toBeUndefined();
  });

  it('EXT-25 says of every operation what it does, and of every one that reads a body what is in it', async () => {
    const { paths } = await load();
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ at: `${method} ${path}`, ...operation })),
    );
    expect(operations.length).toBeGreaterThan(100);
    expect(operations.filter(({ summary }) => !summary).map(({ at }) => at)).toEqual([]);
    const isAnswered = (answers: (typeof operations)[number]['responses']) =>
      Object.entries(answers).every(([status, { content }]) => (status === '204') === (content === undefined));
    expect(operations.filter(({ responses }) => !isAnswered(responses)).map(({ at }) => at)).toEqual([]);
    const withoutBody = operations.filter(({ at, requestBody }) => /^(post|put|patch) /.test(at) && !requestBody);
    expect(withoutBody.map(({ at }) => at.replace(/users2?|_superusers/, 'X')).toSorted()).toEqual([
      'post /api/backups/{key}/restore',
      'post /api/collections/X/auth-refresh',
      'post /api/collections/X/auth-refresh',
      'post /api/collections/X/auth-refresh',
      'post /api/collections/X/revoke-tokens',
      'post /api/collections/X/revoke-tokens',
      'post /api/collections/X/revoke-tokens',
      'post /api/crons/{id}',
      'post /api/files/token',
    ]);
  });

  it('EXT-25 FLD-1 names fields for every JSON answer, and for no other', async () => {
    const { paths } = await load();
    const takesFields = (path: string, method: string) => {
      const { parameters } = paths[path]![method] as { parameters?: { name: string; in: string }[] };
      return (parameters ?? []).filter(({ name, in: place }) => name === 'fields' && place === 'query').length;
    };
    expect(takesFields('/api/health', 'get')).toBe(1);
    expect(takesFields('/api/batch', 'post')).toBe(1);
    expect(takesFields('/api/settings', 'patch')).toBe(1);
    expect(takesFields('/api/crons/{id}', 'post')).toBe(0);
    expect(takesFields('/api/backups/{key}', 'get')).toBe(0);
  });

  it('EXT-25 has a title of the team, every scheme it names, and no route of static files', async () => {
    const own = await startRoost({ api: { title: 'Shop', version: '2.1.0' }, imports: [ReportsModule] });
    const document = (await own.inject({ url: '/api/openapi.json', token: await own.createSuperuser() })).body;
    await own.close();
    expect(document.info).toMatchObject({ title: 'Shop', version: '2.1.0' });
    expect(document.paths['/{path}']).toBeUndefined();
    // What is the same for every collection stands there once.
    expect(document.paths['/api/collections/{collection}/test-rule']).toHaveProperty('post');
    expect(Object.keys(document.paths['/api/collections/{collection}/list-views/{id}'])).toEqual(['put', 'delete']);
    expect(document.paths['/api/collections/users/test-rule']).toBeUndefined();
    expect(document.paths['/reports'].get.security).toEqual([{ bearer: [] }]);
    expect(document.components.securitySchemes).toHaveProperty('bearer');
  });

  it('EXT-25 has record schemas and paths for every collection as it is now', async () => {
    const { paths, components } = await load();
    expect(Object.keys(paths['/api/collections/posts/records']!).sort()).toEqual(['get', 'post', 'put']);
    expect(Object.keys(paths['/api/collections/posts/records/{id}']!).sort()).toEqual(['delete', 'get', 'patch']);
    expect(paths['/api/collections/posts/auth-refresh']).toBeUndefined();
    expect(paths['/api/collections/users2/auth-refresh']).toBeDefined();
    expect(components.schemas['posts.record']!.properties).toMatchObject({ title: { type: 'string' } });
    expect(components.schemas['users2.record']!.properties).not.toHaveProperty('password');
    expect(components.schemas['users2.record']!.properties).not.toHaveProperty('tokenKey');
    expect(components.schemas['users2.input']!.properties).toHaveProperty('password');
    await roost.createCollections(
      { name: 'fresh', type: 'base', fields: [{ name: 'word', type: 'text', help: 'One word.' }] },
      { name: 'seen', type: 'view', viewQuery: 'select id from posts' },
      VIEW_OF_SECRETS,
    );
    const later = await load();
    expect(later.components.schemas['fresh.record']!.properties['word']).toEqual({
      type: 'string',
      description: 'One word.',
    });
    expect(Object.keys(later.paths['/api/collections/seen/records']!)).toEqual(['get']);
    expect(later.components.schemas['seen.input']).toBeUndefined();
    expect(Object.keys(later.components.schemas['secrets.record']!.properties).sort()).toEqual([
      'collectionId',
      'collectionName',
      'expand',
      'id',
      'shown',
    ]);
  });

  it('EXT-25 makes a TypeScript client that compiles', async () => {
    const text = astToString(await openapiTS((await load()) as never));
    const dir = mkdtempSync(join(tmpdir(), 'roost-openapi-'));
    writeFileSync(join(dir, 'api.ts'), text);
    const compile = (use: string) => {
      writeFileSync(join(dir, 'use.ts'), use);
      const program = ts.createProgram([join(dir, 'use.ts')], {
        strict: true,
        noEmit: true,
        types: [],
        target: ts.ScriptTarget.ES2022,
      });
      return ts.getPreEmitDiagnostics(program).map((entry) => ts.flattenDiagnosticMessageText(entry.messageText, ' '));
    };
    try {
      const fine = `
        import type { components, paths } from './api';
        declare const post: components['schemas']['posts.record'];
        const title: string = post.title;
        type Page = paths['/api/collections/posts/records']['get']['responses'][200]['content']['application/json'];
        declare const page: Page;
        const views: number = page.items[0]!.views;
        void [title, views];`;
      expect(compile(fine)).toEqual([]);
      expect(
        compile(`import type { paths } from './api'; type X = paths['/api/nothing']; export type Y = X;`),
      ).toHaveLength(1);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('EXT-25 shows no page outside --dev', async () => {
    for (const url of ['/api/docs', '/api/docs/docs.js', '/api/docs/swagger-ui.css']) {
      expect((await roost.inject({ url, token })).status).toBe(404);
    }
  });
});

describe('the page of the OpenAPI document', () => {
  it('EXT-25 OPS-33a is served in --dev with all of its assets, and runs no others', async () => {
    // With --dev the application tells everything.
    const silence = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const roost = await startRoost({ config: { ROOST_DEV: 'true' } });
    try {
      const page = await roost.inject({ url: '/api/docs' });
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('http');
      const policy = String(page.headers['content-security-policy']);
      for (const part of ["base-uri 'none'", "form-action 'self'"]) expect(policy.split('; ')).toContain(part);
      expect(page.headers['referrer-policy']).toBe('no-referrer');
      const [, nonce] = /; script-src 'nonce-([\w+/=]{24})';/.exec(policy) ?? [];
      expect(page.text.match(/<script[^>]*>/g)!.map((tag) => tag.includes(`nonce="${nonce}"`))).toEqual([true, true]);
      expect((await roost.inject({ url: '/api/docs' })).headers['content-security-policy']).not.toBe(policy);
      const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
      expect(assets).toHaveLength(4);
      for (const asset of assets) {
        const { status, raw } = await roost.inject({ url: `/api/${asset}` });
        expect({ asset, status, empty: raw.length === 0 }).toEqual({ asset, status: 200, empty: false });
      }
      for (const file of ['package.json', '..%2fpackage.json', 'swagger-ui.js.map']) {
        expect((await roost.inject({ url: `/api/docs/${file}` })).status).toBe(404);
      }
    } finally {
      await roost.close();
      silence.mockRestore();
    }
  });
});
