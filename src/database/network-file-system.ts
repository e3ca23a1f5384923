import { statfs } from 'node:fs/promises';
import { platform } from 'node:process';

/** What `statfs(2)` of Linux calls file systems that other machines may use at the same time (linux/magic.h). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
  [0x5346414f, 'AFS'],
]);

/** The kind of network file system a path is on; undefined for a local one, and where that cannot be told. */
export async function networkFileSystemOf(path: string): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  // The kernel's number is signed on some architectures.
  return statfs(path).then(
    ({ type }) => NETWORK_FILE_SYSTEMS.get(type >>> 0),
    () => undefined,
  );
}
