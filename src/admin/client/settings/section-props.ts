import type { SettingsForm } from './use-settings-form.js';

/** Every section of the application settings gets the whole form. */
export interface SettingsSectionProps {
  readonly form: SettingsForm;
}
