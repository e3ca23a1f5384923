import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMail } from '../../src/mail/mail-template.js';
import { htmlToText } from '../../src/mail/mail-text.js';

const render = (subject: string, body: string, values: Record<string, string> = {}) =>
  renderMail({ subject, body }, values);

describe('placeholders', () => {
  it('AUTH-1304 are replaced in subject and body, as often as they stand there', () => {
    const mail = render('{APP_NAME}: {APP_NAME}', '<p>{RECORD:email} {TOKEN}</p>', {
      APP_NAME: 'Acme',
      'RECORD:email': 'ada@example.org',
      TOKEN: 'jwt',
    });
    expect(mail.subject).toBe('Acme: Acme');
    expect(mail.html).toContain('<p>ada@example.org jwt</p>');
  });

  it('AUTH-1304 values are escaped in the body and not in the subject', () => {
    const mail = render('{APP_NAME}', `<a href="{APP_NAME}">{APP_NAME}</a>`, { APP_NAME: `<b>"Fish" & 'Chips'` });
    expect(mail.subject).toBe(`<b>"Fish" & 'Chips'`);
    const escaped = '&lt;b&gt;&quot;Fish&quot; &amp; &#39;Chips&#39;';
    expect(mail.html).toContain(`<a href="${escaped}">${escaped}</a>`);
    expect(mail.text).toBe(`<b>"Fish" & 'Chips'\n`);
  });

  it('AUTH-1304 a value that looks like a placeholder is not one', () => {
    const values = { 'RECORD:name': '{TOKEN}{RECORD:name}$&$1', TOKEN: 'jwt' };
    expect(render('{RECORD:name}', '{RECORD:name}', values).subject).toBe('{TOKEN}{RECORD:name}$&$1');
  });

  it('AUTH-1304 unknown ones stay', () => {
    expect(render('{OTP} {RECORD:password} {toString} {__proto__} {NOPE', '').subject).toBe(
      '{OTP} {RECORD:password} {toString} {__proto__} {NOPE',
    );
  });

  it('AUTH-1304 no value ever becomes markup', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const [, body] = /<div class="card">\n(.*?)\n<\/div>/s.exec(render('', '[{TOKEN}]', { TOKEN: value }).html)!;
        expect(body).not.toMatch(/[<>"']/);
      }),
    );
  });
});

describe('the layout', () => {
  it('AUTH-1305 is one page around the body, without images or anything from elsewhere', () => {
    const { html } = render('A & B', '<p>Hello</p>\n<p><a class="btn" href="https://x.example/1">Go</a></p>');
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain('<title>A &amp; B</title>');
    expect(html).toContain('<p>Hello</p>');
    expect(html).toMatch(/a\.btn \{/);
    expect(html).not.toMatch(/<img|url\(|<link|<script|@import/);
  });
});

describe('the text part', () => {
  it('AUTH-1301 keeps paragraphs, lines and lists, and links with their URL', () => {
    const text = htmlToText(`
      <style>p { color: red }</style>
      <h1>Hello,</h1>
      <p>please   confirm <b>your</b>
         address &amp; more.<br>Second line</p>
      <p><a class="btn" href="https://x.example/_/#/auth/confirm/abc">Confirm</a></p>
      <ul><li>one</li><li><a href="https://y.example">https://y.example</a></li></ul>
      <a href="#top">top</a> <a href="https://z.example"><img src="cid:1"></a>
      <script>alert(1)</script>`);
    expect(text).toBe(
      [
        'Hello,',
        '',
        'please confirm your address & more.',
        'Second line',
        '',
        'Confirm (https://x.example/_/#/auth/confirm/abc)',
        '',
        '- one',
        '- https://y.example',
        '',
        'top https://z.example',
        '',
      ].join('\n'),
    );
  });

  it('AUTH-1301 is made from anything without failing', () => {
    fc.assert(
      fc.property(fc.string(), (html) => {
        expect(htmlToText(html)).toMatch(/\n$/);
      }),
    );
    expect(htmlToText('<p>unclosed <a href="x">link <div></p></b>')).toContain('unclosed');
  });
});
