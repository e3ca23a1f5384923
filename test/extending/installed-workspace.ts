import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RoostProcess } from '../support/roost-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONSUMER = fileURLToPath(new URL('consumer', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** What npm would have to compile is taken from here: that takes minutes and shows nothing about this package. */
const COMPILED = ['better-sqlite3', 'better-sqlite3-13', 'sqlite3'];

const exec = promisify(execFile);

/** A manager of packages, and what a team has to list besides `roost` and what it imports. */
export interface Manager {
  readonly name: string;
  readonly install: readonly string[];
  readonly listsPeers: boolean;
  /** Files beside package.json. */
  readonly files?: Readonly<Record<string, string>>;
}

export const MANAGERS: readonly Manager[] = [
  {
    name: 'npm',
    install: ['npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
    listsPeers: false,
  },
  { name: 'pnpm', install: ['npx', '-y', 'pnpm@12.21.0', 'install', '--ignore-scripts'], listsPeers: false },
  {
    name: 'yarn',
    install: ['npx', '-y', '@yarnpkg/cli-dist@4.18.1', 'install'],
    listsPeers: true,
    files: {
      'yarn.lock': '',
      '.yarnrc.yml':
        'nodeLinker: node-modules\nenableScripts: false\nenableTelemetry: false\nenableImmutableInstalls: false\n',
    },
  },
];

/** Packs the built package into a directory; the path of the tarball. */
export async function packInto(dir: string): Promise<string> {
  if (!existsSync(join(ROOT, 'dist/index.js'))) throw new Error('Build the package first: npm run build:server');
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', dir];
  const { stdout } = await exec('npm', pack, { cwd: ROOT, maxBuffer: 2 ** 24 });
  return join(dir, stdout.trim().split('\n').at(-1)!);
}

/** A workspace that a package manager filled from the tarball and the registry, as a team's would be. */
export class InstalledWorkspace {
  private constructor(readonly dir: string) {}

  static async create(manager: Manager, tarball: string): Promise<InstalledWorkspace> {
    const workspace = new InstalledWorkspace(await realpath(await mkdtemp(join(tmpdir(), `roost-${manager.name}-`))));
    await workspace.describe(manager, tarball);
    const [command, ...args] = manager.install;
    await exec(command!, args, { cwd: workspace.dir, maxBuffer: 2 ** 24 });
    await workspace.addCompiled();
    return workspace;
  }

  /** Writes the consumer as an ES module and as a CommonJS module, and compiles both; what the compiler said. */
  async compile(options: Readonly<Record<string, unknown>>, kinds: readonly ('mts' | 'cts')[]): Promise<string> {
    await mkdir(join(this.dir, 'src'), { recursive: true });
    for (const kind of kinds) {
      for (const name of ['hello', 'main']) {
        const text = await readFile(join(CONSUMER, `${name}.ts`), 'utf8');
        await writeFile(
          join(this.dir, `src/${name}.${kind}`),
          text.replace('./hello.js', `./hello.${kind === 'mts' ? 'mjs' : 'cjs'}`),
        );
      }
    }
    const compilerOptions = {
      target: 'ES2023',
      lib: ['ES2023'],
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      rootDir: 'src',
      outDir: 'dist',
      strict: true,
      strictPropertyInitialization: false,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      skipLibCheck: true,
      ...options,
    };
    const files = kinds.flatMap((kind) => [`src/hello.${kind}`, `src/main.${kind}`]);
    await writeFile(join(this.dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    try {
      return (await exec(process.execPath, [TSC, '-p', '.'], { cwd: this.dir })).stdout;
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  /** Starts a compiled file. */
  run(main: string, args: readonly string[]): RoostProcess {
    return new RoostProcess(args, { cwd: this.dir, main: join(this.dir, 'dist', main) });
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }

  private async describe({ listsPeers, files = {} }: Manager, tarball: string): Promise<void> {
    const { peerDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      peerDependencies: Record<string, string>;
    };
    const imported = ['@nestjs/common', '@nestjs/typeorm', 'typeorm'];
    const shared = Object.entries(peerDependencies).filter(
      ([name]) => imported.includes(name) || (listsPeers && name !== '@nestjs/testing'),
    );
    const dependencies = { roost: `file:${tarball}`, ...Object.fromEntries(shared) };
    const description = { name: 'consumer', private: true, type: 'module', dependencies };
    await writeFile(join(this.dir, 'package.json'), JSON.stringify(description));
    for (const [name, text] of Object.entries(files)) await writeFile(join(this.dir, name), text);
  }

  private async addCompiled(): Promise<void> {
    const roost = await realpath(join(this.dir, 'node_modules/roost'));
    for (const name of COMPILED) {
      // Beside the package or above it, wherever the manager puts what it depends on.
      const places = [join(roost, '..', name), join(this.dir, 'node_modules', name)];
      const place = places.find((path) => existsSync(path));
      const build = join(ROOT, 'node_modules', name, 'build');
      if (place && existsSync(build)) await cp(build, join(place, 'build'), { recursive: true });
    }
  }
}
