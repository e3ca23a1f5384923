import { execFileSync } from 'node:child_process';
import { watch } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalFileStorage } from '../../src/storage/local-file-storage.js';
import { fileStorageContract, newFile } from '../contracts/file-storage.js';

fileStorageContract('a local directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'roost-local-'));
  return {
    storage: new LocalFileStorage(join(dir, 'storage')),
    close: () => rm(dir, { recursive: true, force: true }),
  };
});

let dir: string;
let root: string;
let storage: LocalFileStorage;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-local-'));
  root = join(dir, 'storage');
  storage = new LocalFileStorage(root);
});

afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(key: string, content = 'content'): Promise<void> {
  await storage.write(key, await newFile(dir, content));
}

async function put(path: string, content = 'content'): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

/** Everything below the root, as it lies on disk. */
async function onDisk(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
}

describe('small files that were read before', () => {
  const key = 'col/rec/a.txt';

  /** The content by both ways, and the size: all of them from the same state of the file. */
  async function seen(of = key): Promise<string | undefined> {
    const [opened, known] = [await storage.open(of), await storage.stat(of)];
    expect(known).toEqual(opened?.file);
    if (!opened) return undefined;
    const content = await text(opened.stream);
    expect(opened.content?.toString()).toBe(content);
    expect(opened.file.size).toBe(content.length);
    return content;
  }

  beforeEach(async () => {
    // Files are remembered once they are older than the clock of a file system is coarse.
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 10_000);
    await write(key, 'before');
    for (let time = 0; time < 3; time++) expect(await seen()).toBe('before');
  });

  afterEach(() => vi.restoreAllMocks());

  it('FS-70 give the same bytes, whole and in parts, and the same times', async () => {
    const { mtime } = await stat(join(root, key));
    expect((await storage.stat(key))!.modified).toEqual(mtime);
    expect((await storage.open(key, { start: 1, end: 3 }))!.content!.toString()).toBe('efo');
    expect(await text((await storage.open(key, { start: 5, end: 5 }))!.stream)).toBe('e');
  });

  it('FS-71 are given as a whole when a part of them was read first', async () => {
    await write('col/rec/b.txt', 'before');
    expect((await storage.open('col/rec/b.txt', { start: 1, end: 3 }))!.content!.toString()).toBe('efo');
    for (let time = 0; time < 2; time++) expect(await seen('col/rec/b.txt')).toBe('before');
  });

  it('FS-33 FS-40 are never given once they are another file, changed, or gone', async () => {
    await write(key, 'second');
    expect(await seen()).toBe('second');
    expect(await seen()).toBe('second');
    const file = await open(join(root, key), 'r+');
    await file.write('x', 0);
    await file.close();
    expect(await seen()).toBe('xecond');
    await storage.delete(key);
    expect(await seen()).toBeUndefined();
    await write(key, 'before');
    expect(await seen()).toBe('before');
    await storage.deleteFolder('col/');
    expect(await seen()).toBeUndefined();
  });

  it('FS-42 FS-43 are never given through a link, or where something else has taken their place', async () => {
    await rename(join(root, 'col'), join(dir, 'outside'));
    await symlink(join(dir, 'outside'), join(root, 'col'));
    expect(await seen()).toBeUndefined();
    await rm(join(root, 'col'));
    await rename(join(dir, 'outside'), join(root, 'col'));
    expect(await seen()).toBe('before');

    await rename(join(root, key), join(dir, 'a.txt'));
    await symlink(join(dir, 'a.txt'), join(root, key));
    expect(await seen()).toBeUndefined();
    await rm(join(root, key));
    await mkdir(join(root, key));
    expect(await seen()).toBeUndefined();
    await rm(join(root, 'col'), { recursive: true });
    await writeFile(join(root, 'col'), 'a file where a directory was');
    expect(await seen()).toBeUndefined();
  });

  it('FS-42 are found again when the directory of the storage leads elsewhere', async () => {
    const linked = join(dir, 'linked');
    await symlink(root, linked);
    storage = new LocalFileStorage(linked);
    expect(await seen()).toBe('before');
    await rename(root, join(dir, 'moved'));
    await rm(linked);
    await symlink(join(dir, 'moved'), linked);
    expect(await seen()).toBe('before');
  });

  it('FS-41 are found under their key only', async () => {
    for (const odd of ['col/./rec/a.txt', 'col/rec/../rec/a.txt', '/col/rec/a.txt', 'col//rec/a.txt']) {
      await expect(storage.open(odd)).rejects.toThrow('Not a storage key');
    }
  });

  it('FS-33 stay as they are whatever is done to what was read', async () => {
    for await (const chunk of (await storage.open(key))!.stream) (chunk as Buffer).fill('!');
    expect(await seen()).toBe('before');
  });
});

describe('what lies on disk', () => {
  it('FS-30 FS-32 is the file and a sidecar, readable by nobody else', async () => {
    const file = await newFile(dir, 'png', { contentType: 'image/png', originalName: 'Ä.png', md5: 'bWQ1' });
    await storage.write('col/rec/a_1.png', file);
    expect(await onDisk()).toEqual(['col', 'col/rec', 'col/rec/a_1.png', 'col/rec/a_1.png.attrs']);
    expect(JSON.parse(await readFile(join(root, 'col/rec/a_1.png.attrs'), 'utf8'))).toEqual({
      'user.content_type': 'image/png',
      'user.metadata': { 'original-filename': 'Ä.png' },
      md5: 'bWQ1',
    });
    expect((await stat(join(root, 'col/rec'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(root, 'col/rec/a_1.png.attrs'))).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(['storage']);
  });

  it('FS-32 files without a sidecar, or with a damaged one, are octet streams', async () => {
    await put('c/r/a');
    for (const sidecar of [undefined, '', '{', 'null', '[]', '{"user.content_type":5}', '{"user.metadata":null}']) {
      if (sidecar !== undefined) await put('c/r/a.attrs', sidecar);
      expect(await storage.stat('c/r/a')).toMatchObject({
        contentType: 'application/octet-stream',
        originalName: undefined,
      });
    }
    await put('c/r/a.attrs', '{"user.content_type":"image/gif","user.metadata":{"original-filename":"x"},"md5":"x"}');
    expect(await storage.stat('c/r/a')).toMatchObject({ contentType: 'image/gif', originalName: 'x', md5: 'x' });
  });

  it.each(['image/png', 'application/octet-stream'])(
    'FS-32 what a sidecar says of a file of type %s holds as long as that is the same',
    async (contentType) => {
      await storage.write('c/r/a', await newFile(dir, 'one', { contentType, originalName: 'first', md5: 'x' }));
      expect(await storage.stat('c/r/a')).toMatchObject({ contentType, originalName: 'first' });
      await rm(join(root, 'c/r/a.attrs'));
      expect(await storage.stat('c/r/a')).toMatchObject({ contentType, originalName: 'first' });
      await storage.write('c/r/a', await newFile(dir, 'two', { contentType, originalName: 'second', md5: 'y' }));
      expect(await storage.stat('c/r/a')).toMatchObject({ contentType, originalName: 'second' });
    },
  );

  it('FS-36 leaves no empty directories and no sidecars behind', async () => {
    await write('c/r/a');
    await write('c/r2/b');
    await storage.delete('c/r/a');
    expect(await onDisk()).toEqual(['c', 'c/r2', 'c/r2/b', 'c/r2/b.attrs']);
    await storage.deleteFolder('c/r2/');
    expect(await onDisk()).toEqual([]);
  });

  it('FS-32 sidecars are not files', async () => {
    await write('c/r/a');
    expect(await storage.stat('c/r/a.attrs')).toBeUndefined();
    await expect(write('c/r/b.attrs')).rejects.toThrow('reserved');
    await expect(storage.delete('c/r/a.attrs')).rejects.toThrow('reserved');
    const keys = [];
    for await (const { key } of storage.list('')) keys.push(key);
    expect(keys).toEqual(['c/r/a']);
  });
});

it('FS-72 a reader that goes away frees its file descriptor', async () => {
  await put('c/r/a', 'x'.repeat(1_000_000));
  const open = async () => {
    const targets = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return targets.filter((target) => target.startsWith(root)).length;
  };
  const opened = await Promise.all(Array.from({ length: 10 }, () => storage.open('c/r/a')));
  expect(await open()).toBe(10);
  await Promise.all(opened.map((each) => new Promise((resolve) => each!.stream.once('close', resolve).destroy())));
  await storage.stat('c/r/a');
  await storage.stat('c/r');
  expect(await open()).toBe(0);
});

describe('safety', () => {
  let outside: string;

  beforeEach(async () => {
    outside = join(dir, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'secret');
    await mkdir(join(root, 'c/r'), { recursive: true });
  });

  it('FS-42 does not follow a link in place of a file', async () => {
    await symlink(join(outside, 'secret'), join(root, 'c/r/link'));
    await put('c/r/real');
    await symlink('real', join(root, 'c/r/inner'));
    for (const key of ['c/r/link', 'c/r/inner']) {
      expect(await storage.stat(key), key).toBeUndefined();
      expect(await storage.open(key), key).toBeUndefined();
    }
    await storage.delete('c/r/link');
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(await readdir(join(root, 'c/r'))).not.toContain('link');
  });

  it('FS-33 FS-42 does not follow a link in place of a sidecar, and stores no file without one', async () => {
    await writeFile(join(outside, 'attrs'), '{"user.content_type":"text/leaked"}');
    await put('c/r/a');
    await symlink(join(outside, 'attrs'), join(root, 'c/r/a.attrs'));
    expect(await storage.stat('c/r/a')).toMatchObject({ contentType: 'application/octet-stream' });
    await expect(write('c/r/a', 'new')).rejects.toMatchObject({ code: 'ELOOP' });
    expect(await readFile(join(outside, 'attrs'), 'utf8')).toContain('leaked');
    expect(await readFile(join(root, 'c/r/a'), 'utf8')).toBe('content');
  });

  it('FS-41 FS-42 a directory that leads out is nothing to read and an error to write', async () => {
    await symlink(outside, join(root, 'c/out'));
    await symlink(outside, join(root, 'top'));
    // A neighbour whose path begins like that of the storage.
    await mkdir(`${root}-old`);
    await writeFile(join(`${root}-old`, 'secret'), 'secret');
    await symlink(`${root}-old`, join(root, 'beside'));
    await symlink('../../..', join(root, 'c/up'));
    for (const key of ['c/out/secret', 'top/secret', 'beside/secret', 'c/up/outside/secret']) {
      expect(await storage.stat(key), key).toBeUndefined();
      expect(await storage.open(key), key).toBeUndefined();
      await storage.delete(key);
    }
    for (const key of ['c/out/new', 'c/out/deep/new', 'top/a/b', 'c/up/new']) {
      await expect(write(key), key).rejects.toThrow('leads out');
    }
    expect(await readdir(outside)).toEqual(['secret']);
  });

  it('FS-96 a file goes last, so that a listing finds what an interrupted removal has left', async () => {
    await write('c/r/whole', 'content');
    const gone: unknown[] = [];
    const watcher = watch(join(root, 'c/r'), (_, name) => gone.push(name));
    await storage.delete('c/r/whole');
    await expect.poll(() => gone.filter((name) => String(name).startsWith('whole'))).toEqual(['whole.attrs', 'whole']);
    watcher.close();
  });

  it('FS-42 a dangling link is an error to write', async () => {
    await symlink(join(outside, 'not-yet'), join(root, 'c/dangling'));
    await expect(write('c/dangling/new')).rejects.toThrow();
    expect(await readdir(outside)).toEqual(['secret']);
  });

  it('FS-42 deleting and listing never go through a link', async () => {
    await symlink(outside, join(root, 'c/r/out'));
    await symlink(outside, join(root, 'linked'));
    const keys = [];
    for await (const { key } of storage.list('')) keys.push(key);
    expect(keys).toEqual([]);
    await storage.deleteFolder('linked/');
    await storage.deleteFolder('c/');
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await readdir(root)).toEqual([]);
  });

  it('FS-42 the directory itself may be a link', async () => {
    const linked = join(dir, 'linked');
    await symlink(outside, linked);
    const through = new LocalFileStorage(linked);
    await through.write('c/r/a', await newFile(dir, 'through'));
    expect(await text((await through.open('c/r/a'))!.stream)).toBe('through');
    expect(await readFile(join(outside, 'c/r/a'), 'utf8')).toBe('through');
    await through.deleteFolder('c/');
    expect(await readlink(linked)).toBe(outside);
  });

  it('FS-43 serves regular files only, and does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(root, 'c/r/pipe')]);
    await mkdir(join(root, 'c/r/dir'));
    for (const key of ['c/r/pipe', 'c/r/dir']) {
      expect(await storage.stat(key), key).toBeUndefined();
      expect(await storage.open(key), key).toBeUndefined();
    }
  });
});

describe('a storage on another file system', () => {
  let elsewhere: string;

  beforeEach(async () => {
    elsewhere = await mkdtemp('/dev/shm/roost-local-');
  });

  afterEach(() => rm(elsewhere, { recursive: true, force: true }));

  it('FS-33 files still appear at once, and nothing else is left', async () => {
    expect((await stat(elsewhere)).dev).not.toBe((await stat(dir)).dev);
    const file = await newFile(elsewhere, 'from elsewhere');
    await storage.write('c/r/a', file);
    expect(await text((await storage.open('c/r/a'))!.stream)).toBe('from elsewhere');
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await onDisk()).toEqual(['.parts', 'c', 'c/r', 'c/r/a', 'c/r/a.attrs']);
  });

  it('FS-96 what a process left when it was killed is removed, unless another one may be writing it', async () => {
    await put('.parts/old');
    await put('.parts/young');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(join(root, '.parts/old'), longAgo, longAgo);
    await storage.write('c/r/a', await newFile(elsewhere, 'x'));
    expect(await readdir(join(root, '.parts'))).toEqual(['young']);
  });
});

it('FS-34 a file that cannot be stored is an error', async () => {
  await expect(storage.write('c/r/a', { path: join(dir, 'none'), size: 1, contentType: 'x' })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  await mkdir(root);
  await writeFile(join(root, 'c'), 'a file where a directory should be');
  await expect(write('c/r/a')).rejects.toThrow();
});
