import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { fillShop } from './support/shop.js';

describe('collections in the admin UI', () => {
  const suite = adminSuite(async (server) => {
    await fillShop(server.api, { posts: 3 });
  });
  const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Collections' });
  const panelOf = async (name: string) => {
    const page = await suite.open(`/collections/${name}`);
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    const panel = page.getByRole('dialog', { name: `Collection ${name}` });
    await panel.getByLabel('Name', { exact: false }).first().waitFor();
    return { page, panel };
  };
  const stored = (name: string) => suite.server.api.collections.getOne(name);
  /** No collection of that name, whatever an attempt before has left. */
  const without = (name: string) => suite.server.api.collections.delete(name).catch(() => undefined);
  /** A collection of its own for a test that changes it. */
  const makeBooks = async () => {
    await without('books');
    await suite.server.api.collections.create({
      name: 'books',
      type: 'base',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'pages', type: 'number' },
      ],
    });
  };
  /** Accounts without any way to sign in but the password. */
  const plainMembers = () =>
    suite.server.api.collections.update('members', {
      oauth2: { enabled: false, providers: [] },
      otp: { enabled: false, length: 8 },
    });
  const typeRule = async (page: Page, label: string, text: string) => {
    await page.getByRole('textbox', { name: `${label} rule` }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(text);
    await page.keyboard.press('Escape');
  };

  it('UI-15 searches, pins, folds system collections away and remembers the last one', async () => {
    const page = await suite.open('/collections');
    await sidebar(page).getByRole('link', { name: 'posts' }).click();
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    expect(await sidebar(page).getByRole('link', { name: '_superusers' }).count()).toBe(0);
    await sidebar(page).getByRole('button', { name: 'System' }).click();
    await sidebar(page).getByRole('link', { name: '_superusers' }).waitFor();
    await sidebar(page).getByLabel('Search collections').fill('stat');
    expect(await sidebar(page).getByRole('link').count()).toBe(1);
    await sidebar(page).getByRole('button', { name: 'Clear the search' }).click();
    await sidebar(page).getByRole('link', { name: 'members' }).hover();
    await sidebar(page).getByRole('button', { name: 'Pin members' }).click();
    await page.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'members' }).waitFor();
    await page.goto(`${suite.server.url}/_/#/collections`);
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    await page.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'members' }).waitFor();
    const before = await sidebar(page).boundingBox();
    await page.getByRole('separator', { name: 'Width of the sidebar' }).press('ArrowRight');
    expect((await sidebar(page).boundingBox())!.width).toBeGreaterThan(before!.width);
  });

  it('UI-15 says what a collection is when there are none but those of the server, and offers to make one', async () => {
    const page = await suite.open('/docs');
    await page.route('**/api/collections?*', async (route) => {
      const answer = await route.fetch();
      const { items, ...rest } = await answer.json();
      await route.fulfill({ json: { ...rest, items: items.filter(({ system }: { system: boolean }) => system) } });
    });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await page.goto(`${suite.server.url}/_/#/collections`);
      await page.getByText('No collections yet').waitFor();
      await page.locator('main section, main div').getByRole('button', { name: 'New collection' }).last().click();
      await page.getByRole('dialog', { name: 'New collection' }).waitFor();
    }
  });

  it('UI-15 opens the first hit of its search by Enter', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByLabel('Search collections').fill('memb');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'members' }).waitFor();
  });

  it('UI-44 OPS-204 goes from the lock into the rule and back', async () => {
    const page = await suite.open('/collections/members');
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('tab', { name: 'API rules' }).click();
    await page.getByRole('button', { name: 'Unlock and set a rule: Delete' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Delete rule');
    await page.keyboard.type('id = "1');
    await page.getByRole('textbox', { name: 'Delete rule' }).getByText('id = "1"').waitFor();
    await page.getByRole('button', { name: 'Lock the Delete rule' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Unlock and set a rule: Delete',
    );
  });

  it('UI-15 warns about OAuth2 without a provider', async () => {
    await suite.server.api.collections.update('members', { oauth2: { enabled: true } });
    const page = await suite.open('/collections/posts');
    await sidebar(page).getByRole('img', { name: 'OAuth2 is enabled without a provider' }).waitFor();
    await suite.server.api.collections.update('members', { oauth2: { enabled: false } });
  });

  it('UI-16 draws collections and relations, and lists one kind of rule for all', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByRole('button', { name: 'Overview of all collections' }).click();
    const dialog = page.getByRole('dialog', { name: 'Overview' });
    await dialog.locator('.react-flow__node').nth(2).waitFor();
    expect(await dialog.locator('.react-flow__edge').count()).toBe(2);
    await dialog.getByRole('switch', { name: 'System collections' }).press('Space');
    await dialog.locator('.react-flow__node').nth(6).waitFor();
    const transform = () =>
      dialog.locator('.react-flow__viewport').evaluate((element) => (element as HTMLElement).style.transform);
    const start = await transform();
    await dialog.getByRole('button', { name: /zoom in/i }).click();
    await page.waitForFunction(
      (was) => document.querySelector<HTMLElement>('.react-flow__viewport')?.style.transform !== was,
      start,
    );
    await page.keyboard.press('Control+0');
    await dialog.getByRole('tab', { name: 'Rules' }).click();
    await dialog.getByText('Everyone').first().waitFor();
    await dialog.getByRole('radiogroup').getByText('Create', { exact: true }).click();
    await dialog.getByText("@request.auth.id != ''").waitFor();
    await dialog.getByText('Superusers only').first().waitFor();
  });

  it('UI-40 UI-41 creates a collection: name as it is typed, fields by type, preset dates', async () => {
    await without('My_books_more');
    const page = await suite.open('/collections/posts');
    await page.getByRole('button', { name: 'New collection' }).click();
    const panel = page.getByRole('dialog', { name: 'New collection' });
    await page.waitForFunction(() => document.activeElement?.getAttribute('placeholder') === 'for example: posts');
    await panel.getByPlaceholder('for example: posts').fill('My böoks & more');
    expect(await panel.getByPlaceholder('for example: posts').inputValue()).toBe('My_books_more');
    for (const [type, name] of [
      ['Plain text', 'title'],
      ['Number', 'pages'],
      ['Select', 'kind'],
    ] as const) {
      await panel.getByRole('button', { name: 'New field' }).click();
      await page.getByRole('button', { name: type, exact: true }).click();
      await panel.getByRole('textbox', { name: 'Name of field field' }).fill(name);
    }
    await panel.getByLabel('Values').pressSequentially('short novel,');
    await panel.getByText('short novel').waitFor();
    for (const preset of ['id', 'created', 'updated'])
      expect(await panel.getByRole('textbox', { name: `Name of field ${preset}` }).isDisabled()).toBe(true);
    await panel.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'My_books_more' }).waitFor();
    const made = await stored('My_books_more');
    expect(made.fields.map((field: { name: string }) => field.name)).toEqual([
      'id',
      'title',
      'pages',
      'kind',
      'created',
      'updated',
    ]);
  });

  it('UI-16 opens a collection from the diagram by mouse and by keys, and brings what has the focus into sight', async () => {
    const page = await suite.open('/collections/posts');
    const overview = page.getByRole('button', { name: 'Overview of all collections' });
    const dialog = page.getByRole('dialog', { name: 'Overview' });
    await overview.click();
    await dialog.getByRole('link', { name: 'members' }).click();
    await page.getByRole('heading', { name: 'members' }).waitFor();
    await overview.click();
    const card = dialog.getByRole('link', { name: /posts$/ });
    await card.waitFor();
    for (let zoomed = 0; zoomed < 4; zoomed += 1) await dialog.getByRole('button', { name: /zoom in/i }).click();
    await card.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const frame = (await dialog.locator('.react-flow').boundingBox())!;
    await expect
      .poll(async () => {
        const box = (await card.boundingBox())!;
        return box.x >= frame.x && box.x + box.width <= frame.x + frame.width;
      })
      .toBe(true);
    await dialog.locator('[data-hot]').getByText('members').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  it('UI-16 fits the diagram into the page again when that gets narrow', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByRole('button', { name: 'Overview of all collections' }).click();
    const node = page.getByRole('dialog', { name: 'Overview' }).locator('.react-flow__node').first();
    await node.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(async () => {
        const box = await node.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= 390;
      })
      .toBe(true);
  });

  it('UI-41 marks fields, duplicates, removes and takes back before saving; errors stand at the field', async () => {
    const { page, panel } = await panelOf('posts');
    await panel.getByText('Presentable').first().waitFor();
    await panel.getByRole('button', { name: 'More for field website' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await panel.getByRole('button', { name: 'Keep field website' }).click();
    for (const copied of ['views', 'title']) {
      await panel.getByRole('button', { name: `More for field ${copied}` }).click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      await panel.getByRole('textbox', { name: `Name of field ${copied}_copy` }).fill('title');
      await panel.getByRole('button', { name: 'Save', exact: true }).click();
      await panel
        .getByRole('tab', { name: /Fields/ })
        .getByRole('img', { name: 'has errors' })
        .waitFor();
      await panel.getByRole('button', { name: 'Reset' }).click();
    }
    expect(await panel.getByRole('textbox', { name: 'Name of field title' }).count()).toBe(1);
  });

  it('UI-41 OPS-204 keeps the menu of a field with many marks within a narrow page', async () => {
    const page = await suite.open('/collections/posts', { width: 360, height: 740 });
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    const panel = page.getByRole('dialog', { name: 'Collection posts' });
    await panel.getByText('Presentable').first().waitFor();
    const menu = await panel.getByRole('button', { name: 'More for field title' }).boundingBox();
    expect(menu!.width).toBeGreaterThanOrEqual(24);
    expect(menu!.x + menu!.width).toBeLessThanOrEqual(360 - 16);
  });

  it('UI-41 sorts fields by keyboard', async () => {
    await makeBooks();
    const { page, panel } = await panelOf('books');
    await panel.getByRole('button', { name: 'Move pages' }).focus();
    await page.keyboard.press('Space');
    await page.waitForTimeout(200);
    await page.keyboard.press('ArrowUp');
    await page.waitForTimeout(300);
    await page.keyboard.press('Space');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Collection saved.').waitFor();
    expect((await stored('books')).fields[1]!.name).toBe('pages');
  });

  it('UI-42 makes a unique index from presets and follows renames', async () => {
    await makeBooks();
    const { page, panel } = await panelOf('books');
    await panel.getByRole('button', { name: 'New index' }).click();
    const dialog = page.getByRole('dialog', { name: 'New index' });
    await dialog.getByText('title', { exact: true }).click();
    await dialog.getByRole('switch', { name: 'Unique' }).press('Space');
    await dialog.getByRole('button', { name: 'Set index' }).click();
    await panel.getByText('unique title').waitFor();
    await panel.getByRole('textbox', { name: 'Name of field title' }).fill('heading');
    await panel.getByText('unique heading').waitFor();
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Review the changes' })
      .getByRole('button', { name: 'Save changes' })
      .click();
    await page.getByText('Collection saved.').waitFor();
    expect((await stored('books')).indexes[0]).toMatch(/CREATE UNIQUE INDEX .* ON `books` \(`heading`\)/);
  });

  it('UI-46 shows what a save will change and lose before it is saved', async () => {
    const { page, panel } = await panelOf('posts');
    await panel.getByRole('textbox', { name: 'Name of field contact' }).fill('mail');
    await panel.getByRole('button', { name: 'More for field website' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByText('Field renamed').waitFor();
    await review.getByText('All values of website are deleted.').waitFor();
    await review.getByRole('button', { name: 'Go back' }).click();
    expect((await stored('posts')).fields.some((field: { name: string }) => field.name === 'website')).toBe(true);
  });

  it('UI-43 checks the query of a view while it is written and shows what it gives', async () => {
    await suite.server.api.collections.update('post_stats', { viewQuery: 'SELECT id, title, views FROM posts' });
    const { page, panel } = await panelOf('post_stats');
    const editor = panel.getByRole('textbox', { name: 'Query of the view' });
    await panel.getByRole('region', { name: 'Sample of the result' }).getByText('views').first().waitFor();
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('SELECT nothing FROM nowhere');
    await panel.getByRole('alert').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('SELECT id, title, views, active FROM posts');
    await panel.getByRole('region', { name: 'Sample of the result' }).getByText('active').first().waitFor();
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Collection saved.').waitFor();
    expect((await stored('post_stats')).viewQuery).toContain('active');
  });

  it('UI-44 locks, unlocks and edits rules with completion, help, and the error of the server in place', async () => {
    await suite.server.api.collections.update('posts', { listRule: '', updateRule: null });
    const { page, panel } = await panelOf('posts');
    await panel.getByRole('tab', { name: 'API rules' }).click();
    await panel.getByRole('button', { name: 'Show fields and operators' }).click();
    await panel.getByText('@request.headers.*').waitFor();
    await panel.getByRole('button', { name: 'Unlock and set a rule: Update' }).click();
    await panel.getByRole('textbox', { name: 'Update rule' }).click();
    await page.keyboard.type('author.na', { delay: 20 });
    await page.locator('.cm-tooltip-autocomplete').getByText('author.name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await typeRule(page, 'Update', 'nothing = 1');
    await panel.getByRole('button', { name: 'Lock the List and search rule' }).click();
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByText('Superusers only').first().waitFor();
    await review.getByRole('button', { name: 'Save changes' }).click();
    await panel.getByRole('group', { name: 'Update rule' }).getByRole('alert').waitFor();
    await typeRule(page, 'Update', 'author = @request.auth.id');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await review.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Collection saved.').waitFor();
    expect(await stored('posts')).toMatchObject({ listRule: null, updateRule: 'author = @request.auth.id' });
  });

  it('UI-45 AUTH-1606 sets the options of an auth collection', async () => {
    await plainMembers();
    const { page, panel } = await panelOf('members');
    await panel.getByRole('tab', { name: 'Options' }).click();
    await panel.getByRole('button', { name: /^One-time codes/ }).click();
    await panel
      .getByRole('region', { name: /One-time codes/ })
      .getByRole('switch', { name: 'Enabled' })
      .press('Space');
    await panel.getByLabel('Digits').fill('6');
    await panel.getByRole('button', { name: /^OAuth2/ }).click();
    await panel.getByRole('button', { name: 'Add provider' }).click();
    await page
      .getByRole('dialog', { name: 'Add a provider' })
      .getByRole('button', { name: /GitHub/ })
      .click();
    const provider = page.getByRole('dialog', { name: 'GitHub' });
    await provider.getByLabel('Client id').fill('the-id');
    await provider.getByLabel('Client secret').fill('the-secret');
    await provider.getByRole('button', { name: 'Set provider' }).click();
    await panel.getByRole('button', { name: /^Tokens/ }).click();
    await panel.getByLabel('Session (seconds)').fill('3600');
    await panel.getByRole('button', { name: 'Invalidate all' }).first().click();
    await panel.getByRole('button', { name: /^Mails/ }).click();
    await panel.getByRole('button', { name: /^Password reset/ }).click();
    await panel.getByLabel('Subject').fill('A new password for {APP_NAME}');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Collection saved.').waitFor();
    expect(await stored('members')).toMatchObject({
      otp: { enabled: true, length: 6 },
      oauth2: { enabled: true, providers: [{ name: 'github', clientId: 'the-id' }] },
      authToken: { duration: 3600 },
      resetPasswordTemplate: { subject: 'A new password for {APP_NAME}' },
    });
  });

  it('UI-45 AUTH-1606 makes the client secret Apple wants from a key', async () => {
    await plainMembers();
    const { page, panel } = await panelOf('members');
    await panel.getByRole('tab', { name: 'Options' }).click();
    await panel.getByRole('button', { name: /^OAuth2/ }).click();
    await panel.getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('dialog', { name: 'Add a provider' }).getByRole('button', { name: /Apple/ }).click();
    const provider = page.getByRole('dialog', { name: 'Apple' });
    await provider.getByLabel('Client id').fill('com.example.birds');
    await provider.getByRole('button', { name: 'Generate the secret from a key' }).click();
    await provider.getByLabel('Team id').fill('TEAM567890');
    await provider.getByLabel('Key id').fill('KEY4567890');
    await provider.getByLabel('Private key').fill('no key at all');
    await provider.getByRole('button', { name: 'Generate secret' }).click();
    await provider.getByRole('alert').first().waitFor();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await provider.getByLabel('Private key').fill(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    await provider.getByRole('button', { name: 'Generate secret' }).click();
    await page.getByText('The secret was generated and filled in.').waitFor();
    const [head, claims] = (await provider.getByLabel(/^Client secret/).inputValue())
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
    expect(head).toMatchObject({ alg: 'ES256', kid: 'KEY4567890' });
    expect(claims).toMatchObject({ iss: 'TEAM567890', sub: 'com.example.birds' });
  });

  it('UI-45 AUTH-1606 switches Lark to its addresses outside of China and back', async () => {
    await plainMembers();
    const { page, panel } = await panelOf('members');
    await panel.getByRole('tab', { name: 'Options' }).click();
    await panel.getByRole('button', { name: /^OAuth2/ }).click();
    await panel.getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('dialog', { name: 'Add a provider' }).getByRole('button', { name: /Lark/ }).click();
    const provider = page.getByRole('dialog', { name: /Lark/ });
    await provider.getByLabel('Client id').fill('the-id');
    await provider.getByLabel(/^Client secret/).fill('the-secret');
    await provider.getByRole('switch', { name: 'Use larksuite.com' }).press('Space');
    await provider.getByRole('button', { name: 'Set provider' }).click();
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Collection saved.').waitFor();
    const lark = async () =>
      ((await stored('members')).oauth2 as { providers: { name: string; authURL: string }[] }).providers.find(
        ({ name }) => name === 'lark',
      );
    expect((await lark())!.authURL).toContain('larksuite.com');
    const again = await panelOf('members');
    await again.panel.getByRole('tab', { name: 'Options' }).click();
    await again.panel.getByRole('button', { name: /^OAuth2/ }).click();
    await again.panel.getByRole('button', { name: /^Settings of Lark/ }).click();
    const edited = again.page.getByRole('dialog', { name: /Lark/ });
    await edited.getByRole('switch', { name: 'Use larksuite.com' }).press('Space');
    await edited.getByRole('button', { name: 'Set provider' }).click();
    await again.panel.getByRole('button', { name: 'Save', exact: true }).click();
    await again.page.getByText('Collection saved.').waitFor();
    expect((await lark())!.authURL).toBe('');
  });

  it('UI-47 previews the API with real names, marks what is off, and copies as curl', async () => {
    const page = await suite.open('/collections/members');
    await page.getByRole('button', { name: 'API preview' }).click();
    const dialog = page.getByRole('dialog', { name: 'API of members' });
    for (const title of [
      'List and search',
      'View',
      'Create',
      'Update',
      'Delete',
      'Realtime',
      'Batch',
      'List auth methods',
      'Auth with password',
      'Auth with OAuth2',
      'Auth with OTP',
      'Auth refresh',
      'Verification',
      'Password reset',
      'E-mail change',
    ]) {
      await dialog.getByRole('navigation').getByRole('button', { name: title }).first().click();
      await dialog.getByRole('heading', { name: title }).waitFor();
    }
    await dialog.getByRole('button', { name: 'Delete', exact: false }).first().click();
    await dialog.getByText('Superusers only').first().waitFor();
    await dialog.getByRole('tab', { name: 'Dart' }).click();
    await dialog.getByText("collection('members')").first().waitFor();
    await dialog.getByRole('button', { name: 'Copy as curl' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
      `${suite.server.url}/api/collections/members/records/RECORD_ID`,
    );
  });

  it('UI-40 duplicates, truncates and deletes, the last two with the name typed', async () => {
    await makeBooks();
    const { page, panel } = await panelOf('books');
    await suite.server.api.collection('books').create({ title: 'One' });
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Truncate' }).click();
    const question = page.getByRole('dialog', { name: 'Delete all records of books?' });
    expect(await question.getByRole('button', { name: 'Delete all records' }).isDisabled()).toBe(true);
    await question.getByRole('textbox').fill('books');
    await question.getByRole('button', { name: 'Delete all records' }).click();
    await page.getByText('All records of books were deleted.').waitFor();
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete the collection books?' }).getByRole('textbox').fill('books');
    await page.getByRole('button', { name: 'Delete collection' }).click();
    await sidebar(page).getByTitle('books', { exact: true }).waitFor({ state: 'detached' });
  });

  it('UI-2 keeps collections in step between open tabs', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    await without('from_the_other_tab');
    const other = await page.context().newPage();
    await other.goto(`${suite.server.url}/_/#/collections/posts`);
    await other.getByRole('button', { name: 'New collection' }).click();
    await other.getByPlaceholder('for example: posts').fill('from_the_other_tab');
    await other.getByRole('button', { name: 'Create', exact: true }).click();
    await sidebar(page).getByRole('link', { name: 'from_the_other_tab' }).waitFor();
  });

  it('UI-68 UI-69 exports collections and imports them again after showing the differences', async () => {
    await without('imported');
    const { api } = suite.server;
    const github = { name: 'github', clientId: 'the-id', clientSecret: 'the-secret' };
    const oauth2 = { enabled: true, providers: [github] };
    await api.collections.create({ name: 'signing_in', type: 'auth', oauth2 });
    const page = await suite.open('/settings/export');
    await page.getByRole('checkbox', { name: /^All/ }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const exported = JSON.parse(await readFile((await download.path())!, 'utf8')) as {
      name: string;
      fields: { name: string }[];
      oauth2?: object;
    }[];
    const posts = exported.find((each) => each.name === 'posts')!;
    const signingIn = exported.find((each) => each.name === 'signing_in')!;
    expect(signingIn.oauth2).toEqual({
      enabled: true,
      mappedFields: { id: '', name: '', username: '', avatarURL: '' },
    });
    posts.fields = posts.fields.filter((field) => field.name !== 'meta');
    await page.goto(`${suite.server.url}/_/#/settings/import`);
    await page.locator('main input[type="file"]').setInputFiles({
      name: 'x.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify([posts, signingIn])),
    });
    await page.getByText('Everything is like this already.').waitFor();
    await without('signing_in');
    await api.collections.import([signingIn] as never);
    await without('signing_in');
    await page
      .locator('main input[type="file"]')
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify([posts])) });
    await page.getByRole('switch', { name: /Merge with existing/ }).press('Space');
    await page.getByText(/1 changed/).waitFor();
    await page.getByText(/Will be lost with all data: .*posts\.meta/).waitFor();
    await page.getByRole('region', { name: 'posts' }).getByRole('button').click();
    await page.locator('[data-kind="removed"]').first().waitFor();
    await page.getByRole('switch', { name: /Merge with existing/ }).press('Space');
    const renamed = { ...posts, id: 'another_id_001' };
    const link = { name: 'link', type: 'relation', options: { collectionId: renamed.id, maxSelect: 1 } };
    const older = { name: 'older', type: 'base', schema: [link], options: {} };
    await page.locator('main input[type="file"]').setInputFiles({
      name: 'y.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify([renamed, { name: 'imported', type: 'base', fields: [] }, older])),
    });
    await page.getByRole('button', { name: 'Replace with original ids' }).click();
    await page.getByText(/2 added/).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The collections were imported.').waitFor();
    expect((await stored('imported')).name).toBe('imported');
    const linked = (await stored('older')).fields.find((field) => field.name === 'link');
    expect(linked?.collectionId).toBe((await stored('posts')).id);
  });

  it('UI-71 hides what changes the structure, and records need to be unlocked', async () => {
    await suite.server.api.settings.update({ meta: { hideControls: true } });
    try {
      const page = await suite.open('/collections/posts');
      await page.locator('tbody tr[data-id]').first().click();
      const panel = page.getByRole('dialog');
      await panel.getByRole('textbox', { name: 'views' }).fill('5');
      expect(await panel.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
      await panel.getByRole('button', { name: 'Unlock' }).click();
      await panel.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Record saved.').waitFor();
      expect(await page.getByRole('button', { name: 'Settings of the collection' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'New collection' }).count()).toBe(0);
      await page.goto(`${suite.server.url}/_/#/settings/application`);
      await page.getByRole('heading', { name: 'Application' }).waitFor();
      expect(await page.getByRole('link', { name: 'Import collections' }).count()).toBe(0);
    } finally {
      await suite.server.api.settings.update({ meta: { hideControls: false } });
    }
  });
});
