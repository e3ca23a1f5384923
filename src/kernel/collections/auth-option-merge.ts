import { BadRequestError } from '../errors/bad-request.error.js';
import { isJsonObject, looseProperty } from '../json-object.js';
import { BLANK_PROVIDER } from './auth-option-defaults.js';
import type { AuthOptions, OAuth2ProviderConfig } from './auth-options.js';

type Json = Readonly<Record<string, unknown>>;

/** Merges what was sent into the stored or default value. */
type Merge = (base: unknown, input: unknown, path: string) => unknown;

const OBJECT: Merge = (base, input, path) => mergeObject(base as Json, input, path);

/** The parts that are not merged by the type of what is stored. */
const MERGES: Readonly<Record<string, Merge>> = {
  authRule: nullableText,
  manageRule: nullableText,
  'passwordAuth.identityFields': textList,
  'oauth2.providers': (base, input, path) => mergeProviders(base as readonly OAuth2ProviderConfig[], input, path),
};

/**
 * Merges the auth options of a body into the stored or default ones (COL-4): objects key by key in any letter case,
 * arrays as a whole; unknown keys are ignored, and what is missing or null (except for the two rules) stays. Secrets
 * stay unless given; those of OAuth2 providers are found by the provider's name, never by position (COL-7). Throws 400
 * on a wrong JSON type.
 */
export function mergeAuthOptions(base: AuthOptions, input: Json): AuthOptions {
  return mergeObject(base as unknown as Json, input, '') as unknown as AuthOptions;
}

function mergeObject(base: Json, input: unknown, path: string): Json {
  if (!isJsonObject(input)) throw wrongType(path);
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(base)) {
    const keyPath = path ? `${path}.${key}` : key;
    const given = looseProperty(input, key);
    if (given !== undefined) merged[key] = mergeValue(value, given, keyPath);
  }
  return merged;
}

function mergeValue(base: unknown, input: unknown, path: string): unknown {
  const merge = MERGES[path] ?? (isJsonObject(base) ? OBJECT : scalar);
  return input === null && merge !== nullableText ? base : merge(base, input, path);
}

function scalar(base: unknown, input: unknown, path: string): unknown {
  if (typeof input !== typeof base) throw wrongType(path);
  if (typeof input === 'number' && !Number.isSafeInteger(input)) throw wrongType(path);
  return input;
}

function nullableText(_base: unknown, input: unknown, path: string): unknown {
  if (input !== null && typeof input !== 'string') throw wrongType(path);
  return input;
}

function textList(_base: unknown, input: unknown, path: string): readonly string[] {
  if (!Array.isArray(input) || input.some((item) => typeof item !== 'string')) throw wrongType(path);
  return input as string[];
}

function mergeProviders(
  stored: readonly OAuth2ProviderConfig[],
  input: unknown,
  path: string,
): readonly OAuth2ProviderConfig[] {
  if (!Array.isArray(input)) throw wrongType(path);
  return input.map((item: unknown, index) => mergeProvider(stored, item, `${path}.${index}`));
}

function mergeProvider(stored: readonly OAuth2ProviderConfig[], input: unknown, path: string): OAuth2ProviderConfig {
  if (!isJsonObject(input)) throw wrongType(path);
  const given = Object.entries(BLANK_PROVIDER).map(([key, blank]) => {
    const value = looseProperty(input, key);
    if (value === undefined || value === null) return [key, blank];
    if (!providerTypeFits(key, value)) throw wrongType(`${path}.${key}`);
    return [key, value];
  });
  const provider = Object.fromEntries(given) as unknown as OAuth2ProviderConfig;
  const secret = looseProperty(input, 'clientSecret');
  if (secret !== undefined && secret !== null) return provider;
  const clientSecret = stored.find((earlier) => earlier.name === provider.name)?.clientSecret ?? '';
  return { ...provider, clientSecret };
}

function providerTypeFits(key: string, value: unknown): boolean {
  if (key === 'pkce') return typeof value === 'boolean';
  if (key === 'extra') return isJsonObject(value);
  return typeof value === 'string';
}

function wrongType(path: string): BadRequestError {
  return new BadRequestError(path ? `The option ${path} has the wrong type.` : 'The options must be an object.');
}
