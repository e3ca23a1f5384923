import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';

const EDITED = '<p>Typed here</p>';

/** Texts as other editors and people write them. */
const TEXTS: Readonly<Record<string, string>> = {
  'an embedded video': '<p>a</p><iframe src="https://v.example/1" width="560" allowfullscreen=""></iframe><p>b</p>',
  'classes, ids and data': '<h2 id="top" class="lead">T</h2><p class="intro x" data-n="1">a <em class="k">b</em></p>',
  'code with a language': '<pre class="box"><code class="language-ts">const a = 1;\n  b();</code></pre><p>a</p>',
  'sub, sup, mark and others':
    '<p>H<sub>2</sub>O x<sup class="n">2</sup> <mark>m</mark> <kbd>K</kbd> <del>d</del><ins>i</ins></p>',
  'marks within marks': '<p><mark>a <sup>b</sup></mark> <strong>c <sub>d</sub></strong></p>',
  'a figure':
    '<figure class="w"><img src="/a.png" alt="A"><figcaption>Some <em>words</em></figcaption></figure><p>a</p>',
  details: '<details open=""><summary>More</summary><p>Hidden</p></details><p>a</p>',
  'nested containers':
    '<div class="row"><div class="col"><p>a</p></div><section id="s"><p>b</p><p>c</p></section></div>',
  'a line in a div': '<div class="note">Only <strong>text</strong></div><p>a</p>',
  'a definition list': '<dl><dt>Term</dt><dd>What it is</dd></dl><p>a</p>',
  'pictures in a line': '<p>a <img src="/a.png" alt="A" class="i"> b</p><p><img src="/b.png" alt="B"></p>',
  'links as they are':
    '<p><a href="/x" class="btn" title="T">x</a> <a href="https://e.example" target="_self" rel="me">y</a></p>',
  'an anchor without an address': '<p><a id="here"></a>a <a name="there">b</a></p>',
  'an icon that is an empty element': '<p><i class="fa fa-star"></i> a <span class="dot"></span></p>',
  'styles beside those of the editor':
    '<p style="text-align: center; margin: 3px">a <span style="color: red; font-size: 20px">b</span></p>',
  'a table with head, widths and a caption':
    '<table class="t"><caption>C</caption><colgroup><col style="width: 50%"></colgroup><thead><tr><th scope="col"><p>a</p></th><th><p>c</p></th></tr></thead><tbody><tr class="r"><td colspan="2"><p>b</p></td></tr></tbody></table><p>a</p>',
  'comments and forms': '<p>a</p><!-- more --><form action="/f"><input name="n"><button>Go</button></form><p>b</p>',
  'a drawing in a line': '<p>a <svg width="8" height="8"><circle cx="4" cy="4" r="4"></circle></svg> b</p>',
  'scripts and handlers, which never run':
    '<p onclick="window.hacked = 1">a</p><script>window.hacked = 2</script><p><a href="javascript:window.hacked = 3">b</a></p>',
  'an element of one’s own': '<my-chart data-set="1"><span>x</span></my-chart><p>a</p>',
};

describe('rich text of others in the admin UI', () => {
  const names = Object.keys(TEXTS);
  const fields = names.map((_, index) => ({ name: `text${index}`, type: 'editor' }));
  let id: string;
  const suite = adminSuite(async ({ api }) => {
    await api.collections.create({ name: 'texts', type: 'base', fields });
    const texts = Object.values(TEXTS).map((html, index) => [`text${index}`, `<p>Here</p>${html}`]);
    id = (await api.collection('texts').create(Object.fromEntries(texts))).id;
  });

  it('UI-77 OPS-205 keeps what it does not know when something is typed elsewhere, and runs nothing of it', async () => {
    const page = await suite.open(`/collections/texts?record=${id}`);
    for (const { name } of fields) {
      await page.getByRole('textbox', { name, exact: true }).focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('Typed ');
      await page.keyboard.press('Delete');
      await page.keyboard.type('h');
    }
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').waitFor();
    const stored = await suite.server.api.collection('texts').getOne(id);
    names.forEach((name, index) => expect.soft(stored[`text${index}`], name).toBe(EDITED + TEXTS[name]!));
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it('UI-77 shows unknown parts as blocks that can be selected and deleted', async () => {
    const framed = { text0: '<p>a</p><iframe src="https://v.example/1"></iframe><p>b</p>' };
    const record = await suite.server.api.collection('texts').create(framed);
    const page = await suite.open(`/collections/texts?record=${record.id}`);
    const field = page.getByRole('dialog').locator('[data-field="text0"]');
    await field.locator('[data-kept-name="iframe"]').click();
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').first().waitFor();
    expect((await suite.server.api.collection('texts').getOne(record.id)).text0).toBe('<p>a</p><p>b</p>');
  });

  it('UI-77 opens a text that it could not keep as HTML, says so, and changes nothing that was not typed', async () => {
    const odd =
      '<div>text <p>and a block</p> and text</div><table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>';
    const broken = '<p>a</p><ul><p>no item</p></ul>';
    const record = await suite.server.api.collection('texts').create({ text0: odd + broken });
    const page = await suite.open(`/collections/texts?record=${record.id}`);
    const field = page.getByRole('dialog').locator('[data-field="text0"]');
    await field.getByRole('note').waitFor();
    await field.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await page.keyboard.press('Control+s');
    await page.getByText('Record saved.').first().waitFor();
    expect((await suite.server.api.collection('texts').getOne(record.id)).text0).toBe(`${odd}${broken}!`);
  });

  it('UI-31 makes the toolbar one stop of Tab, with arrows between the tools', async () => {
    const page = await suite.open(`/collections/texts?record=${id}`);
    const bar = page.getByRole('toolbar', { name: 'Formatting' }).first();
    const tool = (name: string) => bar.getByRole('button', { name, exact: true });
    await tool('Bold').waitFor();
    expect(await bar.locator('button:enabled').count()).toBeGreaterThan(15);
    expect(await bar.locator('button[tabindex="0"]').count()).toBe(1);
    const hasFocus = (name: string) => expect.poll(() => tool(name).evaluate((e) => e === document.activeElement));
    await tool('Paragraph').focus();
    await page.keyboard.press('ArrowRight');
    await hasFocus('Bold').toBe(true);
    await page.keyboard.press('End');
    await hasFocus('Full screen').toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.waitForFunction(() => document.activeElement?.getAttribute('contenteditable') === 'true');
    await page.keyboard.press('Shift+Tab');
    await hasFocus('Bold').toBe(true);
    // What a tool opens has keys of its own.
    await tool('Link').click();
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill('ab');
    await address.press('ArrowLeft');
    expect(await address.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
