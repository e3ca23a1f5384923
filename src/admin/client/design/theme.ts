import { createTheme, type MantineThemeOverride } from '@mantine/core';
import { accentShades } from './accent-shades.js';

const STONE = [
  '#e7e9e5',
  '#b0b6ae',
  '#939a92',
  '#8d948d',
  '#6d746e',
  '#2a2f2c',
  '#212522',
  '#1a1d1b',
  '#141614',
  '#101211',
] as const;

const WARM = [
  '#faf9f7',
  '#f3f2ee',
  '#eceae5',
  '#e4e2dc',
  '#8b8a82',
  '#7d7c74',
  '#656962',
  '#51554f',
  '#363934',
  '#1d1f1c',
] as const;

/** Mantine dressed in the tokens of DESIGN.md, around the accent colour of the settings. */
export function roostTheme(accent: string): MantineThemeOverride {
  return createTheme({
    fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
    fontFamilyMonospace: "'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, monospace",
    fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '20px', lineHeight: '1.3' },
        h2: { fontSize: '16px', lineHeight: '1.35' },
        h3: { fontSize: '14px', lineHeight: '1.4' },
      },
    },
    colors: { accent: accentShades(accent), dark: [...STONE], gray: [...WARM] },
    primaryColor: 'accent',
    primaryShade: { light: 7, dark: 7 },
    defaultRadius: 6,
    cursorType: 'pointer',
    respectReducedMotion: true,
    black: '#1d1f1c',
    components: {
      Alert: {
        vars: (_theme: unknown, { color }: { color?: string }) => {
          const kind = color?.startsWith('red') ? 'danger' : color?.startsWith('yellow') ? 'warning' : 'accent';
          return {
            root: {
              '--alert-bg': `var(--${kind}-soft)`,
              '--alert-color': `var(--${kind})`,
              '--alert-bd': '1px solid transparent',
            },
          };
        },
      },
      ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 30 } },
      Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
      Button: { defaultProps: { size: 'sm' } },
      Checkbox: { defaultProps: { size: 'xs' } },
      // The hint below the input keeps neighbours in a row on one line.
      InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
      Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 100 }, withInitialFocusPlaceholder: false } },
      Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 100 } } },
      Select: {
        defaultProps: {
          checkIconPosition: 'right',
          comboboxProps: { shadow: 'md' },
          attributes: { input: { dir: 'auto' } },
        },
      },
      Switch: { defaultProps: { size: 'sm' } },
      // What is written from right to left begins at the right. As a property it would be that of the frame.
      TextInput: { defaultProps: { attributes: { input: { dir: 'auto' } } } },
      Textarea: { defaultProps: { attributes: { input: { dir: 'auto' } } } },
    },
  });
}
