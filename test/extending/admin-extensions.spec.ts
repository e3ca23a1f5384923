import { Controller, Get, Header, Module } from '@nestjs/common';
import { type AdminExtension, AdminExtensionsModule } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { ClinicAdminModule } from './clinic/clinic-admin.module.js';

const SCRIPT = '/_/extensions/x.js';

let roost: TestRoost | undefined;
afterEach(() => roost?.close());

@Controller('_/extensions')
class ScriptController {
  @Get('x.js')
  @Header('content-type', 'text/javascript')
  script(): string {
    return 'export const x = 1;';
  }
}
@Module({ controllers: [ScriptController] })
class ScriptModule {}

describe('what modules add to the admin UI', () => {
  it('EXT-44 is listed for superusers alone, by the addresses of the scripts', async () => {
    const page = { path: 'more', title: 'More', element: 'x-more' };
    roost = await startRoost({
      imports: [ClinicAdminModule, AdminExtensionsModule.register({ script: SCRIPT, pages: [page] })],
    });
    const url = '/api/admin/extensions';
    expect((await roost.inject({ url })).status).toBe(401);
    await roost.createCollections({ name: 'members', type: 'auth', fields: [] });
    const account = { email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' };
    const token = await roost.createSuperuser();
    await roost.inject({ url: '/api/collections/members/records', body: account, token });
    expect((await roost.inject({ url, token: await roost.signIn('members', 'ann@example.com') })).status).toBe(403);
    const listed = await roost.inject({ url, token });
    expect([listed.status, listed.body]).toEqual([
      200,
      [
        {
          script: '/_/extensions/clinic.js',
          fieldTypes: [{ type: 'money', label: 'Money', input: 'clinic-fee-input', cell: 'clinic-fee-cell' }],
          pages: [{ path: 'prices', title: 'Prices', element: 'clinic-price-list' }],
          actions: [
            { label: 'Raise fees', run: 'raiseFees', collections: ['treatments'], question: expect.any(String) },
          ],
        },
        { script: SCRIPT, fieldTypes: [], pages: [page], actions: [] },
      ],
    ]);
  });

  it('EXT-44 there is none without a module', async () => {
    roost = await startRoost();
    const { body } = await roost.inject({ url: '/api/admin/extensions', token: await roost.createSuperuser() });
    expect(body).toEqual([]);
  });

  it('EXT-44 its scripts are served by a controller, and what nobody serves is 404 instead of the page', async () => {
    roost = await startRoost({ imports: [ScriptModule] });
    const script = await roost.inject({ url: SCRIPT });
    expect([script.status, script.headers['content-type'], script.text]).toEqual([
      200,
      expect.stringContaining('text/javascript'),
      'export const x = 1;',
    ]);
    expect((await roost.inject({ url: '/_/extensions/other.js' })).status).toBe(404);
  });

  const wrong: [string, AdminExtension[], RegExp][] = [
    ['a script elsewhere', [{ script: '/api/files/x.js' }], /x\.js.*below \/_\/extensions\//],
    ['a script of another host', [{ script: 'https://example.com/_/extensions/x.js' }], /below/],
    ['a script that leads out', [{ script: '/_/extensions/../assets/x.js' }], /below/],
    ['a script that leads out in disguise', [{ script: '/_/extensions/%2e%2e/x.js' }], /below/],
    ['no address', [{ script: 'http://' }], /below/],
    ['no name of an element', [{ script: SCRIPT, pages: [{ path: 'a', title: 'A', element: 'page' }] }], /"page"/],
    ['no path', [{ script: SCRIPT, pages: [{ path: 'a/b', title: 'A', element: 'x-a' }] }], /"a\/b"/],
    ['no title', [{ script: SCRIPT, pages: [{ path: 'a', title: ' ', element: 'x-a' }] }], /title/],
    [
      'a page twice',
      [
        { script: SCRIPT, pages: [{ path: 'a', title: 'A', element: 'x-a' }] },
        { script: '/_/extensions/y.js', pages: [{ path: 'a', title: 'B', element: 'x-b' }] },
      ],
      /y\.js.*page "a" already/,
    ],
    ['no function', [{ script: SCRIPT, actions: [{ label: 'Go', run: 'a b' }] }], /"a b"/],
    ['no label', [{ script: SCRIPT, actions: [{ label: '', run: 'go' }] }], /label/],
    ['a type of Roost', [{ script: SCRIPT, fieldTypes: [{ type: 'text', input: 'x-text' }] }], /"text".*of Roost/],
    ['a type nobody registers', [{ script: SCRIPT, fieldTypes: [{ type: 'mony', cell: 'x-cell' }] }], /"mony"/],
    [
      'a type twice',
      [
        { script: SCRIPT, fieldTypes: [{ type: 'money', cell: 'x-cell' }] },
        { script: SCRIPT, fieldTypes: [{ type: 'money', input: 'x-input' }] },
      ],
      /"money" has/,
    ],
  ];
  it.each(wrong)('EXT-38 EXT-44 refuses the start for %s', async (_name, extensions, message) => {
    await expect(startRoost({ imports: [AdminExtensionsModule.register(...extensions)] })).rejects.toThrow(message);
  });
});
