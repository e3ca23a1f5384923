import { describe, expect, it } from 'vitest';
import { isInlineType, servedType } from './served-type.js';

describe('types of served files', () => {
  it('FS-67 images, films, music and PDF are shown; what can run scripts is not', () => {
    const shown =
      'image/png image/jpg image/jpeg image/gif image/webp image/x-icon image/bmp image/avif video/webm video/mp4 video/3gpp video/quicktime video/x-ms-wmv audio/basic audio/aiff audio/mpeg audio/midi audio/mp3 audio/wave audio/wav audio/x-wav audio/x-mpeg audio/x-m4a audio/aac application/pdf application/x-pdf';
    for (const type of shown.split(' ')) expect(isInlineType(type), type).toBe(true);
    for (const type of [
      'image/svg+xml',
      'text/html; charset=utf-8',
      'text/xml',
      'text/plain',
      'application/json',
      '',
    ]) {
      expect(isInlineType(type), type).toBe(false);
    }
  });

  it.each([
    ['text/plain; charset=utf-8', 'a_b.svg', 'image/svg+xml'],
    ['text/plain', 'a.css', 'text/css'],
    ['text/plain', 'a.js', 'text/javascript'],
    ['text/plain', 'a.mjs', 'text/javascript'],
    ['text/plain', 'a.MJS', 'text/javascript'],
    ['application/zip', 'a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['application/zip', 'a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['application/zip', 'a.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['image/png', 'a.svg', 'image/png'],
    ['image/jpeg', 'a.js', 'image/jpeg'],
    ['image/png', 'a.html', 'image/png'],
    ['image/png', 'svg', 'image/png'],
    ['image/png', 'a.constructor', 'image/png'],
  ])('FS-66 %s stored as %s is served as %s', (stored, name, served) => {
    expect(servedType(stored, name)).toBe(served);
  });
});
