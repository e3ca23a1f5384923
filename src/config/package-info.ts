import { readFileSync } from 'node:fs';

interface PackageInfo {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The version of this package. */
export function packageVersion(): string {
  return packageInfo().version;
}

/** The names of the packages that Roost and a team's code share. */
export function sharedPackages(): string[] {
  return Object.keys(packageInfo().peerDependencies);
}

/** What package.json says, beside `dist` or `src`. */
function packageInfo(): PackageInfo {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageInfo;
}
