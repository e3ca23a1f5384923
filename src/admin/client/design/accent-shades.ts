type Rgb = readonly [number, number, number];

/** The accent of settings that name none. */
export const DEFAULT_ACCENT = '#1f6f5c';

function parse(hex: string): Rgb {
  const value = /^#[0-9a-f]{6}$/i.test(hex) ? hex : DEFAULT_ACCENT;
  return [1, 3, 5].map((start) => Number.parseInt(value.slice(start, start + 2), 16)) as unknown as Rgb;
}

function print(color: Rgb): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

function mix(color: Rgb, other: Rgb, share: number): Rgb {
  return color.map((part, index) => part + (other[index]! - part) * share) as unknown as Rgb;
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of white text on the colour; 4.5 is the least an accent may have (UI-60). */
export function contrastWithWhite(hex: string): number {
  return 1.05 / (luminance(parse(hex)) + 0.05);
}

/** Ten shades around an accent, which itself is shade 7; lighter ones before it, darker ones after. */
export function accentShades(
  hex: string,
): [string, string, string, string, string, string, string, string, string, string] {
  const base = parse(hex);
  const white: Rgb = [255, 255, 255];
  const black: Rgb = [0, 0, 0];
  // A very dark accent would stay unreadable on the dark scheme, so its light shades go further towards white.
  const lift = luminance(base) < 0.06 ? 0.1 : 0;
  return [
    print(mix(base, white, 0.94)),
    print(mix(base, white, 0.86)),
    print(mix(base, white, 0.72)),
    print(mix(base, white, 0.56 + lift)),
    print(mix(base, white, 0.42 + lift)),
    print(mix(base, white, 0.28)),
    print(mix(base, white, 0.12)),
    print(base),
    print(mix(base, black, 0.16)),
    print(mix(base, black, 0.32)),
  ];
}
