import { Controller, Get, Header, Module } from '@nestjs/common';
import {
  AdminExtensionsModule,
  type FieldDefinition,
  type FieldError,
  type FieldType,
  FieldTypesModule,
  type SqlValue,
} from 'roost';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClinicAdminModule } from '../extending/clinic/clinic-admin.module.js';
import { CLINIC_COLLECTIONS } from '../extending/clinic/collections.js';
import { adminSuiteOf } from './support/admin-suite.js';
import { violations } from './support/browser.js';
import { TeamServer } from './support/team-server.js';

/** Field types whose parts of the admin UI do something wrong, each in a way of its own. */
class TextLike implements FieldType<string> {
  readonly options: FieldType['options'] = {};
  constructor(readonly type: string) {}
  column = () => 'text' as const;
  operandKind = () => 'T' as const;
  isMultiple = () => false;
  checkOptions: FieldType['checkOptions'] = () => ({});
  normalize = (raw: unknown) => String(raw ?? '');
  isZero = (value: string) => value === '';
  validate = () => undefined;
  toColumn = (value: string): SqlValue => value;
  fromColumn = (stored: SqlValue) => String(stored ?? '');
}
class LimitedField extends TextLike {
  override readonly options = { most: { kind: 'integer', default: 5 } } as const;
  override checkOptions = ({ most }: FieldDefinition): Record<string, FieldError> =>
    Number(most) < 0 ? { most: { code: 'validation_negative', message: 'At least nothing.' } } : {};
  constructor() {
    super('limited');
  }
}
class MissingField extends TextLike {
  constructor() {
    super('missing');
  }
}
class ThrowingField extends TextLike {
  constructor() {
    super('throwing');
  }
}
class UndefinedField extends TextLike {
  constructor() {
    super('undefined');
  }
}

const BROKEN = `
  class Throws extends HTMLElement { connectedCallback() { throw new Error('no fuel'); } }
  class Refuses extends HTMLElement { set value(value) { throw new Error('no ' + value); } }
  customElements.define('broken-throws', Throws);
  customElements.define('broken-refuses', Refuses);
  customElements.define('broken-later', class extends HTMLElement {
    connectedCallback() {
      this.innerHTML = '<h1>Here</h1><button>Break</button>';
      this.querySelector('button').onclick = () => { throw new Error('broke later'); };
    }
  });
  export function explode() { null.x; }
  export async function refused({ client }) { await client.send('/api/nowhere', {}); }
`;

@Controller('_/extensions')
class BrokenController {
  @Get('broken.js')
  @Header('content-type', 'text/javascript')
  script(): string {
    return BROKEN;
  }
}

@Module({
  imports: [
    FieldTypesModule.register(LimitedField, MissingField, ThrowingField, UndefinedField),
    AdminExtensionsModule.register(
      {
        script: '/_/extensions/gone.js',
        fieldTypes: [{ type: 'missing', input: 'gone-input', cell: 'gone-cell' }],
        pages: [{ path: 'gone', title: 'Gone', element: 'gone-page' }],
      },
      {
        script: '/_/extensions/broken.js',
        fieldTypes: [
          { type: 'throwing', input: 'broken-throws', cell: 'broken-refuses' },
          { type: 'undefined', input: 'broken-unknown', cell: 'broken-unknown' },
        ],
        pages: [
          { path: 'throws', title: 'Throws', element: 'broken-throws' },
          { path: 'later', title: 'Later', element: 'broken-later' },
        ],
        actions: [
          { label: 'Explode', run: 'explode', collections: ['things'] },
          { label: 'Be refused', run: 'refused', collections: ['things'] },
          { label: 'Do nothing', run: 'nothing', collections: ['things'] },
        ],
      },
    ),
  ],
  controllers: [BrokenController],
})
class BrokenModule {}

const TREATMENTS = CLINIC_COLLECTIONS.filter(({ name }) => name === 'treatments');

describe('extensions of the admin UI', () => {
  const suite = adminSuiteOf(
    () => TeamServer.start([ClinicAdminModule, BrokenModule]),
    async ({ api }) => {
      for (const collection of TREATMENTS) await api.collections.create(collection);
      await api.collections.create({
        name: 'things',
        type: 'base',
        fields: [
          { name: 'title', type: 'text' },
          { name: 'd', type: 'limited', most: 7 },
          { name: 'a', type: 'missing' },
          { name: 'b', type: 'throwing' },
          { name: 'c', type: 'undefined' },
        ],
      });
      await api.collection('things').create({ title: 'One', a: 'Ay', b: 'Bee', c: 'Sea' });
    },
  );
  let massage: string;
  beforeEach(async () => {
    const { api } = suite.server;
    await api.collections.truncate('treatments');
    massage = (await api.collection('treatments').create({ name: 'Massage', fee: 80.5 })).id;
    await api.collection('treatments').create({ name: 'Advice', fee: 1200 });
  });
  const fee = async () => (await suite.server.api.collection('treatments').getOne(massage))['fee'] as unknown;

  it('EXT-44 UI-75 shows a value by a cell and edits it by an input of the module', async () => {
    const page = await suite.open('/collections/treatments');
    await page
      .getByRole('gridcell', { name: '€80.50' })
      .or(page.locator('td', { hasText: '€80.50' }))
      .first()
      .waitFor();
    await page.locator(`tr[data-id="${massage}"]`).click();
    const input = page.getByRole('spinbutton', { name: 'fee in euros' });
    await input.waitFor();
    expect(await input.inputValue()).toBe('80.5');
    expect(await violations(page)).toEqual([]);
    await input.fill('-3');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const group = page.getByRole('group', { name: 'fee' });
    await group.getByRole('alert').getByText('It costs nothing at least.').waitFor();
    expect(await input.getAttribute('aria-invalid')).toBe('true');
    await input.fill('95.25');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('td', { hasText: '€95.25' }).waitFor();
    expect(await fee()).toBe(95.25);
  });

  it('UI-75 offers the type to whoever adds a field, and makes a record with its input', async () => {
    const page = await suite.open('/collections/treatments');
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('button', { name: 'New field' }).click();
    await page.getByRole('button', { name: 'Money' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New record' }).click();
    await page.getByRole('spinbutton', { name: 'field in euros' }).fill('7');
    await page.getByRole('textbox', { name: /^name/ }).fill('Gift');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.locator('td', { hasText: '€7.00' }).waitFor();
    const { api } = suite.server;
    expect(await api.collection('treatments').getFirstListItem('field > 6.5')).toMatchObject({
      name: 'Gift',
      field: 7,
    });
  });

  it('EXT-44 UI-75 has a page in the navigation, with the client, and told of the theme as it changes', async () => {
    const page = await suite.open('/collections/treatments');
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Prices' }).click();
    await page.getByRole('heading', { name: 'Price list' }).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['Advice: €1,200.00', 'Massage: €80.50']);
    expect(await page.title()).toMatch(/^Prices/);
    const element = page.locator('clinic-price-list');
    expect(await element.getAttribute('data-scheme')).toBe('light');
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('clinic-price-list[data-scheme="dark"]').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Price list' }).waitFor();
    await page.goto(`${suite.server.url}/_/#/pages/other`);
    await page.getByText('There is nothing at this address').waitFor();
  });

  it('UI-41 UI-75 edits the options of a type of the module as JSON', async () => {
    const page = await suite.open('/collections/things', { expected: ['404'] });
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('button', { name: 'Options of field d' }).click();
    const options = page.getByRole('textbox', { name: 'Options of limited' });
    await expect.poll(() => options.textContent()).toContain('"most": 7');
    const write = async (text: string) => {
      await options.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    };
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    await write('[1]');
    await page.getByText('The options are an object').waitFor();
    expect(await violations(page)).toEqual([]);
    await write('{"most": -1}');
    await save();
    await page.getByText('most: At least nothing.').waitFor();
    await write('{"most": 9}');
    await save();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const most = async () =>
      (await suite.server.api.collections.getOne('things')).fields.find(({ name }) => name === 'd')!['most'] as number;
    expect(await most()).toBe(9);
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('button', { name: 'Options of field d' }).click();
    await write('');
    await save();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await most()).toBe(5);
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    await page.getByRole('button', { name: 'Options of field a' }).click();
    await page.getByRole('switch', { name: 'Hidden' }).waitFor();
    expect(await page.getByRole('textbox', { name: /^Options of / }).count()).toBe(0);
  });

  it('UI-75 keeps the navigation within a narrow page', async () => {
    const page = await suite.open('/pages/prices', { width: 360, height: 700 });
    await page.getByRole('heading', { name: 'Price list' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).waitFor();
  });

  it('EXT-44 UI-75 runs an action on selected records after its question, and on one from its menu', async () => {
    const page = await suite.open('/collections/treatments');
    await page.getByRole('checkbox', { name: `Select record ${massage}` }).check();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Raise fees' }).click();
    const question = page.getByRole('dialog', { name: 'Raise fees?' });
    await question.getByText('rise by a tenth').waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await fee()).toBe(80.5);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Raise fees' }).click();
    await question.getByRole('button', { name: 'Raise fees' }).click();
    await page.getByText('Raised the fees of 1.').waitFor();
    await page.locator('td', { hasText: '€88.55' }).waitFor();
    await page.locator(`tr[data-id="${massage}"]`).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Raise fees' }).click();
    await question.getByRole('button', { name: 'Raise fees' }).click();
    const input = page.getByRole('spinbutton', { name: 'fee in euros' });
    await expect.poll(() => input.inputValue()).toBe('97.41');
    await page.keyboard.press('Escape');
    await page.locator('td', { hasText: '€97.41' }).waitFor();
    // At other collections it is not offered.
    await page.goto(`${suite.server.url}/_/#/collections/_superusers`);
    await page.locator('thead').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: 'Actions' }).count()).toBe(0);
  });

  it('UI-75 tells in their places what fails, and leaves the values to be read and edited', async () => {
    const page = await suite.open('/collections/things', { expected: ['no fuel', 'gone.js', 'MIME'] });
    const row = page.locator('tbody tr[data-id]');
    for (const [text, why] of [
      ['Ay', 'could not be loaded'],
      ['Bee', 'no Bee'],
      ['Sea', 'does not define the element <broken-unknown>'],
    ]) {
      const cell = row.locator('td', { hasText: text });
      await cell.getByRole('img', { name: new RegExp(why!) }).waitFor();
    }
    expect(await violations(page)).toEqual([]);
    await row.click();
    const alerts = page.getByRole('dialog').getByRole('alert');
    await expect
      .poll(() => alerts.allTextContents())
      .toEqual([
        expect.stringMatching(
          /^The input of a cannot be shown. The script \/_\/extensions\/gone.js could not be loaded/,
        ),
        'The input of b cannot be shown. The element <broken-throws> failed: no fuel',
        'The input of c cannot be shown. The script /_/extensions/broken.js does not define the element <broken-unknown>.',
      ]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'b', exact: true }).fill('Bumblebee');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await row.locator('td', { hasText: 'Bumblebee' }).waitFor();
  });

  it('UI-75 tells of a page that fails, and keeps the frame', async () => {
    const page = await suite.open('/pages/gone', { expected: ['no fuel', 'gone.js', 'MIME'] });
    const notice = page.locator('main').getByRole('alert');
    await notice.getByText('“Gone” cannot be shown').waitFor();
    await notice.getByText('/_/extensions/gone.js could not be loaded').waitFor();
    expect(await violations(page)).toEqual([]);
    await notice.getByRole('button', { name: 'Try again' }).click();
    await notice.getByText('“Gone” cannot be shown').waitFor();
    await page.getByRole('link', { name: 'Throws' }).click();
    await notice.getByText('The element <broken-throws> failed: no fuel').waitFor();
    await page.getByRole('link', { name: 'Prices' }).click();
    await page.getByRole('heading', { name: 'Price list' }).waitFor();
  });

  it('UI-75 tells what a script throws later, and what an action throws', async () => {
    const page = await suite.open('/pages/later', { expected: ['broke later'] });
    await page.getByRole('button', { name: 'Break' }).click();
    await page.getByText('The extension /_/extensions/broken.js failed: broke later').waitFor();
    await page.getByRole('heading', { name: 'Here' }).waitFor();
    await page.goto(`${suite.server.url}/_/#/collections/things`);
    await page.locator('thead').getByRole('checkbox').check();
    for (const [label, said] of [
      ['Explode', /^Explode failed: .*null/],
      ['Be refused', /wasn't found|not found/i],
      ['Do nothing', 'does not export a function “nothing”'],
    ] as const) {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: label }).click();
      await page.getByRole('alert').getByText(said).waitFor();
    }
    // Nothing was done, so that the selection stays.
    await page.getByText('1 selected').waitFor();
  });
});
