import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from '../../src/database/remove-tree.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-tree-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('a tree that is removed', () => {
  it('goes with all that is in it, however deep and many', async () => {
    const tree = join(root, 'tree');
    for (let folder = 0; folder < 40; folder++) {
      const path = join(tree, `${folder}`, 'a', 'b');
      await mkdir(path, { recursive: true });
      for (let file = 0; file < 20; file++) await writeFile(join(path, `.${file}`), 'x');
    }
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('is left where a link leads out of it, and may be a link, a file, or not there', async () => {
    await mkdir(join(root, 'outside', 'kept'), { recursive: true });
    await mkdir(join(root, 'tree'));
    await symlink(join(root, 'outside'), join(root, 'tree', 'link'));
    await symlink(join(root, 'nowhere'), join(root, 'tree', 'dangling'));
    await symlink(join(root, 'outside'), join(root, 'link'));
    await writeFile(join(root, 'file'), 'x');
    for (const name of ['tree', 'link', 'file', 'missing']) await removeTree(join(root, name));
    expect(['tree', 'link', 'file'].map((name) => existsSync(join(root, name)))).toEqual([false, false, false]);
    expect(existsSync(join(root, 'outside', 'kept'))).toBe(true);
  });

  it('fails when it cannot be removed', async () => {
    await writeFile(join(root, 'file'), 'x');
    await expect(removeTree(join(root, 'file', 'below'))).rejects.toThrow('ENOTDIR');
  });
});
