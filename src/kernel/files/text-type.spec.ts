import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectMimeType } from './mime-type.js';
import { usualExtension } from './file-extension.js';

const encoders = new Map<string, Map<string, readonly number[]>>();

/** The platform reads these encodings and does not write them; the first 256 letters are those of ISO-8859-1. */
function encode(text: string, charset: string): Buffer {
  if (charset === 'windows-1252') return Buffer.from(text.replaceAll('€', '\x80').replaceAll('–', '\x96'), 'latin1');
  let letters = encoders.get(charset);
  if (!letters) {
    const decoder = new TextDecoder(charset, { fatal: true });
    letters = new Map();
    for (let lead = 0; lead < 0x100; lead++) {
      for (let trail = -1; trail < 0x100; trail++) {
        const sequence = trail === -1 ? [lead] : [lead, trail];
        try {
          const letter = decoder.decode(Uint8Array.from(sequence));
          if ([...letter].length === 1 && !letters.has(letter)) letters.set(letter, sequence);
        } catch {
          // It means nothing.
        }
      }
    }
    encoders.set(charset, letters);
  }
  return Buffer.from([...text].flatMap((letter) => letters.get(letter)!));
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const utf32 = (text: string, littleEndian: boolean) => {
  const buffer = Buffer.alloc([...text].length * 4);
  [...text].forEach((letter, index) =>
    buffer[littleEndian ? 'writeUInt32LE' : 'writeUInt32BE'](letter.codePointAt(0)!, index * 4),
  );
  return buffer;
};

const JAPANESE = '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で。';
const CHINESE = '道可道，非常道。名可名，非常名。无名天地之始，有名万物之母。故常无欲以观其妙。我们的人是在不了。';
const RUSSIAN = 'Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.';

describe('texts of other encodings', () => {
  it.each<[string, Buffer]>([
    ['text/csv', encode('Name,City\nJosé,São Paulo\n', 'windows-1252')],
    ['text/csv', encode('Name;Größe;Preis\r\nMüller;groß –;5 €\r\n', 'windows-1252')],
    ['text/csv', encode('Größe;Preis\r\n1;2\r\n'.repeat(1000), 'windows-1252')],
    ['text/csv', encode('名前,住所\n山田太郎,東京都\n', 'shift_jis')],
    ['text/csv', encode('名前,住所\r\nソニー,表\r\n', 'shift_jis')],
    ['text/csv', encode('姓名,地址\n张三,北京市\n', 'gbk')],
    ['text/csv', encode('Имя;Город\nИван;Москва\n', 'windows-1251')],
    ['text/csv', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le')],
    ['text/tab-separated-values', Buffer.from('\ufeffNäme\tCity\n1\t2\n', 'utf16le')],
    ['text/tab-separated-values', utf16be('\ufeffNäme\tCity\n1\t2\n')],
    ['text/csv', Buffer.from('\ufeffa,b\n1,2\n')],
    ['text/csv', utf32('\ufeffa,b\n1,😀\n', true)],
    ['text/csv', utf32('\ufeffa,b\n1,😀\n', false)],
    ['application/json', Buffer.from('\ufeff{"a":"ü"}', 'utf16le')],
    ['application/json', encode('{"a":"ü"}', 'windows-1252')],
    ['text/calendar', encode('BEGIN:VCALENDAR\r\nSUMMARY:Frühstück\r\n', 'windows-1252')],
    ['text/vcard', encode('BEGIN:VCARD\r\nVERSION:2.1\r\nN:Müller\r\n', 'windows-1252')],
    ['application/x-subrip', encode('1\r\n00:00:01,000 --> 00:00:02,000\r\nDéjà vu\r\n', 'windows-1252')],
    ['text/plain; charset=iso-8859-1', encode('café', 'windows-1252')],
    ['text/plain; charset=iso-8859-1', encode('BMW für alle', 'windows-1252')],
    ['text/plain; charset=iso-8859-1', encode('MZ für alle', 'windows-1252')],
    ['text/plain; charset=windows-1252', encode('5 € – so', 'windows-1252')],
    ['text/plain; charset=shift_jis', encode('テスト', 'shift_jis')],
    ['text/plain; charset=shift_jis', encode(JAPANESE, 'shift_jis')],
    ['text/plain; charset=euc-jp', encode(JAPANESE, 'euc-jp')],
    ['text/plain; charset=gb18030', encode(CHINESE, 'gbk')],
    ['text/plain; charset=windows-1251', encode(RUSSIAN, 'windows-1251')],
    ['text/plain; charset=koi8-r', encode(RUSSIAN, 'koi8-r')],
    ['text/plain; charset=utf-16le', Buffer.from('\ufeffhello', 'utf16le')],
    ['text/plain; charset=utf-16le', Buffer.from('\ufeff', 'utf16le')],
    ['text/plain; charset=utf-16be', utf16be('\ufeffПривет')],
    ['text/plain; charset=utf-32le', utf32('\ufeffПривет', true)],
    ['text/plain; charset=utf-32be', utf32('\ufeff😀', false)],
    ['text/plain; charset=utf-8', Buffer.from('\ufeffПривет')],
    ['text/xml; charset=iso-8859-1', encode('<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>ü</a>', 'windows-1252')],
    ['text/xml; charset=iso-8859-1', Buffer.from("<?xml version='1.0' encoding='ISO-8859-1' ?><a/>")],
    ['text/xml; charset=shift_jis', encode('<?xml version="1.0" encoding="Shift_JIS"?><a>表</a>', 'shift_jis')],
    ['text/xml; charset=utf-16le', Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><a/>', 'utf16le')],
    ['text/xml; charset=utf-8', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>ü</a>')],
    ['text/xml; charset=utf-8', Buffer.from('<?xml version="1.0" encoding="nonsense"?><a>ü</a>')],
    ['text/xml; charset=utf-8', Buffer.from('<?xml version="1.0"?><a encoding="shift_jis">ü</a>')],
    ['image/svg+xml', encode('<?xml version="1.0" encoding="ISO-8859-1"?><svg><text>ü</text></svg>', 'windows-1252')],
    ['text/html; charset=windows-1252', encode('<html><meta charset=windows-1252><p>ü', 'windows-1252')],
    [
      'text/html; charset=windows-1251',
      encode('<html><META content="text/html; charset=windows-1251" http-equiv="x">Я', 'windows-1251'),
    ],
    ['text/html; charset=utf-8', Buffer.from('<html><meta charset="utf-7">+ADw-script+AD4-')],
    ['text/html; charset=utf-16be', utf16be('\ufeff<!doctype html><p>ü')],
    ['text/html; charset=iso-8859-1', encode('<!doctype html><p>ü', 'windows-1252')],
  ])('FS-13 tells %s %#', async (type, content) => {
    expect(await detectMimeType(content)).toBe(type);
  });

  it('FS-13 the same text is of the same type in every encoding, also when it is cut after 4 KiB', async () => {
    const row = `Nr,Größe,"a\n,b"\r\n`;
    for (const text of [row.repeat(3), row.repeat(1000)]) {
      for (const content of [
        Buffer.from(text),
        Buffer.from(`\ufeff${text}`, 'utf16le'),
        utf16be(`\ufeff${text}`),
        utf32(`\ufeff${text}`, true),
        utf32(`\ufeff${text}`, false),
        encode(text, 'windows-1252'),
        Buffer.concat([Buffer.from(' '), encode(text, 'windows-1252')]),
        encode(text.replaceAll('Größe', '大きさ'), 'shift_jis'),
        encode(text.replaceAll('Größe', 'x大きさ'), 'euc-jp'),
      ]) {
        expect(await detectMimeType(content)).toBe('text/csv');
      }
    }
  });

  it.each<[string, Buffer]>([
    ['a control character', Buffer.from('caf\xe9\x01', 'latin1')],
    ['a control character in UTF-16', Buffer.from('\ufeffa\u0001', 'utf16le')],
    ['half a character in UTF-16', Buffer.from('\ufeffab', 'utf16le').subarray(0, 5)],
    ['a surrogate alone in UTF-16', Buffer.from('\ufeff\ud800b', 'utf16le')],
    ['no character in UTF-32', Buffer.from('\0\0\xfe\xff\0\x11\0\0', 'latin1')],
    ['UTF-16 without its mark', Buffer.from('hello', 'utf16le')],
    ['a declaration over control characters', Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>\0')],
  ])('FS-13 %s is no text', async (_name, content) => {
    expect(await detectMimeType(content)).toBe('application/octet-stream');
  });

  it.each<[string, Buffer]>([
    ['image/jpeg', Buffer.from('\xff\xd8\xff\xdb\xaa', 'latin1')],
    ['audio/mpeg', Buffer.from(`\xff\xfb\x90\x64${'\xaa'.repeat(600)}`, 'latin1')],
    ['application/zstd', Buffer.from('\x28\xb5\x2f\xfd', 'latin1')],
    ['application/pdf', Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')],
    ['text/rtf', Buffer.from('{\\rtf1 caf\xe9}', 'latin1')],
  ])('FS-13 %s stays what it is although its bytes could be letters', async (type, content) => {
    expect(await detectMimeType(content)).toBe(type);
  });

  it('FS-12 any bytes have a type that is safe to send as a header', async () => {
    const label = fc.string({ unit: fc.constantFrom(...'utf-8\r\n;"= x<>é'), maxLength: 12 });
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ min: 0x20, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      label.map((name) => Buffer.from(`<?xml version="1.0" encoding="${name}"?><a>\xe9`, 'latin1')),
      label.map((name) => Buffer.from(`<html><meta charset=${name}>\xe9`, 'latin1')),
    );
    await fc.assert(
      fc.asyncProperty(content, async (bytes) => {
        expect(await detectMimeType(bytes)).toMatch(/^[a-z]+\/[\w.+-]+(; charset=[\w.:-]+)?$/i);
      }),
      { numRuns: 200 },
    );
  });
});

describe('kinds of texts', () => {
  it.each([
    ['application/gpx+xml', '<?xml version="1.0"?>\n<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"/>'],
    ['application/gpx+xml', '<gpx version="1.1">'],
    ['application/vnd.google-earth.kml+xml', '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"/>'],
    ['application/vnd.google-earth.kml+xml', '<?xml version="1.0"?><kml:kml xmlns:kml="x"/>'],
    ['application/vnd.garmin.tcx+xml', '<?xml version="1.0"?><TrainingCenterDatabase/>'],
    ['application/rss+xml', '<?xml version="1.0"?><?xml-stylesheet href="x"?><rss version="2.0">'],
    ['application/atom+xml', '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">'],
    ['application/atom+xml', '<feed xml:lang="de" xmlns="http://www.w3.org/2005/Atom">'],
    ['text/xml; charset=utf-8', '<?xml version="1.0"?><feed><animal/></feed>'],
    ['text/plain; charset=utf-8', '<feed><animal/></feed>'],
    ['application/xhtml+xml', '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'],
    ['text/html; charset=utf-8', '<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'],
    ['text/xml; charset=utf-8', '<?xml version="1.0"?><html>'],
    ['model/vnd.collada+xml', '<?xml version="1.0"?><COLLADA version="1.4.1">'],
    ['text/xml; charset=utf-8', '<?xml version="1.0"?><constructor/>'],
    ['text/plain; charset=utf-8', '<gpxx/>'],
    ['application/geo+json', '{"type":"FeatureCollection","features":[]}'],
    ['application/geo+json', ' {"name":"x","type":"Feature","properties":{},"geometry":null}'],
    ['application/geo+json', '{"type":"Point","coordinates":[1,2]}'],
    ['application/geo+json', '{"type":"GeometryCollection","geometries":[]}'],
    ['application/json', '{"type":"Point","x":1,"y":2}'],
    ['application/json', '{"type":"constructor","features":[]}'],
    ['application/json', '{"type":["Point"],"coordinates":[]}'],
    ['application/json', '{"data":{"type":"Point","coordinates":[1,2]}}'],
    ['application/json', '[{"type":"Point","coordinates":[1,2]}]'],
    ['model/gltf+json', '{"asset":{"version":"2.0"},"scenes":[]}'],
    ['application/json', '{"asset":{"version":2}}'],
    ['application/json', '{"asset":"2.0"}'],
    ['application/x-ndjson', '{"a":1}\n{"b":2}\n'],
    ['application/x-ndjson', '{"a":1,"b":2}\r\n\r\n{"a":3,"b":4}'],
    ['application/x-ndjson', '[1,2]\n[3,4]\n5\n'],
    ['text/plain; charset=utf-8', '{"a":1}\n{"b":\n'],
    ['text/plain; charset=utf-8', '1\n2\n'],
    ['text/plain; charset=utf-8', '{"a":1}{"b":2}'],
    ['application/json', '{"a":1}\n'],
    ['text/csv', 'a;b\n1;2\n'],
    ['text/csv', 'a;b;c\n1;;\n'],
    ['text/csv', 'a,b\n1,\n'],
    ['text/csv', '"x;y";b\r\n"1\n;2";3\r\n'],
    ['text/tab-separated-values', 'a\tb\n1\t2\n'],
    ['text/tab-separated-values', 'a\tb\r\n\t2\r\n'],
    ['text/plain; charset=utf-8', 'let a = 1;\nlet b = 2;\n'],
    ['text/plain; charset=utf-8', '\tone\n\ttwo\n'],
    ['text/plain; charset=utf-8', 'a\tb\n'],
    ['text/plain; charset=utf-8', 'a|b\n1|2\n'],
    ['application/x-subrip', '1\n00:00:01,000 --> 00:00:02,500\nHello\n'],
    ['application/x-subrip', '\n17\r\n0:00:01.000 --> 0:00:02.500\r\nHello\r\n'],
    ['text/plain; charset=utf-8', '1\n00:00:01,000 -> 00:00:02,500\nHello\n'],
    ['text/vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello'],
    ['text/vtt', 'WEBVTT - a title\n'],
    ['text/vtt', 'WEBVTT'],
    ['text/plain; charset=utf-8', 'WEBVTTS'],
    ['text/calendar', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n'],
    ['text/vcard', 'begin:vcard\nversion:4.0\n'],
    ['text/plain; charset=utf-8', 'BEGIN:VCALENDARS\n'],
    ['text/x-php', '<?php echo 1;'],
    ['text/x-php', '<?PHP\necho 1;'],
    ['text/x-php', '<?= 1 ?>'],
    ['text/x-php', '#!/usr/bin/php\n<?php'],
    ['text/x-shellscript', '#!/bin/sh\n'],
    ['text/x-shellscript', '#! /usr/bin/env bash\necho'],
    ['text/x-shellscript', '#!/bin/zsh -e'],
    ['text/x-python', '#!/usr/bin/env python3\n'],
    ['text/x-python', '#!/usr/local/bin/python3.12 -u\r\nprint()'],
    ['text/javascript', '#!/usr/bin/env -S NODE_ENV=x node --test\n'],
    ['text/javascript', '#!/usr/bin/env deno\n'],
    ['text/plain; charset=utf-8', '#!/usr/bin/awk -f\n'],
    ['text/plain; charset=utf-8', '#!/usr/bin/constructor\n'],
    ['text/plain; charset=utf-8', '#!\n'],
    ['text/plain; charset=utf-8', '#! /usr/bin/env\nsh\n'],
    ['text/plain; charset=utf-8', ' #!/bin/sh\n'],
  ])('FS-13 tells %s from %j', async (type, content) => {
    expect(await detectMimeType(Buffer.from(content))).toBe(type);
  });

  it('FS-13 tells long ones by their first 4 KiB', async () => {
    const feature = '{"type":"Feature","geometry":null,"properties":{"name":"x"}}';
    const long = (begin: string, each: string) => Buffer.from(begin + each.repeat(500));
    expect(await detectMimeType(long('{"type":"FeatureCollection","features":[', `${feature},`))).toBe(
      'application/geo+json',
    );
    expect(await detectMimeType(long('{"asset":{"version":"2.0"},"nodes":[', '{"mesh":0},'))).toBe('model/gltf+json');
    expect(await detectMimeType(long('', '{"a":[1,2]}\n'))).toBe('application/x-ndjson');
    expect(await detectMimeType(long('', 'a\tb\tc\n'))).toBe('text/tab-separated-values');
    expect(await detectMimeType(long('a;b;c\n', ';;\n'))).toBe('text/csv');
    expect(await detectMimeType(long('', '{"a":1} {"b":2}'))).toBe('text/plain; charset=utf-8');
  });

  it('FS-25 names files of these types that came without an extension', () => {
    for (const [type, extension] of [
      ['text/tab-separated-values', '.tsv'],
      ['application/gpx+xml', '.gpx'],
      ['text/plain; charset=shift_jis', '.txt'],
      ['model/gltf-binary', '.glb'],
      ['text/calendar', '.ics'],
    ] as const) {
      expect(usualExtension(type)).toBe(extension);
    }
  });
});
