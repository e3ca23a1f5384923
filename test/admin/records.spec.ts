import { readFile } from 'node:fs/promises';
import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { violations, type OpenOptions } from './support/browser.js';
import { fillShop, PDF, PNG, type Shop } from './support/shop.js';

describe('records in the admin UI', () => {
  let shop: Shop;
  const suite = adminSuite(async (server) => {
    shop = await fillShop(server.api);
  });
  const rows = (page: Page) => page.locator('tbody tr[data-id]');
  const list = async (place = '/collections/posts', options?: OpenOptions) => {
    const page = await suite.open(place, options);
    await rows(page).first().waitFor();
    return page;
  };
  const search = async (page: Page, text: string) => {
    await page.getByLabel('Search or filter').click();
    await page.locator('.cm-content').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
  };

  /** Opens a record and its stream: changes before that are only seen when the record is saved. */
  const watch = async (collection: string, id: string) => {
    let connected: Promise<unknown> = Promise.resolve();
    const page = await list(`/collections/${collection}?record=${id}`, {
      prepare: (blank) => {
        connected = blank.waitForResponse(
          (answer) => answer.url().endsWith('/api/realtime') && answer.request().method() === 'POST',
        );
      },
    });
    await connected;
    return page;
  };

  it('UI-17 shows 40 records, loads more, counts all apart, and never as markup', async () => {
    const page = await list();
    await page.getByText('60 records').waitFor();
    const table = page.getByRole('grid', { name: 'Records of posts' });
    expect(await table.getAttribute('aria-rowcount')).toBe('41');
    await page.locator('[class*="scroller"]').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.waitForFunction(() => document.querySelector('table')?.getAttribute('aria-rowcount') === '61');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it('UI-17 sorts by a header, relations by what stands for them, and keeps the view in the address', async () => {
    const page = await list();
    await page.getByRole('button', { name: 'views', exact: true }).click();
    await page.waitForFunction(() => location.hash.includes('sort=-views'));
    const head = page.getByRole('columnheader', { name: 'views' });
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await page.reload();
    await rows(page).first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'views' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'author', exact: true }).click();
    await page.waitForFunction(() => location.hash.includes('sort=-author.name'));
  });

  it('UI-17 hides and shows columns per collection, hidden fields being off at first', async () => {
    const page = await list();
    expect(await page.getByRole('columnheader', { name: 'internal' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'internal' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'body' }).click();
    await page.keyboard.press('Escape');
    await page.reload();
    await rows(page).first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'internal' }).count()).toBe(1);
    expect(await page.getByRole('columnheader', { name: 'body' }).count()).toBe(0);
  });

  it('UI-17 OPS-210 opens a row by keyboard, marks the refresh when the list no longer fits', async () => {
    const page = await list(`/collections/posts?sort=-views&filter=${encodeURIComponent('views > 1')}`);
    await rows(page).first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog');
    await panel.getByRole('textbox', { name: 'views' }).fill('1');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: /no longer fits/ }).click();
    await page.getByRole('button', { name: 'Refresh', exact: true }).waitFor();
  });

  it('UI-18 searches for a word, filters by an expression, remembers, and keeps a wrong one with its error', async () => {
    const page = await list();
    await search(page, 'perch');
    await page.getByText('10 records').waitFor();
    await search(page, 'views > 900 && active = true');
    await page.waitForFunction(() => location.hash.includes('filter=views'));
    await search(page, 'views >> 3');
    await page.locator('#search-error').waitFor();
    expect(await page.locator('.cm-content').first().textContent()).toBe('views >> 3');
    await page.getByRole('button', { name: 'Past searches' }).click();
    await page.getByRole('menuitem', { name: 'perch' }).click();
    await page.getByText('10 records').waitFor();
    await page.getByRole('button', { name: 'Past searches' }).click();
    await page.getByRole('menuitem', { name: 'Clear the history' }).click();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText('60 records').waitFor();
  });

  it('UI-18 loses no key while the editor is on its way', async () => {
    const page = await list();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/assets/code-editor-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('/');
    const typing = page.keyboard.type('a word that is long enough to be typed on', { delay: 30 });
    setTimeout(release, 400);
    await typing;
    await page.locator('[role="search"] .cm-content').waitFor();
    expect(await page.locator('[role="search"] .cm-content').textContent()).toBe(
      'a word that is long enough to be typed on',
    );
    // Another list, for which it is there at once.
    await page.getByRole('link', { name: / members$/ }).click();
    await page.getByRole('heading', { name: 'members' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('straight');
    await page.locator('[role="search"] .cm-content').waitFor();
    expect(await page.locator('[role="search"] .cm-content').textContent()).toBe('straight');
  });

  it('UI-18 completes fields along relations, the request and macros', async () => {
    const page = await list();
    await page.keyboard.press('/');
    await page.locator('.cm-editor.cm-focused').waitFor();
    const completions = page.locator('.cm-tooltip-autocomplete');
    for (const [typed, offered] of [
      ['aut', 'author'],
      ['author.na', 'author.name'],
      ['@request.au', '@request.auth.'],
      ['@collection.members.em', '@collection.members.email'],
      ['@todayS', '@todayStart'],
    ] as const) {
      await page.keyboard.press('Control+a');
      await page.keyboard.type(typed, { delay: 15 });
      await completions.getByText(offered, { exact: true }).first().waitFor();
      await page.keyboard.press('Escape');
    }
  });

  it('UI-19 selects ranges, downloads, edits a field of several and deletes them', async () => {
    for (const { id } of await suite.server.api.collection('posts').getFullList({ filter: 'views = 4242' })) {
      await suite.server.api.collection('posts').update(id, { views: 0 });
    }
    const page = await list('/collections/posts?filter=title ~ "Release"');
    const boxes = page.locator('tbody input[type="checkbox"]');
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('3').waitFor();
    for (const [item, sign] of [
      ['Download as JSON', '"title"'],
      ['Download as CSV', 'id,'],
    ] as const) {
      await bar.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item }).click(),
      ]);
      expect(await readFile((await download.path())!, 'utf8')).toContain(sign);
    }
    await bar.getByRole('button', { name: 'Edit a field' }).click();
    const dialog = page.getByRole('dialog', { name: /Edit a field of 3 records/ });
    await dialog.getByRole('combobox', { name: 'Field' }).or(dialog.getByLabel('Field')).first().click();
    await page.getByRole('option', { name: 'views' }).click();
    await dialog.getByRole('textbox', { name: 'views' }).fill('4242');
    await dialog.getByRole('button', { name: 'Change 3 records' }).click();
    await page.getByText('Changed views of 3 records.').waitFor();
    expect((await suite.server.api.collection('posts').getList(1, 1, { filter: 'views = 4242' })).totalItems).toBe(3);
    await boxes.nth(0).click();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 1 record' }).click();
    await page.getByText('Deleted 1 record.').waitFor();
  });

  it('UI-19 OPS-204 selects by a tap beside the box, and keeps a phone at its width', async () => {
    const page = await list('/collections/posts', { width: 390, height: 844, touch: true });
    const row = page.locator('tbody tr[data-id]').first();
    await row
      .locator('td')
      .first()
      .tap({ position: { x: 38, y: 12 } });
    await expect.poll(() => row.getByRole('checkbox').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Edit a field' }).tap();
    await page.getByRole('option', { name: 'title' }).waitFor();
    const [width, option] = await Promise.all([
      page.evaluate(() => window.innerWidth),
      page.getByRole('option', { name: 'title' }).boundingBox(),
    ]);
    expect(width).toBe(390);
    expect(option!.x + option!.width).toBeLessThanOrEqual(390);
  });

  it('UI-1 OPS-204 leaves a phone free to the finger after a toast', async () => {
    const page = await list(`/collections/posts?record=${shop.posts[4]!.id}`, { width: 390, height: 844, touch: true });
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'views' }).fill('44');
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    await page.getByText('Record saved.').waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Close panel' }).tap();
    await panel.waitFor({ state: 'detached' });
    await rows(page).nth(2).locator('td').nth(2).tap();
    await panel.waitFor();
  });

  it('UI-20 shows changes as they happen and marks their rows', async () => {
    const page = await list('/collections/members');
    await Promise.all([
      page.waitForResponse(
        (response) => response.url().endsWith('/api/realtime') && response.request().method() === 'POST',
      ),
      page.getByRole('switch', { name: 'Live' }).click(),
    ]);
    await suite.server.api.collection('members').update(shop.members[0]!.id, { name: 'Countess of Lovelace' });
    const row = page.locator(`tr[data-id="${shop.members[0]!.id}"]`);
    await row.getByText('Countess of Lovelace').waitFor();
    expect(await row.getAttribute('data-changed')).toBe('true');
  });

  it('UI-78 puts what happens where it belongs in the order, counts it once, and lets go what leaves the filter', async () => {
    const page = await list(`/collections/members?sort=name&filter=${encodeURIComponent('name != "gone"')}`);
    const names = () => rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.id));
    await Promise.all([
      page.waitForResponse(
        (response) => response.url().endsWith('/api/realtime') && response.request().method() === 'POST',
      ),
      page.getByRole('switch', { name: 'Live' }).click(),
    ]);
    const count = shop.members.length;
    const password = 'a-long-password';
    const members = suite.server.api.collection('members');
    const first = await members.create({
      name: '  first',
      email: 'f@example.com',
      password,
      passwordConfirm: password,
    });
    await expect.poll(names).toEqual(expect.arrayContaining([first.id]));
    expect((await names())[0]).toBe(first.id);
    await page.getByText(`${count + 1} records`).waitFor();
    await members.update(first.id, { name: 'gone' });
    await expect.poll(names).not.toContain(first.id);
    await page.getByText(`${count} records`).waitFor();
    await members.delete(first.id);
  });

  it('UI-17 begins at the top after sorting', async () => {
    const page = await list();
    const scroller = page.locator('table').locator('..');
    await scroller.evaluate((element) => element.scrollTo(0, 900));
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBeGreaterThan(100);
    await page.getByRole('columnheader', { name: 'title' }).getByRole('button', { name: 'title', exact: true }).click();
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(0);
  });

  it('UI-21 has the actions of a collection in its head, without "New record" for views', async () => {
    const page = await list();
    for (const name of ['Settings of the collection', 'Refresh', 'API preview', 'New record']) {
      await page.getByRole('button', { name, exact: true }).waitFor();
    }
    await page.goto(`${suite.server.url}/_/#/collections/post_stats`);
    await page.getByRole('heading', { name: 'post_stats' }).waitFor();
    expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0);
  });

  it('UI-25 UI-3 creates a record with its own id, after showing what is missing at its field', async () => {
    await suite.server.api
      .collection('posts')
      .delete('made0by0hand000')
      .catch(() => undefined);
    const page = await list();
    await page.keyboard.press('n');
    const panel = page.getByRole('dialog', { name: 'New posts record' });
    await panel.getByText('15 characters').waitFor();
    await panel.getByRole('textbox', { name: /^views/ }).fill('7');
    await panel.getByRole('button', { name: 'Create' }).click();
    await panel.locator('[data-field="title"] [role="alert"]').waitFor();
    await panel.getByRole('button', { name: 'Show details' }).click();
    await panel.getByText('validation_required').waitFor();
    await panel.getByRole('textbox', { name: /^title/ }).fill('Made by hand');
    expect(await panel.locator('[data-field="title"] [role="alert"]').count()).toBe(0);
    await panel.locator('#record-id').fill('made0by0hand000');
    await panel.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Record created.').waitFor();
    const made = await suite.server.api.collection('posts').getOne('made0by0hand000');
    expect(made).toMatchObject({ title: 'Made by hand', views: 7 });
  });

  it('UI-25 creates an account with a generated password and a private e-mail', async () => {
    for (const { id } of await suite.server.api.collection('members').getFullList({ filter: 'email ~ "new@"' })) {
      await suite.server.api.collection('members').delete(id);
    }
    const page = await list('/collections/members');
    await page.getByRole('button', { name: 'New record' }).click();
    const panel = page.getByRole('dialog', { name: 'New members record' });
    await panel.locator('#record-email').fill('new@example.com');
    await panel.getByRole('button', { name: 'Generate and copy' }).click();
    const password = await panel.getByLabel('Password', { exact: true }).inputValue();
    expect(password.length).toBe(24);
    await panel.getByRole('switch', { name: 'verified' }).press('Space');
    await panel.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Record created.').waitFor();
    const auth = await suite.server.api
      .collection('members')
      .authWithPassword('new@example.com', password, { headers: {} });
    expect(auth.record).toMatchObject({ verified: true, emailVisibility: false });
    suite.server.api.authStore.save(await superuserToken(suite.server.url), null);
  });

  it('UI-26 keeps a draft, saves by Ctrl+S and stays, resets', async () => {
    const id = shop.posts[1]!.id;
    await suite.server.api.collection('posts').update(id, { views: 5 });
    const page = await list(`/collections/posts?record=${id}`);
    const panel = page.getByRole('dialog');
    const views = panel.getByRole('textbox', { name: 'views' });
    await views.fill('11');
    await page.waitForFunction((key) => localStorage.getItem(key)?.includes('11'), `roost_draft_shop_posts_${id}`);
    await page.reload();
    await panel.getByRole('button', { name: 'Restore them' }).click();
    expect(await views.inputValue()).toBe('11');
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    expect(await suite.server.api.collection('posts').getOne(id)).toMatchObject({ views: 11 });
    expect(await panel.isVisible()).toBe(true);
    await views.fill('12');
    await panel.getByRole('button', { name: 'Reset form' }).click();
    expect(await views.inputValue()).toBe('11');
  });

  it('UI-3 asks before unsaved changes are thrown away, and Esc closes only the top', async () => {
    const page = await list(`/collections/posts?record=${shop.posts[2]!.id}`);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'views' }).fill('99');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).waitFor({ state: 'detached' });
    expect(await panel.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForFunction(() => !location.hash.includes('record='));
  });

  it('UI-3 asks on Cancel too, and offers nothing again that was thrown away', async () => {
    const page = await list(`/collections/posts?record=${shop.posts[2]!.id}`);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'views' }).fill('98');
    const key = `roost_draft_shop_posts_${shop.posts[2]!.id}`;
    await page.waitForFunction((name) => localStorage.getItem(name)?.includes('98'), key);
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await panel.waitFor({ state: 'detached' });
    expect(await page.evaluate((name) => localStorage.getItem(name), key)).toBeNull();
  });

  it('UI-3 takes a question back with the place it was about', async () => {
    const page = await list('/collections/members');
    await page.getByRole('link', { name: / posts$/ }).click();
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    const row = rows(page).nth(3);
    const id = (await row.getAttribute('data-id'))!;
    await row.getByRole('checkbox').click();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 1 record?' });
    await question.waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'members' }).waitFor();
    await question.waitFor({ state: 'detached' });
    expect((await suite.server.api.collection('posts').getOne(id)).id).toBe(id);
  });

  it('UI-25 OPS-204 starts a new record at its first field, and goes to the first mistake', async () => {
    const page = await list('/collections/posts');
    await page.keyboard.press('n');
    const panel = page.getByRole('dialog');
    await panel.waitFor();
    await page.waitForFunction(
      () => document.activeElement?.closest('[data-field]')?.getAttribute('data-field') === 'title',
    );
    await panel.getByRole('textbox', { name: 'contact' }).focus();
    await page.keyboard.press('Control+s');
    await panel.locator('[data-field="title"][data-invalid]').waitFor();
    await page.waitForFunction(
      () => document.activeElement?.closest('[data-field]')?.getAttribute('data-field') === 'title',
    );
    await page.goto(`${suite.server.url}/_/#/collections/members?record=new`);
    await page.waitForFunction(() => document.activeElement?.id === 'record-email');
  });

  it('UI-30 shows and edits what is written from right to left from the right', async () => {
    const { id } = shop.posts.find(({ title }) => title.startsWith('مرحبا'))!;
    const page = await suite.open(`/collections/posts?record=${id}`, { width: 390, touch: true });
    const panel = page.getByRole('dialog').first();
    const directionOf = (element: Element) => getComputedStyle(element).direction;
    const title = panel.getByRole('textbox', { name: /^title/ });
    await title.waitFor();
    expect(await title.evaluate(directionOf)).toBe('rtl');
    expect(await panel.getByRole('heading').first().evaluate(directionOf)).toBe('rtl');
    await title.fill('from left to right');
    expect(await title.evaluate(directionOf)).toBe('ltr');
  });

  it('UI-19 leaves the bar of a selection free when it says that something failed', async () => {
    const page = await list('/collections/posts', { width: 390, touch: true });
    await page.locator('tbody input').first().click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.waitFor();
    await page.route('**/records/**', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 500, json: { status: 500, message: 'It went wrong, more or less.', data: {} } })
        : route.fallback(),
    );
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 1 record' }).click();
    const toast = page.locator('.mantine-Notification-root');
    await toast.getByText('It went wrong').waitFor();
    const [above, below] = await Promise.all([toast.boundingBox(), bar.boundingBox()]);
    expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y);
  });

  it('UI-76 shows at once what somebody else changes, and takes it over where nothing was changed here', async () => {
    const post = shop.posts[20]!;
    const posts = suite.server.api.collection('posts');
    const page = await watch('posts', post.id);
    const panel = page.getByRole('dialog');
    const title = panel.getByRole('textbox', { name: 'title' });
    await posts.update(post.id, { title: 'By somebody else' });
    const notice = panel.getByRole('status').filter({ hasText: 'Somebody else has just changed' });
    await notice.getByText('By somebody else').waitFor();
    expect(await title.inputValue()).toBe('By somebody else');
    expect(await violations(page)).toEqual([]);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });

    await panel.getByRole('textbox', { name: 'website' }).fill('https://mine.example');
    await posts.update(post.id, { title: 'Once more', contact: 'theirs@example.com' });
    await notice.getByText('Once more').waitFor();
    await notice.getByText('theirs@example.com').waitFor();
    expect(await title.inputValue()).toBe('By somebody else');
    await notice.getByRole('button', { name: 'Take them over' }).click();
    expect(await title.inputValue()).toBe('Once more');
    expect(await panel.getByRole('textbox', { name: 'website' }).inputValue()).toBe('https://mine.example');
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    expect(await posts.getOne(post.id)).toMatchObject({
      title: 'Once more',
      contact: 'theirs@example.com',
      website: 'https://mine.example',
    });
    expect(await notice.count()).toBe(0);
  });

  it('UI-76 shows what somebody else changes before the panel is told of changes', async () => {
    const post = shop.posts[23]!;
    let subscribe: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => (subscribe = resolve));
    const page = await list(`/collections/posts?record=${post.id}`, {
      prepare: (blank) =>
        void blank.route('**/api/realtime', async (route) => {
          if (route.request().method() === 'POST') await isOpen;
          await route.continue();
        }),
    });
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'title' }).waitFor();
    await suite.server.api.collection('posts').update(post.id, { title: 'In between' });
    subscribe();
    await panel.getByRole('status').filter({ hasText: 'In between' }).waitFor();
    expect(await panel.getByRole('textbox', { name: 'title' }).inputValue()).toBe('In between');
  });

  it('UI-76 takes nothing back that it has been told of, whatever it reads late', async () => {
    const post = shop.posts[24]!;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    let isRead: () => void = () => undefined;
    const read = new Promise<void>((resolve) => (isRead = resolve));
    const page = await list(`/collections/posts?record=${post.id}`, {
      prepare: (blank) =>
        void blank.route(`**/records/${post.id}*`, async (route) => {
          const response = await route.fetch();
          reads += 1;
          if (reads > 1) {
            isRead();
            await released;
          }
          await route.fulfill({ response });
        }),
    });
    const panel = page.getByRole('dialog').first();
    await read;
    await suite.server.api.collection('posts').update(post.id, { title: 'Told of' });
    await panel.getByRole('status').filter({ hasText: 'Told of' }).waitFor();
    const late = page.waitForResponse((answer) => answer.url().includes(`/records/${post.id}`));
    release();
    await (await late).finished();
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await panel.getByRole('textbox', { name: 'title' }).inputValue()).toBe('Told of');
  });

  it('UI-76 asks what stays of a field that was changed here and elsewhere, also where it was not told of that', async () => {
    const post = shop.posts[21]!;
    const posts = suite.server.api.collection('posts');
    const page = await list(`/collections/posts?record=${post.id}`, {
      prepare: (blank) => void blank.route('**/api/realtime', (route) => route.abort()),
      expected: ['ERR_FAILED'],
    });
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'title' }).fill('Mine');
    await panel.getByRole('textbox', { name: 'website' }).fill('https://mine.example');
    await posts.update(post.id, { title: 'Theirs', website: 'https://theirs.example', contact: 'theirs@example.com' });
    await page.keyboard.press('Control+s');
    const question = page.getByRole('dialog', { name: 'Somebody else changed the same fields' });
    await question.getByRole('radiogroup', { name: 'What stays in title' }).waitFor();
    expect(await question.getByRole('radiogroup').count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await panel.getByRole('textbox', { name: 'title' }).inputValue()).toBe('Mine');
    await page.keyboard.press('Control+s');
    await question.getByRole('radio', { name: /^Theirs: .*theirs.example/ }).check();
    await question.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Record saved.').waitFor();
    expect(await posts.getOne(post.id)).toMatchObject({
      title: 'Mine',
      website: 'https://theirs.example',
      contact: 'theirs@example.com',
    });
    expect(await panel.getByRole('textbox', { name: 'contact' }).inputValue()).toBe('theirs@example.com');
  });

  it('UI-76 asks in the notice and in the question alike, and neither takes the choice of the other', async () => {
    const post = shop.posts[22]!;
    const page = await watch('posts', post.id);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'title' }).fill('Mine');
    await suite.server.api.collection('posts').update(post.id, { title: 'Theirs', contact: 'theirs@example.com' });
    const notice = panel.getByRole('status').filter({ hasText: 'Somebody else has just changed' });
    const mine = notice.getByRole('radio', { name: /^Mine/ });
    expect(await mine.isChecked()).toBe(true);
    await notice.getByText('theirs@example.com').waitFor();
    await page.keyboard.press('Control+s');
    const question = page.getByRole('dialog', { name: 'Somebody else changed the same fields' });
    await question.getByRole('radio', { name: /^Theirs/ }).check();
    expect(await notice.locator('input[type="radio"]').first().isChecked()).toBe(true);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await mine.isChecked()).toBe(true);
    await panel.getByRole('button', { name: 'Reset form' }).click();
  });

  it('UI-76 says that a record was deleted, and makes a new one of what was typed', async () => {
    const posts = suite.server.api.collection('posts');
    const { id } = await posts.create({ title: 'Short lived' });
    const page = await watch('posts', id);
    const panel = page.getByRole('dialog');
    await panel.getByRole('textbox', { name: 'title' }).fill('Still wanted');
    await posts.delete(id);
    await panel.getByText('Somebody else has deleted this record').waitFor();
    await panel.getByRole('button', { name: 'Make a new one of it' }).click();
    const fresh = page.getByRole('dialog', { name: 'New posts record' });
    expect(await fresh.getByRole('textbox', { name: 'title' }).inputValue()).toBe('Still wanted');
    await fresh.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Record created.').waitFor();
    const made = await posts.getFirstListItem('title = "Still wanted"');
    expect(made.id).not.toBe(id);
    await posts.delete(made.id);
  });

  it('UI-76 lists the records that point to one, with their number and the way to them', async () => {
    const member = shop.members[2]!;
    const posts = suite.server.api.collection('posts');
    const { totalItems } = await posts.getList(1, 1, { filter: `author = "${member.id}"` });
    const page = await list(`/collections/members?record=${member.id}`);
    const pointing = page.getByRole('region', { name: 'Records that point here' });
    const row = (name: string) => pointing.getByRole('listitem').filter({ hasText: `by ${name}` });
    await row('author').getByText(`${totalItems} records`).waitFor();
    const { totalItems: read } = await posts.getList(1, 1, { filter: `readers.id ?= "${member.id}"` });
    await row('readers').getByText(`${read} records`).waitFor();
    await pointing.getByRole('link', { name: 'posts by author' }).click();
    await page.getByText(`${totalItems} records`).waitFor();
    await page.waitForFunction((id) => decodeURIComponent(location.hash).includes(`author = "${id}"`), member.id);
  });

  it('UI-27 UI-76 copies a record, duplicates it into one that is not saved yet, and deletes it', async () => {
    const page = await list(`/collections/posts?record=${shop.posts[3]!.id}`);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy JSON' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(shop.posts[3]!.id);
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.waitForURL(/record=new/);
    const before = (await suite.server.api.collection('posts').getList(1, 1)).totalItems;
    const copy = page.getByRole('dialog', { name: 'New posts record' });
    expect(await copy.getByLabel('title').inputValue()).toBe(shop.posts[3]!.title);
    expect(before).toBe(shop.posts.length);
    await copy.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Record created.').waitFor();
    expect((await suite.server.api.collection('posts').getList(1, 1)).totalItems).toBe(before + 1);
    await rows(page).first().click();
    await panel.waitFor();
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete record' }).click();
    await page.getByText('Record deleted.').waitFor();
  });

  it('UI-27 AUTH-1607 impersonates an account and resets its tokens', async () => {
    const page = await list(`/collections/members?record=${shop.members[1]!.id}`);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Send password reset e-mail' }).waitFor();
    await page.getByRole('menuitem', { name: 'Impersonate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Impersonate' });
    await dialog.getByLabel('Duration in seconds').fill('600');
    await dialog.getByRole('button', { name: 'Generate token' }).click();
    await dialog.getByRole('tab', { name: 'Dart' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Reset issued tokens' }).click();
    await page.getByRole('button', { name: 'Reset tokens' }).click();
    await page.getByText('All tokens of this account have ended.').waitFor();
  });

  it('UI-28 lists and unlinks the linked accounts of a user', async () => {
    const member = shop.members[2]!;
    for (const { id } of await suite.server.api.collection('_externalAuths').getFullList()) {
      await suite.server.api.collection('_externalAuths').delete(id);
    }
    await suite.server.api
      .collection('_externalAuths')
      .create({ collectionRef: 'shop_members', recordRef: member.id, provider: 'google', providerId: 'g-1' });
    const page = await list(`/collections/members?record=${member.id}`);
    await page.getByRole('tab', { name: 'Auth providers' }).click();
    await page.getByText('g-1').waitFor();
    await page.getByRole('button', { name: 'Unlink' }).click();
    await page
      .getByRole('dialog', { name: /Unlink Google/ })
      .getByRole('button', { name: 'Unlink' })
      .click();
    await page.getByText('No linked accounts').waitFor();
  });

  it('UI-29 previews a row of a view without inputs', async () => {
    const page = await list('/collections/post_stats');
    await rows(page).first().click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('button', { name: 'Copy JSON' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^post_stats-.*\.json$/);
    expect(await panel.getByRole('textbox').count()).toBe(0);
  });

  it('UI-30 has an input for every type of field', async () => {
    const id = shop.posts[5]!.id;
    await suite.server.api
      .collection('posts')
      .update(id, { contact: '', website: '', published: '', meta: null, place: null });
    const page = await list(`/collections/posts?record=${id}`);
    const panel = page.getByRole('dialog');
    await panel.getByRole('textbox', { name: /^contact/ }).fill('x@example.com');
    await panel.getByRole('textbox', { name: /^website/ }).fill('https://example.com/x');
    expect(await panel.getByRole('link', { name: 'Open website' }).getAttribute('rel')).toContain('noopener');
    await panel.getByLabel('published in UTC').fill('2026-05-01T10:00:00');
    expect(await panel.getByLabel('published in local time').inputValue()).toMatch(/^2026-05-01T12:00/);
    await panel.locator('[data-field="meta"] .cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"a": ');
    await panel.locator('[data-field="meta"]').getByText('Not valid').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{"a":1}');
    await panel.locator('[data-field="meta"]').getByRole('button', { name: 'Format' }).click();
    await panel.getByLabel('place longitude').fill('16.5');
    await panel.getByLabel('place latitude').fill('48.5');
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    expect(await suite.server.api.collection('posts').getOne(id)).toMatchObject({
      contact: 'x@example.com',
      website: 'https://example.com/x',
      published: '2026-05-01 10:00:00.000Z',
      meta: { a: 1 },
      place: { lon: 16.5, lat: 48.5 },
    });
  });

  it('UI-30 OPS-200 sets a point on a map and by a place, and says so when there is no internet', async () => {
    const id = shop.posts[10]!.id;
    await suite.server.api.collection('posts').update(id, { place: { lon: 0, lat: 0 } });
    const page = await list(`/collections/posts?record=${id}`);
    await page.route('https://tile.openstreetmap.org/**', (route) => route.abort());
    await page.route('https://nominatim.openstreetmap.org/**', (route) => route.abort());
    const field = page.getByRole('dialog').locator('[data-field="place"]');
    await field.getByRole('button', { name: 'Map' }).click();
    const map = field.getByRole('application', { name: /Map/ });
    await map.click({ position: { x: 60, y: 60 } });
    const longitude = field.getByLabel('place longitude');
    await expect.poll(() => longitude.inputValue()).not.toBe('0');
    await field.getByLabel('Search a place').fill('Vienna');
    await field.getByRole('button', { name: 'Find' }).click();
    await field.getByText('The place search cannot be reached').waitFor();
    await page.route('https://nominatim.openstreetmap.org/**', (route) =>
      route.fulfill({
        headers: { 'access-control-allow-origin': '*' },
        json: [{ display_name: 'Vienna, Austria', lat: '48.2083537', lon: '16.3725042' }],
      }),
    );
    await field.getByRole('button', { name: 'Find' }).click();
    await field.getByRole('button', { name: 'Vienna, Austria' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    expect((await suite.server.api.collection('posts').getOne(id)).place).toEqual({ lon: 16.372504, lat: 48.208354 });
  });

  it('UI-31 writes rich text, shows its HTML, and runs nothing of it (OPS-205)', async () => {
    const id = shop.posts[6]!.id;
    await suite.server.api
      .collection('posts')
      .update(id, { body: '<p>old</p><img src="x" onerror="window.hacked = 1"><script>window.hacked = 2</script>' });
    const page = await list(`/collections/posts?record=${id}`);
    const field = page.getByRole('dialog').locator('[data-field="body"]');
    await field.getByRole('textbox', { name: 'body' }).click();
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Hello birds');
    await page.keyboard.press('Control+a');
    await field.getByRole('button', { name: 'Bold' }).click();
    await field.getByRole('button', { name: 'Centre' }).click();
    await field.getByText('2 words').waitFor();
    await page.keyboard.press('End');
    await field.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('menuitem', { name: 'Insert table' }).click();
    await field.getByRole('button', { name: 'HTML code' }).click();
    await field.getByText('<table').first().waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    const { body } = await suite.server.api.collection('posts').getOne(id);
    expect(body).toContain('<strong>Hello birds</strong>');
    expect(body).toContain('text-align: center');
    expect(body).toContain('<table>');
  });

  it('UI-31 counts the words of what is stored, and has no step back from it', async () => {
    const id = shop.posts[6]!.id;
    await suite.server.api.collection('posts').update(id, { body: '<p>three small words</p>' });
    const page = await list(`/collections/posts?record=${id}`);
    const field = page.getByRole('dialog').locator('[data-field="body"]');
    await field.getByText('3 words').waitFor();
    expect(await field.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
    await suite.server.api.collection('posts').update(id, { body: '<p>Some <strong>rich</strong> text</p>' });
  });

  it('UI-32 UI-35 adds files, previews them, marks one for deletion and takes it back', async () => {
    const id = shop.posts[7]!.id;
    await suite.server.api.collection('posts').update(id, { files: [] });
    const page = await list(`/collections/posts?record=${id}`);
    const field = page.getByRole('dialog').first().locator('[data-field="files"]');
    await field.locator('input[type="file"]').setInputFiles([
      { name: 'one.png', mimeType: 'image/png', buffer: PNG },
      { name: 'two.png', mimeType: 'image/png', buffer: PNG },
    ]);
    await field.getByText('two.png').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    const [first] = (await suite.server.api.collection('posts').getOne(id)).files as string[];
    await field.getByRole('button', { name: `Preview ${first}` }).click();
    const preview = page.getByRole('dialog').last();
    await preview.getByText('1 of 2').waitFor();
    await preview.getByRole('button', { name: 'Next file' }).click();
    await preview.getByText('2 of 2').waitFor();
    await page.keyboard.press('Escape');
    await field.getByRole('button', { name: `Delete ${first}` }).click();
    await field.getByRole('button', { name: `Keep ${first}` }).click();
    await field.getByRole('button', { name: `Delete ${first}` }).click();
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.keyboard.press('Control+s');
    await saved;
    expect((await suite.server.api.collection('posts').getOne(id)).files).toHaveLength(1);
  });

  describe('UI-35 a PDF', () => {
    const isDocument = (request: Request) => request.url().includes('.pdf');

    /** The preview of one, in a browser that shows PDFs inside a page or does not: the one of the tests has no viewer. */
    async function preview(hasViewer: boolean): Promise<Page> {
      const { id } = await suite.server.api
        .collection('posts')
        .create({ title: 'With a document', files: [new File([PDF], 'birds.pdf', { type: 'application/pdf' })] });
      const page = await list(`/collections/posts?record=${id}`);
      await page.evaluate(
        (value) => Object.defineProperty(navigator, 'pdfViewerEnabled', { value, configurable: true }),
        hasViewer,
      );
      const panel = page.getByRole('dialog').first();
      await panel.getByRole('button', { name: /^Preview birds/ }).click();
      return page;
    }

    it('is previewed, and offered to be opened by itself', async () => {
      const page = await preview(true);
      const frame = page.getByRole('dialog').last().locator('iframe');
      const served = await fetch((await frame.getAttribute('src'))!);
      expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      await page.getByText('use "Open"').waitFor();
    });

    it('is opened by itself where the browser shows none inside a page', async () => {
      const page = await preview(false);
      await page.getByText('This browser shows no PDFs inside a page').waitFor();
      await Promise.all([
        page.context().waitForEvent('page'),
        page.context().waitForEvent('request', isDocument),
        page.getByRole('dialog').last().getByRole('link', { name: 'Open' }).click(),
      ]);
    });
  });

  it('UI-33 picks related records, opens them and removes them', async () => {
    const id = shop.posts[8]!.id;
    await suite.server.api.collection('posts').update(id, { readers: [] });
    const page = await list(`/collections/posts?record=${id}`);
    const field = page.getByRole('dialog').first().locator('[data-field="readers"]');
    await field.getByRole('button', { name: 'Choose records' }).click();
    const picker = page.getByRole('dialog', { name: 'Choose from members' });
    for (const member of [shop.members[1]!, shop.members[3]!]) {
      await picker.getByRole('checkbox', { name: `Choose ${member.id}` }).click();
    }
    await picker.getByText('2 of 5 chosen').waitFor();
    await picker.getByRole('button', { name: 'Use selection' }).click();
    await field.getByText('Grace Hopper').waitFor();
    await field.getByRole('button', { name: `Open ${shop.members[1]!.id}` }).click();
    await page.getByRole('dialog', { name: 'Grace Hopper' }).getByRole('button', { name: 'Cancel' }).click();
    await field.getByRole('button', { name: `Remove ${shop.members[1]!.id}` }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    expect((await suite.server.api.collection('posts').getOne(id)).readers).toEqual([shop.members[3]!.id]);
  });

  it('UI-33 keeps a long label within its row', async () => {
    const { api } = suite.server;
    await api.collection('members').update(shop.members[4]!.id, { name: 'Supercalifragilistic'.repeat(12) });
    const { id } = await api.collection('posts').create({ title: 'Long', author: shop.members[4]!.id });
    const page = await list(`/collections/posts?record=${id}`);
    const field = page.getByRole('dialog').locator('[data-field="author"]');
    const label = await field.getByText(/^Supercalifragilistic/).boundingBox();
    const open = await field.getByRole('button', { name: /^Open/ }).boundingBox();
    expect(label!.x + label!.width).toBeLessThanOrEqual(open!.x);
    await api.collection('members').update(shop.members[4]!.id, { name: shop.members[4]!.name });
  });

  it('UI-34 inserts an image from a file of a record into rich text', async () => {
    const source = await suite.server.api
      .collection('posts')
      .create({ title: 'With picture', files: [new File([PNG], 'pic.png', { type: 'image/png' })] });
    const page = await list(`/collections/posts?record=${shop.posts[9]!.id}`);
    const field = page.getByRole('dialog').first().locator('[data-field="body"]');
    await field.getByRole('button', { name: 'Image or media' }).click();
    await page.getByRole('button', { name: 'From a record file' }).click();
    const picker = page.getByRole('dialog', { name: 'Choose a file' });
    const box = picker.getByRole('combobox', { name: 'Collection' }).or(picker.getByLabel('Collection')).first();
    await box.click();
    await page.getByRole('option', { name: 'posts' }).click();
    await picker.getByRole('button', { name: (source.files as string[])[0]! }).click();
    await picker.getByRole('button', { name: 'Insert' }).click();
    await field.locator(`img[src*="${(source.files as string[])[0]}"]`).waitFor({ state: 'attached' });
  });

  it('UI-36 lists superusers, marks the own one and refuses to delete the last', async () => {
    const page = await list('/collections/_superusers');
    await page.getByText('You', { exact: true }).waitFor();
    await rows(page).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete record' }).click();
    await page.getByRole('alert').first().waitFor();
    expect((await suite.server.api.collection('_superusers').getList()).totalItems).toBe(1);
  });

  it('OPS-203 keeps at most 200 rows in the document with 10,000 loaded', async () => {
    await suite.server.api.collections.delete('many').catch(() => undefined);
    await suite.server.api.collections.create({ name: 'many', type: 'base', fields: [{ name: 'n', type: 'number' }] });
    await suite.server.api.send('/api/sql', {
      method: 'POST',
      body: {
        query:
          'INSERT INTO many (id, n) WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000) ' +
          "SELECT printf('many%011d', i), i FROM c",
      },
    });
    const page = await suite.open('/docs');
    // The biggest pages the server gives, so that ten clicks load all.
    await page.route('**/records?*perPage=40*', (route) =>
      route.continue({ url: route.request().url().replace('perPage=40', 'perPage=1000') }),
    );
    await page.goto(`${suite.server.url}/_/#/collections/many`);
    const table = page.getByRole('grid', { name: 'Records of many' });
    const scroll = (to: 'top' | 'end') =>
      page
        .locator('[class*="scroller"]')
        .evaluate((element, where) => element.scrollTo(0, where === 'top' ? 0 : element.scrollHeight), to);
    for (let loaded = 1000; loaded < 10_000; loaded += 1000) {
      await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(loaded + 1));
      await scroll('end');
      await page.getByRole('button', { name: 'Load more' }).click();
    }
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('10001');
    for (const place of ['end', 'top'] as const) {
      await scroll(place);
      await page.locator(`[aria-rowindex="${place === 'top' ? 2 : 10_001}"]`).waitFor();
      expect(await page.locator('tr').count()).toBeLessThanOrEqual(200);
    }
  });
});

/** A fresh token of the superuser, after the client was used to sign in as somebody else. */
async function superuserToken(url: string): Promise<string> {
  const { EMAIL, PASSWORD } = await import('./support/server.js');
  const answer = await fetch(`${url}/api/collections/_superusers/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity: EMAIL, password: PASSWORD }),
  });
  return ((await answer.json()) as { token: string }).token;
}
