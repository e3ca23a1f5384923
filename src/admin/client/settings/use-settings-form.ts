import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ChangeEvent } from 'react';
import { api } from '../api/api.js';
import { settingsQuery, storedSecretsQuery, useSettings } from '../api/queries.js';
import type { SettingsModel } from '../api/models.js';
import { useChanged } from '../api/use-changed.js';
import { useFieldErrors, type FieldErrors } from '../api/use-field-errors.js';
import { toastError, toastSuccess } from '../design/toast.js';

type Group = Exclude<keyof SettingsModel, 'superuserIPs'>;

interface InputProps<Value, Change = ChangeEvent<HTMLInputElement>> {
  readonly value: Value;
  readonly error: string | undefined;
  readonly onChange: (change: Change) => void;
}

interface ToggleProps {
  readonly checked: boolean;
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** Some groups of the settings while they are edited. */
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
  /** What the input of a text among the settings needs. */
  text<Key extends Group>(group: Key, name: keyof SettingsModel[Key] & string): InputProps<string>;
  /** What the input of a number needs; an empty one is 0. */
  number<Key extends Group>(group: Key, name: keyof SettingsModel[Key] & string): InputProps<number, number | string>;
  /** What a switch needs. */
  toggle<Key extends Group>(group: Key, name: keyof SettingsModel[Key] & string): ToggleProps;
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
  /** The groups as they were before anything was edited. */
  const untouched = useRef('');
  useEffect(() => {
    // Settings that arrive while something is being edited do not take it away.
    if (!stored || (settings && pick(settings) !== untouched.current)) return;
    untouched.current = pick(stored);
    setSettings(structuredClone(stored));
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [stored]);
  const set: SettingsForm['set'] = (key, change) => {
    for (const name of Array.isArray(change) ? [''] : Object.keys(change)) errors.clear(name ? `${key}.${name}` : key);
    setSettings((current) =>
      current
        ? { ...current, [key]: Array.isArray(change) ? change : { ...(current[key] as object), ...(change as object) } }
        : current,
    );
  };
  const bind = (group: Group, name: string) => ({
    value: (settings?.[group] as Record<string, unknown> | undefined)?.[name],
    error: errors.at(`${group}.${name}`),
    change: (value: unknown) => set(group, { [name]: value }),
  });
  return {
    settings,
    stored,
    loadError: query.error,
    reload: () => void query.refetch(),
    dirty,
    busy,
    errors,
    failure,
    set,
    text: (group, name) => {
      const { value, error, change } = bind(group, name);
      return { value: String(value ?? ''), error, onChange: (event) => change(event.currentTarget.value) };
    },
    number: (group, name) => {
      const { value, error, change } = bind(group, name);
      return { value: Number(value), error, onChange: (next) => change(Number(next) || 0) };
    },
    toggle: (group, name) => {
      const { value, change } = bind(group, name);
      return { checked: value === true, onChange: (event) => change(event.currentTarget.checked) };
    },
    save: async () => {
      if (!settings || busy) return false;
      setBusy(true);
      setFailure(null);
      try {
        const saved = (await api.settings.update(
          Object.fromEntries(groups.map((group) => [group, settings[group]])),
        )) as unknown as SettingsModel;
        errors.reset();
        untouched.current = pick(saved);
        queries.setQueryData(settingsQuery.queryKey, saved);
        void queries.invalidateQueries({ queryKey: storedSecretsQuery.queryKey });
        // What has been typed meanwhile stays, and is still to be saved.
        setSettings((current) => (pick(current) === pick(settings) ? structuredClone(saved) : current));
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
      if (!stored) return;
      untouched.current = pick(stored);
      setSettings(structuredClone(stored));
    },
  };
}
