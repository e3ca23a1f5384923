/** What stands for the placeholders of a template, by name without braces: `APP_NAME`, `RECORD:email`, `TOKEN`. */
export type PlaceholderValues = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{([A-Z_]+(?::\w+)?)\}/g;

/** Puts values in place of placeholders. Those without a value stay, and values are never searched for placeholders. */
export function fillTemplate(
  text: string,
  values: PlaceholderValues,
  toMarkup: (value: string) => string = String,
): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? toMarkup(values[name]!) : placeholder,
  );
}
