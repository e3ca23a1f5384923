import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { CONFIG_OPTIONS, type ConfigOption } from './config-options.js';
import { parseOptionValue } from './option-value.js';
import type { RoostConfig } from './roost-config.js';
import { StartError } from './start.error.js';
import { UsageError } from './usage.error.js';

/** What the process was given: `argv` without node and script, the environment, the working directory. */
export interface ConfigSources {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Values by variable name that win over flags and environment: what code hands to `runRoost({ config })`. */
  readonly overrides?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The configuration, and the arguments that are left for the command. */
export interface ConfigReading {
  readonly config: RoostConfig;
  readonly args: readonly string[];
}

const DEFAULT_MIGRATIONS_DIR = '<dir>/../roost_migrations';

/**
 * Reads flags, environment, `.env` and defaults, in this precedence (OPS-162), into one frozen object.
 * Flags may stand before or after the command, as `--name=value` or `--name value` (OPS-161).
 * Throws a UsageError for a malformed value, a StartError for a bad encryption key.
 */
export function readConfig(sources: ConfigSources): ConfigReading {
  const { flags, args } = takeFlags(sources.argv);
  const env = { ...readEnvFile(sources.cwd), ...sources.env };
  const values: Record<string, unknown> = {};
  for (const option of CONFIG_OPTIONS) {
    const override = sources.overrides?.[option.variable];
    if (override !== undefined) {
      values[option.key] = parseOptionValue(option, String(override), `config.${option.variable}`);
      continue;
    }
    const flag = flags.get(option.key);
    const variable = env[option.variable];
    if (flag !== undefined) values[option.key] = parseOptionValue(option, flag, `--${option.flag}`);
    else if (variable !== undefined && variable !== '')
      values[option.key] = parseOptionValue(option, variable, option.variable);
    else values[option.key] = defaultOf(option, values);
  }
  const config = finish(values, env, sources.cwd);
  checkTls(config, flags);
  if (config.shared && config.databaseUrl === null) {
    throw new UsageError('--shared needs DATABASE_URL: a data directory belongs to one instance.');
  }
  return { config: Object.freeze(config), args };
}

/** Variables for certificates may be set without `--https`, but an unused flag is a mistake. */
function checkTls({ https, tlsCert, tlsKey }: RoostConfig, flags: ReadonlyMap<string, string>): void {
  if (https !== null && (tlsCert === null || tlsKey === null)) {
    throw new UsageError('--https needs --tlsCert and --tlsKey.');
  }
  const unused = https === null && ['tlsCert', 'tlsKey'].find((flag) => flags.has(flag));
  if (unused) throw new UsageError(`--${unused} needs --https.`);
}

function defaultOf(option: ConfigOption, values: Record<string, unknown>): unknown {
  if (option.key === 'automigrate') return values['dev'];
  if (option.key === 'migrationsDir') return DEFAULT_MIGRATIONS_DIR;
  if (option.key === 'thumbsMaxWorkers') return availableParallelism() + 2;
  return parseOptionValue(option, option.default, option.variable);
}

function finish(
  values: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): RoostConfig {
  for (const [flag, value] of Object.entries({ http: values['http'], dir: values['dir'] })) {
    if (!value) throw new UsageError(`--${flag} needs a value.`);
  }
  const path = (key: keyof RoostConfig) => (values[key] ? resolve(cwd, values[key] as string) : null);
  const dir = resolve(cwd, values['dir'] as string);
  const migrationsDirGiven = values['migrationsDir'] !== DEFAULT_MIGRATIONS_DIR;
  return {
    ...values,
    dir,
    publicDir: path('publicDir') ?? '',
    tlsCert: path('tlsCert'),
    tlsKey: path('tlsKey'),
    migrationsDir: migrationsDirGiven ? path('migrationsDir') : join(dir, '..', 'roost_migrations'),
    migrationsDirGiven,
    encryptionKey: encryptionKey(values['encryptionKey'] as string, env),
  } as RoostConfig;
}

function encryptionKey(name: string, env: Readonly<Record<string, string | undefined>>): string | null {
  if (!name) return null;
  const key = env[name] ?? '';
  if (Buffer.byteLength(key) !== 32) {
    throw new StartError(`--encryptionEnv: the environment variable ${name} must hold exactly 32 characters.`);
  }
  return key;
}

function readEnvFile(cwd: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(join(cwd, '.env'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new StartError(`The file .env cannot be read: ${(error as Error).message}`);
  }
}

/** Separates our flags from the rest, which belongs to the command and is checked by it. */
function takeFlags(argv: readonly string[]): { flags: Map<string, string>; args: string[] } {
  const byFlag = new Map(CONFIG_OPTIONS.filter((option) => option.flag).map((option) => [option.flag!, option]));
  const flags = new Map<string, string>();
  const args: string[] = [];
  const serveOnly: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index]!;
    if (arg === '--') {
      args.push(...argv.slice(index));
      break;
    }
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const option = name === undefined ? undefined : byFlag.get(name);
    if (!option) {
      args.push(arg);
      continue;
    }
    if (option.serveOnly) serveOnly.push(name!);
    if (inline !== undefined) flags.set(option.key, inline);
    else if (option.kind === 'boolean') flags.set(option.key, 'true');
    else flags.set(option.key, requireValue(name!, argv[++index]));
  }
  const command = args.find((arg) => !arg.startsWith('-'));
  if (serveOnly.length > 0 && command !== undefined && command !== 'serve') {
    throw new UsageError(`--${serveOnly[0]} is a flag of serve, not of ${command}.`);
  }
  return { flags, args };
}

function requireValue(name: string, value: string | undefined): string {
  if (value === undefined || value.startsWith('--')) throw new UsageError(`--${name} needs a value.`);
  return value;
}
