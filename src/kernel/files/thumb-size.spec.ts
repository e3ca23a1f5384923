import { describe, expect, it } from 'vitest';
import { hasThumbs, isThumbSizeText, isZeroThumbSize, offersThumbSize, parseThumbSize } from './thumb-size.js';

describe('thumbnail sizes', () => {
  it.each([
    ['100x50', { width: 100, height: 50, fit: 'cover', position: 'centre', enlarge: true }],
    ['100x50t', { width: 100, height: 50, fit: 'cover', position: 'top', enlarge: true }],
    ['100x50b', { width: 100, height: 50, fit: 'cover', position: 'bottom', enlarge: true }],
    ['100x50f', { width: 100, height: 50, fit: 'inside', position: 'centre', enlarge: false }],
    ['0x50', { height: 50, fit: 'cover', position: 'centre', enlarge: true }],
    ['0x50f', { height: 50, fit: 'cover', position: 'centre', enlarge: true }],
    ['100x0t', { width: 100, fit: 'cover', position: 'centre', enlarge: true }],
    ['8192x8192', { width: 8192, height: 8192, fit: 'cover', position: 'centre', enlarge: true }],
  ])('FS-82 %s', (text, expected) => {
    expect(parseThumbSize(text)).toEqual(expected);
  });

  it.each([
    '',
    '100',
    '100x',
    'x100',
    '100x100x100',
    '100x100c',
    '100x100tb',
    '-1x5',
    '1.5x5',
    ' 1x1',
    '1x1\n',
    '0x0',
    '0x0f',
  ])('FS-82 %j asks for nothing', (text) => {
    expect(parseThumbSize(text)).toBeUndefined();
  });

  it.each(['8193x1', '1x8193', '0x8193f', `${'9'.repeat(400)}x1`])('FS-85 %s is too large to be made', (text) => {
    expect(parseThumbSize(text)).toBeUndefined();
  });

  it('FS-1 the form of a size, and the sizes that say nothing', () => {
    expect(isThumbSizeText('99999x1t')).toBe(true);
    expect(isThumbSizeText('1x1x')).toBe(false);
    for (const text of ['0x0', '0x0t', '0x0b', '0x0f']) expect(isZeroThumbSize(text)).toBe(true);
    expect(isZeroThumbSize('0x1')).toBe(false);
  });

  it('FS-80 100x100 and literally listed sizes are offered, for types thumbnails are made of', () => {
    expect(offersThumbSize(null, '100x100')).toBe(true);
    expect(offersThumbSize(null, '100x100t')).toBe(false);
    expect(offersThumbSize(['0x50'], '0x50')).toBe(true);
    expect(offersThumbSize(['0x50'], '00x50')).toBe(false);
    for (const type of ['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp', 'image/avif']) {
      expect(hasThumbs(type)).toBe(true);
    }
    for (const type of ['image/svg+xml', 'image/bmp', 'application/pdf', '']) expect(hasThumbs(type)).toBe(false);
  });
});
