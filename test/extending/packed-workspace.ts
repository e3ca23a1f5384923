import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RoostProcess } from '../support/roost-process.js';
import { packInto } from './installed-workspace.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHOP = fileURLToPath(new URL('shop', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const exec = promisify(execFile);

/**
 * The shop in a workspace of its own, where `roost` is the packed and unpacked package. Everything else is linked from
 * this repository's dependencies, so that nothing has to be fetched.
 */
export class PackedWorkspace {
  private constructor(readonly dir: string) {}

  /** Packs the built package and lays the workspace out. Throws when the package has not been built. */
  static async create(): Promise<PackedWorkspace> {
    const workspace = new PackedWorkspace(await mkdtemp(join(tmpdir(), 'roost-packed-')));
    await cp(SHOP, workspace.dir, { recursive: true, filter: (path) => !path.startsWith(join(SHOP, 'dist')) });
    await workspace.linkDependencies();
    await workspace.install();
    return workspace;
  }

  /** Compiles the shop against the types of the package; what the compiler said. */
  async compile(): Promise<string> {
    try {
      return (await exec(process.execPath, [TSC, '-p', '.'], { cwd: this.dir })).stdout;
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  /** Starts a compiled file of the workspace. */
  run(main: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): RoostProcess {
    return new RoostProcess(args, { cwd: this.dir, env, main: join(this.dir, 'dist', main) });
  }

  /** Paths inside the package, sorted. */
  async packedFiles(): Promise<string[]> {
    const entries = await readdir(this.package, { recursive: true });
    return entries.sort();
  }

  /** Gives the package a copy of its own of what the workspace has; the folder of the copy. */
  async copyForRoost(name: string): Promise<string> {
    const copy = join(this.package, 'node_modules', name);
    await cp(join(ROOT, 'node_modules', name), copy, { recursive: true });
    return copy;
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }

  private get package(): string {
    return join(this.dir, 'node_modules/roost');
  }

  private async linkDependencies(): Promise<void> {
    const from = join(ROOT, 'node_modules');
    const to = join(this.dir, 'node_modules');
    await mkdir(to);
    const names = (await readdir(from)).filter((name) => !name.startsWith('.') && name !== 'roost');
    await Promise.all(names.map((name) => symlink(join(from, name), join(to, name), 'dir')));
  }

  private async install(): Promise<void> {
    const tarball = await packInto(this.dir);
    await exec('tar', ['-xzf', tarball, '-C', this.dir]);
    await mkdir(dirname(this.package), { recursive: true });
    await rename(join(this.dir, 'package'), this.package);
    await rm(tarball);
  }
}
