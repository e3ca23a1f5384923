import { vi } from 'vitest';

/** The length of the longest JSON that is written at once from now on, until mocks are restored. */
export function watchJson(): () => number {
  const stringify = JSON.stringify;
  let longest = 0;
  vi.spyOn(JSON, 'stringify').mockImplementation(((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    longest = Math.max(longest, text?.length ?? 0);
    return text;
  }) as never);
  return () => longest;
}
