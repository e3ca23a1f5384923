import { describe, expect, it } from 'vitest';
import { Latencies } from './latencies.js';

describe('latencies', () => {
  it('UI-80 knows percentiles to a quarter', () => {
    const latencies = new Latencies();
    for (let ms = 1; ms <= 1000; ms++) latencies.add(ms);
    for (const [percent, ms] of [
      [50, 500],
      [95, 950],
      [99, 990],
    ] as const) {
      const found = latencies.percentile(percent)!;
      expect(found).toBeGreaterThanOrEqual(ms * 0.98);
      expect(found).toBeLessThanOrEqual(ms * 1.3);
    }
  });

  it('knows none where there was nothing, and bears what is out of bounds', () => {
    const latencies = new Latencies();
    expect(latencies.percentile(50)).toBeNull();
    latencies.add(0);
    expect(latencies.percentile(99)).toBe(0.1);
    latencies.add(1e9);
    expect(latencies.percentile(99)).toBeGreaterThan(60_000);
    const all = new Latencies();
    all.addAll(latencies);
    expect(all.percentile(50)).toBe(0.1);
  });
});
