import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { Tokenizer } from 'htmlparser2';
import { describe, expect, it, vi } from 'vitest';
import { BadRequestError } from '../errors/bad-request.error.js';
import { ExcerptReading, makeExcerpt } from './excerpt.js';

const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
console.info(`FUZZ_SEED=${seed}`);

const plain = (html: string) => makeExcerpt(html, { max: 1_000_000, withEllipsis: true });

describe('makeExcerpt', () => {
  it.each<[string, string]>([
    ['', ''],
    [' \n\t ', ''],
    ['plain  text\n here ', 'plain text here'],
    ['<p>Hello <b>bold</b> w<i>or</i>ld</p>', 'Hello bold world'],
    ['&lt;b&gt; &amp; &quot;x&quot; &#228;&#x1F600;&nbsp;y', '<b> & "x" ä😀 y'],
    ['a & b < c > d', 'a & b < c > d'],
    ['1 &unknown; 2', '1 &unknown; 2'],
    ['x<!-- hidden --!>y<!doctype html><?php z ?>', 'xy'],
    ['<a href="x>y" title=\'<p>\'>link</a>', 'link'],
    ['text <b', 'text'],
    ['<>', '<>'],
  ])('FLD-5 takes the tags out of %j', (html, text) => {
    expect(plain(html)).toBe(text);
  });

  it.each([
    'style',
    'script',
    'iframe',
    'applet',
    'object',
    'svg',
    'picture',
    'template',
    'button',
    'textarea',
    'select',
    'option',
    'title',
  ])('FLD-5 drops the content of <%s>', (name) => {
    expect(plain(`a <${name} x="1">b<b>c</b></${name}> d`)).toBe('a d');
    expect(plain(`a <${name.toUpperCase()}>b</${name.toUpperCase()}\n>d`)).toMatch(/^a ?d$/);
  });

  it.each(['head', 'dialog', 'form'])('FLD-5 drops the content of <%s>', (name) => {
    expect(plain(`a <${name}><title>b</title></${name}> d`)).toBe('a d');
  });

  it.each(['embed', 'img', 'input'])('FLD-5 goes on behind <%s>, which has no content', (name) => {
    expect(plain(`a<${name} alt="x">b</${name}>c<${name}/>d`)).toBe('abcd');
  });

  it.each<[string, string]>([
    ['<html><head><title>T</title><meta><style>s{}</style></head><body>B</body></html>', 'B'],
    ['<head><title>T</title><body>B', 'B'],
    ['<head><title>T</title><p>B</p>', 'B'],
    ['<title>T</title><p>B</p>', 'B'],
    ['<object><object>x</object>y</object>z', 'z'],
    ['<form>a<button>b</form>c', 'c'],
    ['<p>a<button>b</p>c', 'a c'],
    ['<select><option>a<option selected>b<optgroup><option>c</select>d', 'd'],
    ['<option>a<option>b</option>c', 'c'],
    ['<script>"</b><p>" < 1 // </scripty></script>x', 'x'],
    ['<textarea><p>a</textarea>b', 'b'],
    ['a<svg><title>b</svg>c', 'ac'],
    ['a<svg/>b', 'ab'],
    ['a<svg><path/><style>x</style></svg>b', 'ab'],
    ['a</button>b</nothing>c', 'abc'],
    ['<script>never closed', ''],
  ])('FLD-5 finds the end of dropped content in %j', (html, text) => {
    expect(plain(html)).toBe(text);
  });

  it('FLD-5 separates words at block elements and line breaks, and nowhere else', () => {
    expect(plain('<h1>One</h1><p>two</p>three<div>four<div>five</div></div><ul><li>six</li><li>seven</ul>')).toBe(
      'One two three four five six seven',
    );
    expect(plain('<table><tr><td>a<td>b<tr><th>c</table>d<br>e<br/>f<hr>g')).toBe('a b c d e f g');
    expect(plain('a<span>b</span><em>c</em><a>d</a><code>e</code><x-y>f</x-y>g<wbr>h')).toBe('abcdefgh');
    expect(plain('<p> a </p> <p> , </p>')).toBe('a ,');
  });

  it.each<[string, number, string, string]>([
    ['abcdef', 3, 'abc', 'abc...'],
    ['abcdef', 6, 'abcdef', 'abcdef'],
    ['  abc def', 4, 'abc', 'abc...'],
    ['abc    ', 3, 'abc', 'abc'],
    ['abc<p></p>', 3, 'abc', 'abc'],
    ['abc<p>d</p>', 4, 'abc', 'abc...'],
    ['abc<p>d</p>', 5, 'abc d', 'abc d'],
    ['😀😁😂', 2, '😀😁', '😀😁...'],
    ['<b>😀</b>&#x1F601;x', 2, '😀😁', '😀😁...'],
    ['a', 1, 'a', 'a'],
    ['ab', 1, 'a', 'a...'],
    ['ab', Number('9'.repeat(30)), 'ab', 'ab'],
  ])('FLD-5 cuts %j to %d code points', (html, max, cut, withEllipsis) => {
    expect(makeExcerpt(html, { max, withEllipsis: false })).toBe(cut);
    expect(makeExcerpt(html, { max, withEllipsis: true })).toBe(withEllipsis);
  });

  it('FLD-5 is the beginning of the plain text, for any text', { timeout: 60_000 }, () => {
    const parts = [
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      '<script>',
      '</script>',
      '<svg',
      '/>',
      '>',
      '<',
      '&',
      '&amp;',
      '<!--',
      '-->',
      '<br>',
      ' ',
      '\n',
      'word',
      'ä',
      '😀',
      '"',
      '<option>',
      '</select>',
      '<form>',
      '</form>',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 })), { maxLength: 25 }),
        fc.integer({ min: 1, max: 20 }),
        (pieces, max) => {
          const html = pieces.join('');
          const whole = plain(html);
          expect(whole).toBe(whole.replace(/\s+/g, ' ').trim());
          const points = [...whole];
          const expected = points.slice(0, max).join('').trimEnd();
          expect(makeExcerpt(html, { max, withEllipsis: false })).toBe(expected);
          expect(makeExcerpt(html, { max, withEllipsis: true })).toBe(
            points.length > max ? `${expected}...` : expected,
          );
        },
      ),
      { seed, numRuns: 5_000 },
    );
  });

  it('reads no further than it has to', () => {
    const pause = vi.spyOn(Tokenizer.prototype, 'pause');
    try {
      makeExcerpt(`<p>${'word '.repeat(10)}</p>${'<p>more</p>'.repeat(1000)}`, { max: 20, withEllipsis: true });
      expect(pause).toHaveBeenCalledTimes(1);
    } finally {
      pause.mockRestore();
    }
  });

  it('takes no more than linear time for nesting a million deep, closed or not', () => {
    const deep = 1_000_000;
    expect(plain(`${'<b>'.repeat(deep)}x${'</b>'.repeat(deep)}`)).toBe('x');
    expect(plain(`${'<b>'.repeat(deep)}${'</i>'.repeat(deep)}x`)).toBe('x');
    expect(plain(`${'<i><b>'.repeat(deep / 2)}${'</i>'.repeat(deep)}x`)).toBe('x');
    expect(plain(`${'<form>'.repeat(deep)}x`)).toBe('');
    expect(plain('<'.repeat(deep))).toHaveLength(deep);
    expect(plain('&'.repeat(deep))).toHaveLength(deep);
    expect(plain('<!--'.repeat(deep))).toBe('');
  });

  it('OPS-39 the excerpts of one answer read no more than 2,000,000 characters, whatever the texts are made of', () => {
    for (const text of ['<b></b>', '<p>ab</p>', '&amp;', '<!---->', 'a ', ' ']) {
      const reading = new ExcerptReading();
      const value = text.repeat(100_000);
      const all = () => {
        for (let count = 0; count < 40; count++) makeExcerpt(value, { max: 1_000_000, withEllipsis: false }, reading);
      };
      expect(all).toThrow(BadRequestError);
      reading.renew();
      expect(() => makeExcerpt(value, { max: 1_000_000, withEllipsis: false }, reading)).not.toThrow();
    }
  });

  it('OPS-39 only what is read of a text counts', () => {
    const reading = new ExcerptReading();
    for (const value of [`<p>${'some words '.repeat(100_000)}</p>`, 'some words '.repeat(100_000)]) {
      for (let count = 0; count < 100; count++) {
        expect(makeExcerpt(value, { max: 4, withEllipsis: false }, reading)).toBe('some');
      }
    }
  });
});
