import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { tooWide, violations } from './support/browser.js';

describe('testing a rule in the admin UI', () => {
  const suite = adminSuite(async ({ api }) => {
    await api.collections.create({ name: 'people', type: 'auth', fields: [{ name: 'name', type: 'text' }] });
    await api.collections.create({
      name: 'notes',
      type: 'base',
      listRule: 'owner = @request.auth.id && open = true',
      createRule: '@request.auth.id != "" && @request.body.title = "Good"',
      fields: [
        { name: 'title', type: 'text', presentable: true },
        { name: 'owner', type: 'text' },
        { name: 'open', type: 'bool' },
      ],
    });
  });
  beforeAll(async () => {
    const { api } = suite.server;
    const account = { password: 'ann-password', passwordConfirm: 'ann-password' };
    const ann = await api.collection('people').create({ name: 'Ann', email: 'ann@example.com', ...account });
    await api.collection('notes').create({ title: 'Mine, open', owner: ann.id, open: true });
    await api.collection('notes').create({ title: 'Mine, closed', owner: ann.id });
    await api.collection('notes').create({ title: 'Theirs', owner: 'x', open: true });
  });

  const open = async (rule: string) => {
    const page = await suite.open('/collections/notes');
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('tab', { name: 'API rules' }).click();
    await page.getByRole('button', { name: `Test as …: the ${rule} rule` }).click();
    const dialog = page.getByRole('dialog', { name: `Test the ${rule} rule as …` });
    await dialog.waitFor();
    return { page, dialog };
  };
  const asAnn = async (page: Page) => {
    await page.getByText('An account', { exact: true }).click();
    await page.getByText('Choose the account to test as').waitFor();
    await page.getByRole('button', { name: 'Choose an account' }).click();
    const picker = page.getByRole('dialog', { name: 'Choose from people' });
    await picker.getByRole('radio').first().check();
    await picker.getByRole('button', { name: 'Use selection' }).click();
    await picker.waitFor({ state: 'detached' });
  };

  it('UI-74 shows which records pass as a guest, an account and a superuser, and which part refuses', async () => {
    const { page, dialog } = await open('List and search');
    const verdicts = () => dialog.getByRole('listitem').allTextContents();
    await dialog.getByText('0 of 3 pass').waitFor();
    const parts = dialog.getByRole('region', { name: 'Parts of the rule' });
    expect(await parts.locator('code').allTextContents()).toEqual(['owner = @request.auth.id', 'open = true']);
    await asAnn(page);
    await dialog.getByText('1 of 3 pass').waitFor();
    expect((await verdicts()).toSorted()).toEqual([
      'Mine, closed Refused by part 2',
      'Mine, open Passes',
      'Theirs Refused by part 1',
    ]);
    expect(await violations(page)).toEqual([]);
    await page.getByText('Superuser', { exact: true }).click();
    await dialog.getByText('3 of 3 pass').waitFor();
    await dialog.getByText('Rules do not apply to superusers.').waitFor();
  });

  it('UI-74 tests the rule as it stands in the editor, and tells what is wrong with it', async () => {
    const { page, dialog } = await open('List and search');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const editor = page.getByRole('textbox', { name: 'List and search rule' });
    await editor.fill('title ~ "Mine" || nothing = 1');
    await page.getByRole('button', { name: 'Test as …: the List and search rule' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/nothing/)
      .waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await editor.fill('title ~ "Mine" || title = "Other"');
    await page.getByRole('button', { name: 'Test as …: the List and search rule' }).click();
    await dialog.getByText('2 of 3 pass').waitFor();
    await dialog.getByText('One part has to pass:').waitFor();
    await dialog.getByText('Refused: no part passes').waitFor();
    expect((await suite.server.api.collections.getOne('notes'))['listRule']).toBe(
      'owner = @request.auth.id && open = true',
    );
  });

  it('UI-74 tests a create rule with a body, and a body that is no JSON is told', async () => {
    const { page, dialog } = await open('Create');
    await dialog.getByRole('status').getByText('Refused by parts 1 and 2').waitFor();
    await asAnn(page);
    await dialog.getByRole('status').getByText('Refused by part 2').waitFor();
    const body = dialog.getByRole('textbox', { name: 'Body' });
    await body.fill('{"title": ');
    await dialog.getByRole('button', { name: 'Use this body' }).click();
    await dialog.getByRole('alert').getByText('The body cannot be used.').waitFor();
    await body.fill('{"title": "Good"}');
    await dialog.getByRole('button', { name: 'Use this body' }).click();
    await dialog.getByRole('status').getByText('Passes').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect((await suite.server.api.collection('notes').getFullList()).length).toBe(3);
  });

  it('UI-74 fits a phone', async () => {
    const page = await suite.open('/collections/notes', { width: 390, height: 800 });
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('tab', { name: 'API rules' }).click();
    await page.getByRole('button', { name: 'Test as …: the List and search rule' }).click();
    await page.getByText('0 of 3 pass').waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });
});
