import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as roost from 'roost';
import type { Hook } from 'roost';
import { compile, inProject } from '../support/compile.js';

const TEXT = readFileSync(inProject('docs/extending.md'), 'utf8');

/** Every snippet under the name of a file of its own, so that errors say where they are. */
function snippets(): Map<string, string> {
  const found = [...TEXT.matchAll(/^```ts\n(.*?)^```$/gms)];
  return new Map(
    found.map((match) => {
      const line = TEXT.slice(0, match.index).split('\n').length + 1;
      return [inProject(`test/extending/extending-md-line-${line}.ts`), match[1]!];
    }),
  );
}

describe('docs/extending.md', () => {
  it('EXT-1 shows code that compiles and imports nothing private', { timeout: 240_000 }, () => {
    const files = snippets();
    expect(files.size).toBeGreaterThan(12);
    expect(compile(files)).toEqual([]);
    const imported = [...files.values()].flatMap((code) =>
      [...code.matchAll(/from '([^']+)'/g)].map(([, name]) => name),
    );
    expect(imported.filter((name) => name!.startsWith('.') || name!.startsWith('roost/src'))).toEqual([]);
  });

  it('EXT-44 shows the script that the browser tests run', () => {
    const script = readFileSync(inProject('test/extending/clinic/clinic-admin.js'), 'utf8');
    expect([...TEXT.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code)).toContain(script);
  });

  it('EXT-1 links only to sections it has', () => {
    const anchors = (headings: RegExp) =>
      [...TEXT.matchAll(headings)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      );
    const contents = [...TEXT.matchAll(/^- \[.*\]\(#([^)]+)\)$/gm)].map(([, anchor]) => anchor!);
    expect(contents).toEqual(anchors(/^## (.+)$/gm));
    const links = [...TEXT.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
    expect(anchors(/^##+ (.+)$/gm)).toEqual(expect.arrayContaining(links));
  });

  it('EXT-31 has a counterpart or a reason for every hook of PocketBase, and names none that does not exist', () => {
    const rows = [...TEXT.matchAll(/^\| (`On[A-Z].*?) +\| (.*?) +\|$/gm)];
    const theirs = rows.flatMap(([, names]) => [...names!.matchAll(/`(On\w+)`/g)].map(([, name]) => name!));
    expect(theirs.toSorted()).toEqual(PEER.toSorted());
    const ours = rows.flatMap(([, , text]) => [...text!.matchAll(/`((?:Before|After|Validate|Enrich)[A-Z]\w+)`/g)]);
    for (const [, name] of ours) expect(roost, name).toHaveProperty(name!);
    for (const [, names, text] of rows) {
      expect(/`(Before|After|Validate|Enrich|onModule)|none: |the same, with/.test(text!), names).toBe(true);
    }
  });

  it('EXT-31 names every hook that is exported in the table of hooks or beside it', () => {
    const hooks = Object.values(roost).filter(
      (each): each is Hook<never> => typeof each === 'function' && 'hookName' in each,
    );
    expect(hooks.length).toBeGreaterThan(60);
    for (const { hookName } of hooks) expect(TEXT, hookName).toContain(hookName);
  });
});

const MOMENTS = ['Create', 'Update', 'Delete'];

/** The hooks its documentation lists. */
const PEER = [
  'OnBootstrap',
  'OnServe',
  'OnTerminate',
  'OnBackupCreate',
  'OnBackupRestore',
  'OnMailerSend',
  'OnBatchRequest',
  ...['AuthAlert', 'PasswordReset', 'Verification', 'EmailChange', 'OTP'].map((mail) => `OnMailerRecord${mail}Send`),
  'OnRealtimeConnectRequest',
  'OnRealtimeSubscribeRequest',
  'OnRealtimeMessageSend',
  'OnRecordEnrich',
  'OnRecordsListRequest',
  'OnRecordViewRequest',
  'OnFileDownloadRequest',
  'OnFileTokenRequest',
  ...['', 'Refresh', 'WithPassword', 'WithOAuth2', 'WithOTP'].map((way) => `OnRecordAuth${way}Request`),
  ...['PasswordReset', 'Verification', 'EmailChange', 'OTP'].map((mail) => `OnRecordRequest${mail}Request`),
  ...['PasswordReset', 'Verification', 'EmailChange'].map((mail) => `OnRecordConfirm${mail}Request`),
  'OnCollectionsListRequest',
  'OnCollectionViewRequest',
  'OnCollectionsImportRequest',
  'OnSettingsListRequest',
  'OnSettingsUpdateRequest',
  'OnSettingsReload',
  ...['Record', 'Collection', 'Model'].flatMap((what) => [
    `On${what}Validate`,
    ...MOMENTS.flatMap((moment) => [
      `On${what}${moment}`,
      `On${what}${moment}Execute`,
      `On${what}After${moment}Success`,
      `On${what}After${moment}Error`,
      ...(what === 'Model' ? [] : [`On${what}${moment}Request`]),
    ]),
  ]),
];
