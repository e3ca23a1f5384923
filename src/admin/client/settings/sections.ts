import {
  IconArchive,
  IconBraces,
  IconClock,
  IconDatabaseExport,
  IconDatabaseImport,
  IconFolders,
  IconGauge,
  IconHome,
  IconMail,
  type Icon,
} from '@tabler/icons-react';

export interface SettingsSection {
  readonly key: string;
  readonly label: string;
  readonly group: 'System' | 'Data' | 'Tools';
  readonly Icon: Icon;
  /** Not shown while the controls are hidden (UI-71). */
  readonly structural?: boolean;
}

/** The screens of the settings in the order of their list. */
export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  { key: 'application', label: 'Application', group: 'System', Icon: IconHome },
  { key: 'mail', label: 'Mail', group: 'System', Icon: IconMail },
  { key: 'storage', label: 'Files storage', group: 'System', Icon: IconFolders },
  { key: 'backups', label: 'Backups', group: 'Data', Icon: IconArchive },
  { key: 'export', label: 'Export collections', group: 'Data', Icon: IconDatabaseExport, structural: true },
  { key: 'import', label: 'Import collections', group: 'Data', Icon: IconDatabaseImport, structural: true },
  { key: 'insights', label: 'Insights', group: 'Tools', Icon: IconGauge },
  { key: 'crons', label: 'Crons', group: 'Tools', Icon: IconClock },
  { key: 'sql', label: 'SQL console', group: 'Tools', Icon: IconBraces },
];
