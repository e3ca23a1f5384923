import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';

/** Light, dark, or as the system has it; remembered in this browser. */
export function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div style={{ padding: '4px 10px 8px' }}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Colour scheme"
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
        data={[
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
          { value: 'auto', label: 'Auto' },
        ]}
      />
    </div>
  );
}
