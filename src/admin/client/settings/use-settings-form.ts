import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/api.js';
import { settingsQuery, useSettings } from '../api/queries.js';
import type { SettingsModel } from '../api/settings-model.js';
import { useChanged } from '../api/use-changed.js';
import { useFieldErrors, type FieldErrors } from '../api/use-field-errors.js';
import { toastError, toastSuccess } from '../design/toast.js';

export interface SettingsForm {
  /** What is edited; undefined while the settings load. */
  readonly settings: SettingsModel | undefined;
  readonly stored: SettingsModel | undefined;
  readonly loadError: unknown;
  readonly dirty: boolean;
  readonly busy: boolean;
  readonly errors: FieldErrors;
  readonly failure: unknown;
  /** Changes one group of settings and clears the errors of what was edited. */
  set<Key extends keyof SettingsModel>(
    key: Key,
    change: SettingsModel[Key] extends unknown[] ? SettingsModel[Key] : Partial<SettingsModel[Key]>,
  ): void;
  save(): Promise<boolean>;
  reset(): void;
  /** Asks for the settings again after they failed to load. */
  reload(): void;
}

/** Edits some groups of the settings and sends only those. */
export function useSettingsForm(groups: readonly (keyof SettingsModel)[]): SettingsForm {
  const query = useSettings();
  const [settings, setSettings] = useState<SettingsModel | undefined>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const errors = useFieldErrors();
  const changed = useChanged();
  const queries = useQueryClient();
  const stored = query.data;
  const pick = (from: SettingsModel | undefined) => JSON.stringify(groups.map((group) => from?.[group]));
  const dirty = settings !== undefined && pick(settings) !== pick(stored);
  useEffect(() => {
    // Settings that arrive while something is being edited do not take it away.
    if (stored)
      setSettings((current) =>
        current && pick(current) !== pick(stored) && busy === false && current !== stored && dirty
          ? current
          : structuredClone(stored),
      );
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [stored]);
  return {
    settings,
    stored,
    loadError: query.error,
    reload: () => void query.refetch(),
    dirty,
    busy,
    errors,
    failure,
    set: (key, change) => {
      for (const name of Array.isArray(change) ? [''] : Object.keys(change))
        errors.clear(name ? `${key}.${name}` : key);
      setSettings((current) =>
        current
          ? {
              ...current,
              [key]: Array.isArray(change) ? change : { ...(current[key] as object), ...(change as object) },
            }
          : current,
      );
    },
    save: async () => {
      if (!settings) return false;
      setBusy(true);
      setFailure(null);
      try {
        const saved = (await api.settings.update(
          Object.fromEntries(groups.map((group) => [group, settings[group]])),
        )) as unknown as SettingsModel;
        errors.reset();
        queries.setQueryData(settingsQuery.queryKey, saved);
        setSettings(structuredClone(saved));
        await changed('settings');
        toastSuccess('Settings saved.');
        return true;
      } catch (error) {
        errors.set(error);
        setFailure(error);
        toastError(error);
        return false;
      } finally {
        setBusy(false);
      }
    },
    reset: () => {
      errors.reset();
      setFailure(null);
      if (stored) setSettings(structuredClone(stored));
    },
  };
}
