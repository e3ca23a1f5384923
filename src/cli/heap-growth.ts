import { setFlagsFromString } from 'node:v8';

/** Lets the garbage collector work as a server needs it, for the whole process. */
export function limitHeapGrowth(): void {
  // Requests are served faster with a young generation that may grow; see main.ts.
  setFlagsFromString('--semi-space-growth-factor=2');
  // The old one is collected when it is half as large again as what was needed. V8 would let it become four times as
  // large, so that whoever has the server work on large values has it grow by hundreds of MiB that nobody needs
  // (OPS-39). What small requests leave in it is so little that they take no longer.
  setFlagsFromString('--heap-growing-percent=50');
}
