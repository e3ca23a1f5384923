import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedFileName, withoutDirectory } from './file-name.js';

const TEXT = 'text/plain; charset=utf-8';
const marks = (length: number) => '#'.repeat(length);
const stored = (name: string, mimeType = TEXT) => storedFileName(name, mimeType, marks);

describe('stored file names', () => {
  it.each([
    ['abcd', 'abcd_##########.txt'],
    ['a.tar.gz', 'a##########_##########.tar.gz'],
    ['.tar.gz', '##########_##########.tar.gz'],
    ['a.b.c.d.tar.gz', 'a_b_c_d_##########.tar.gz'],
    ['a  b! c d  . 456', 'a_b_c_d_##########.456'],
    ['.abcd.123.', 'abcd_##########.123'],
    ['IMG 2024 Photo.JPG', 'img_2024_photo_##########.JPG'],
    ['тест.png', '##########_##########.png'],
    ['myTestDB.txt', 'my_test_db_##########.txt'],
    ['x.y.tar.gz', 'x_y_##########.tar.gz'],
  ])('FS-25 %j is stored as %s', (sent, expected) => {
    expect(stored(sent)).toBe(expected);
  });

  it.each([
    ['', '##########_##########.txt'],
    ['.', '##########_##########.txt'],
    ['...', '##########_##########.txt'],
    ['/etc/passwd', 'passwd_##########.txt'],
    ['..\\..\\boot.ini', 'boot_##########.ini'],
    ['../', '##########_##########.txt'],
    ['photo.', 'photo_##########.txt'],
    ['photo.???', 'photo_##########.txt'],
    ['photo.é.ü', 'photo_##########.txt'],
    ['abc.a*b-c+d=e#f', 'abc_##########.a*b-c+d=e#f'],
    ['abc.x\u0000y\nz', 'abc_##########.xyz'],
    ['HTTPServerID2x', 'httpserver_id2x_##########.txt'],
    ['a1B2c3', 'a1_b2c3_##########.txt'],
    ['--a--b--', 'a_b_##########.txt'],
  ])('FS-25 %j is stored as %s', (sent, expected) => {
    expect(stored(sent)).toBe(expected);
  });

  it('FS-25 a missing extension is the usual one of the type, none for unknown content', () => {
    expect(stored('photo', 'image/png')).toBe('photo_##########.png');
    expect(stored('photo', 'IMAGE/JPEG; x=y')).toBe('photo_##########.jpg');
    expect(stored('photo', 'application/octet-stream')).toBe('photo_##########');
  });

  it('FS-25 of long names the last 300 characters count, of the base the first 100 remain', () => {
    expect(stored(`${'x'.repeat(400)}y.png`)).toBe(`${'x'.repeat(100)}_##########.png`);
    expect(stored(`abc${'-'.repeat(300)}d.png`)).toBe('d##########_##########.png');
    expect(stored('𝒳'.repeat(299) + 'abc.png')).toBe('abc_##########.png');
  });

  it('FS-25 of long extensions the last 20 characters remain, without dots at their ends', () => {
    expect(stored('abc.abcdefghijklmnopqrstuvwxyz')).toBe('abc_##########.ghijklmnopqrstuvwxyz');
    expect(stored('abc.abcdefg.hijklmnopqrstuvwxyz')).toBe('abc_##########.hijklmnopqrstuvwxyz');
    expect(stored('abc.1234567890123456789')).toBe('abc_##########.1234567890123456789');
  });

  it('FS-26 the ending of sidecars is avoided', () => {
    expect(stored('abc.attrs')).toBe('abc_##########.attrs_');
    expect(stored('abc.x.attrs')).toBe('abc_##########.x.attrs_');
    expect(stored('abc.attrs_')).toBe('abc_##########.attrs_');
  });

  it('FS-26 whatever is sent, the result is short, harmless and random', () => {
    const names = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.stringMatching(/^[./\\a-zA-Z0-9_ +*=#-]{0,350}$/),
    );
    const types = fc.constantFrom(TEXT, 'image/png', 'application/octet-stream');
    fc.assert(
      fc.property(names, types, (name, type) => {
        const result = storedFileName(name, type);
        expect(result.length).toBeLessThanOrEqual(150);
        expect(result).toMatch(/^[a-z0-9][a-z0-9_]*_[a-z0-9]{10}(\.[\w.*\-+=#]*[\w*\-+=#])?$/);
        expect(result.endsWith('.attrs')).toBe(false);
        expect(storedFileName(name, type)).not.toBe(result);
      }),
      { numRuns: 500 },
    );
  });

  it('FS-25 directories are cut off, of either kind', () => {
    expect(withoutDirectory('C:\\Users\\x\\photo.png')).toBe('photo.png');
    expect(withoutDirectory('a/b\\c/photo.png')).toBe('photo.png');
    expect(withoutDirectory('photo.png')).toBe('photo.png');
  });
});
